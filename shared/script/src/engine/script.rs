//! One script in its engine: context, module, the tool's function, answer.

use std::rc::Rc;
use std::sync::Arc;

use openeve_domain::limits::TOOL_OUTPUT_BYTES_MAX;
use openeve_domain::run::settle_calls::{Returned, ToolOutput};
use openeve_domain::text::{head_and_tail, mend_surrogates};
use rquickjs::{Context, Ctx, Function, Module, Object, Promise, Runtime, Value, WriteOptions};
use serde_json::json;

use super::Job;
use super::budget::{Budget, Trip};
use super::event_loop::EventLoop;
use super::failure::Failure;
use super::loader::Imports;
use super::memory::Gauge;
use crate::host::{self, Host};
use crate::threads::Alive;
use crate::wire::FromScript;

/// What the author must write, for messages about its absence.
const HINT: &str = "write `export default defineTool({ …, execute(input, ctx) { … } })`";

/// Runs the call and sends the answer, then takes the engine down.
pub(super) fn run(job: &Job, alive: &Arc<Alive>) {
    let host = Host::new(job);
    let memory = Gauge::new(job.limits.memory_bytes);
    let engine = engine(job, &host, &memory);
    let answer = match &engine {
        Ok((runtime, context)) => {
            let budget = Budget::new(&host, &memory, alive, runtime);
            let result = context.with(|ctx| execute(&ctx, job, &host, &budget));
            answer(job, &host, result)
        }
        Err(error) => Err(format!("Error: the script engine cannot start: {error}")),
    };
    // The caller is answered before the engine's memory is given back, which takes a while.
    let _ = job.to_caller.send(FromScript::Done(answer));
}

fn engine(job: &Job, host: &Rc<Host>, memory: &Rc<Gauge>) -> rquickjs::Result<(Runtime, Context)> {
    let runtime = Runtime::new_with_alloc(memory.allocator())?;
    runtime.set_max_stack_size(job.limits.stack_bytes);
    runtime.set_loader(Imports, Imports);
    host::track(&runtime, host);
    let context = Context::full(&runtime)?;
    Ok((runtime, context))
}

/// The JSON of the result, and the model's text if the tool projects one.
type Produced = (String, Option<String>);

fn answer(job: &Job, host: &Host, produced: Result<Produced, Failure>) -> Result<Returned, String> {
    let mut unhandled = host.unhandled.take();
    // The run that has the answer will say again what was never handled.
    if let Err(Failure::Interrupted(Trip::Paused)) = produced
        && let Some(question) = host.questions.take()
    {
        return Ok(Returned::Pause(question));
    }
    let message = match produced.and_then(|(json, text)| output(job, &json, text)) {
        Ok(output) => {
            host.log_unhandled(&unhandled);
            return Ok(Returned::Output(output));
        }
        Err(Failure::NeverSettles) => Failure::NeverSettles.message(&job.limits, &unhandled),
        Err(failure @ (Failure::Thrown(_) | Failure::Interrupted(_))) => {
            let message = failure.message(&job.limits, &[]);
            // The failure itself is a rejection that only the answer handles.
            unhandled.retain(|text| !message.starts_with(text.as_str()));
            host.log_unhandled(&unhandled);
            message
        }
    };
    let message = job.environment.redact(&host.placed(message));
    Err(head_and_tail(&message, TOOL_OUTPUT_BYTES_MAX / 2))
}

/// A result over its bound is kept as head and tail of its text, without being parsed: as a tree
/// it could take many times the script's own memory.
fn output(job: &Job, json: &str, text: Option<String>) -> Result<ToolOutput, Failure> {
    // What a tool returns is stored and shown to the model: no place for a key (I16). The secret
    // stands in the JSON text as it would in a string, but for escapes, which keys have none of.
    let json = &job.environment.redact_result(json);
    let text = text.map(|text| job.environment.redact_result(&text));
    let text = text.map(|text| head_and_tail(&text, TOOL_OUTPUT_BYTES_MAX));
    if json.len() > job.limits.result_bytes && !json.starts_with('"') {
        let cut = head_and_tail(json, TOOL_OUTPUT_BYTES_MAX);
        let result = json!({"truncated": cut, "bytes": json.len()});
        return Ok(ToolOutput {
            result,
            model_output: Some(text.unwrap_or(cut)),
        });
    }
    let read = serde_json::from_str(json).or_else(|_| serde_json::from_str(&mend_surrogates(json)));
    let result = read.map_err(|error| {
        Failure::host(format_args!(
            "the tool returned something that is not JSON: {error}"
        ))
    })?;
    Ok(ToolOutput {
        result,
        model_output: text,
    })
}

fn execute(
    ctx: &Ctx<'_>,
    job: &Job,
    host: &Rc<Host>,
    budget: &Budget<'_>,
) -> Result<Produced, Failure> {
    let failed = |error: rquickjs::Error| budget.failure(ctx, &error);
    let source = job.modules.source(&job.module).map_err(Failure::host)?;
    let core = core(ctx, job, host).map_err(failed)?;
    let event_loop = EventLoop {
        ctx: ctx.clone(),
        host,
        budget,
        from_caller: &job.from_caller,
        fire: core.get("fire").map_err(failed)?,
        settled: core.get("settled").map_err(failed)?,
    };
    budget.reset();
    // The bundle's own name: its lines are what the engine counts.
    let name = &job.module.path;
    let (module, evaluated) = declared(ctx, job, &source)
        .and_then(Module::eval)
        .map_err(failed)?;
    event_loop.settle(&evaluated)?;
    let exported: Value<'_> = module.get("default").map_err(failed)?;
    let tool = tool(exported).map_err(failed)?.ok_or_else(|| {
        let author = if job.source.is_empty() {
            name
        } else {
            &job.source
        };
        Failure::host(format_args!("{author} default-exports no tool; {HINT}"))
    })?;
    let Some(function) = job.work.function() else {
        return Ok(("null".to_owned(), None));
    };
    let run: Function<'_> = core.get(function).map_err(failed)?;
    budget.reset();
    let promise: Promise<'_> = run.call((tool, job.input.as_str())).map_err(failed)?;
    let produced = event_loop.settle(&promise)?;
    let mut texts = produced.get::<Vec<String>>().map_err(failed)?.into_iter();
    Ok((texts.next().unwrap_or_default(), texts.next()))
}

/// The call's module, parsed once in this process.
fn declared<'js>(ctx: &Ctx<'js>, job: &Job, source: &str) -> rquickjs::Result<Module<'js>> {
    if let Some(compiled) = job.modules.compiled(&job.module) {
        #[expect(
            unsafe_code,
            reason = "the engine has no safe way to take compiled code"
        )]
        // SAFETY: `write` below made it, in this process, of the source that was verified.
        return unsafe { Module::load(ctx.clone(), &compiled) };
    }
    let module = Module::declare(ctx.clone(), job.module.path.as_str(), source)?;
    match module.write(WriteOptions::default()) {
        Ok(compiled) => job.modules.keep_compiled(&job.module, compiled),
        // The next call parses it again.
        Err(_) => drop(ctx.catch()),
    }
    Ok(module)
}

/// What was exported, if it can be executed.
fn tool(exported: Value<'_>) -> rquickjs::Result<Option<Object<'_>>> {
    let Some(tool) = exported.into_object() else {
        return Ok(None);
    };
    let execute: Value<'_> = tool.get("execute")?;
    Ok(execute.is_function().then_some(tool))
}

/// The prelude, evaluated for this call.
fn core<'js>(ctx: &Ctx<'js>, job: &Job, host: &Rc<Host>) -> rquickjs::Result<Object<'js>> {
    let env = Object::new(ctx.clone())?;
    for (name, value) in job.environment.iter() {
        env.set(name, value)?;
    }
    let info = Object::new(ctx.clone())?;
    info.set("env", env)?;
    info.set("runId", job.run_id.as_str())?;
    info.set("conversationId", job.conversation_id.as_str())?;
    info.set("toolCallId", job.call_id.as_str())?;
    info.set("toolName", job.tool.as_str())?;
    info.set("fetchesAtOnce", job.limits.fetches_at_once)?;
    info.set("bodyBytesMax", job.limits.fetch_body_bytes)?;
    info.set("timeoutMs", job.timeout_ms)?;
    host::evaluate(ctx, host.object(ctx)?, info)
}
