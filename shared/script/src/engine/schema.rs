//! One schema module in an engine with nothing but the language.

use std::cell::Cell;
use std::rc::Rc;

use openeve_domain::limits::{MIB, SCRIPT_STACK_BYTES};
use rquickjs::promise::PromiseState;
use rquickjs::{Context, Ctx, Function, Module, Runtime, Value};
use rustix::time::ClockId;

use super::budget::nanoseconds;
use super::failure::describe_error;
use super::loader::Imports;
use super::memory::Gauge;
use crate::schema::SchemaError;

const READER: &str = include_str!("../js/schema.js");
/// What the module is called in a stack.
const NAME: &str = "schema.js";

/// Evaluates a module and returns its schema as JSON text.
pub(crate) fn schema_json(
    code: &str,
    memory_bytes: usize,
    cpu_ms: u64,
) -> Result<String, SchemaError> {
    let memory = Gauge::new(memory_bytes);
    let engine = |error: rquickjs::Error| SchemaError::Engine(error.to_string());
    let runtime = Runtime::new_with_alloc(memory.allocator()).map_err(engine)?;
    runtime.set_max_stack_size(SCRIPT_STACK_BYTES);
    runtime.set_loader(Imports, Imports);
    let tripped: Rc<Cell<Option<&'static str>>> = Rc::default();
    let (flag, gauge) = (Rc::clone(&tripped), Rc::clone(&memory));
    let until = nanoseconds(ClockId::ThreadCPUTime).saturating_add(cpu_ms * 1_000_000);
    runtime.set_interrupt_handler(Some(Box::new(move || {
        if gauge.passed() {
            flag.set(Some("memory"));
        } else if nanoseconds(ClockId::ThreadCPUTime) > until {
            flag.set(Some("processor time"));
        }
        flag.get().is_some()
    })));
    let context = Context::full(&runtime).map_err(engine)?;
    let read = context.with(|ctx| read(&ctx, code).map_err(|error| describe(&ctx, &error)));
    match (tripped.get().or(memory.passed().then_some("memory")), read) {
        (Some("memory"), _) => Err(SchemaError::Limit {
            what: format!("{} MiB of memory", memory_bytes / MIB),
        }),
        (Some(_), _) => Err(SchemaError::Limit {
            what: format!("{cpu_ms} ms of processor time"),
        }),
        (None, read) => read.map_err(SchemaError::Threw),
    }
}

/// What the module did not do, or what the engine says of it.
enum Problem {
    Engine(rquickjs::Error),
    NeverSettles,
}

impl From<rquickjs::Error> for Problem {
    fn from(error: rquickjs::Error) -> Self {
        Self::Engine(error)
    }
}

fn describe(ctx: &Ctx<'_>, problem: &Problem) -> String {
    match problem {
        // The stack is of a module that the author never sees.
        Problem::Engine(error) => {
            let text = describe_error(ctx, error);
            let said = text.lines().take_while(|line| !line.starts_with("    at "));
            said.collect::<Vec<_>>().join("\n")
        }
        Problem::NeverSettles => {
            "its module waits for something that never settles: nothing can be awaited".to_owned()
        }
    }
}

fn read(ctx: &Ctx<'_>, code: &str) -> Result<String, Problem> {
    let prepare: Function<'_> = ctx.eval(READER)?;
    let builtin = Function::new(ctx.clone(), crate::host::builtin)?;
    let reader: Function<'_> = prepare.call((builtin,))?;
    let (module, evaluated) = Module::declare(ctx.clone(), NAME, code)?.eval()?;
    while ctx.execute_pending_job() {}
    match evaluated.state() {
        PromiseState::Pending => return Err(Problem::NeverSettles),
        PromiseState::Resolved | PromiseState::Rejected => {
            if let Some(result) = evaluated.result::<Value<'_>>() {
                result?;
            }
        }
    }
    let export = |name: &str| module.get::<_, Value<'_>>(name);
    let undefined = || Value::new_undefined(ctx.clone());
    let schema = export("default").or_else(|_| {
        ctx.catch();
        Ok::<_, rquickjs::Error>(undefined())
    })?;
    let to_json_schema = export("toJSONSchema").unwrap_or_else(|_| {
        ctx.catch();
        undefined()
    });
    Ok(reader.call((schema, to_json_schema))?)
}
