//! One tool, alone in the engine.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use openeve_compiler::emit;
use openeve_domain::ids::{ConversationId, RunId, ToolCallId};
use openeve_domain::limits::TOOL_WALL_MS;
use openeve_domain::manifest::{Manifest, ToolSpec};
use openeve_domain::nearest::nearest;
use openeve_domain::run::settle_calls::{Outcome, Returned};
use openeve_host::environment;
use openeve_host::ids::SystemIds;
use openeve_host::logs::{self, Form};
use openeve_http::Http;
use openeve_runtime::arguments::Arguments;
use openeve_runtime::ports::{Ids as _, Invocation, ToolRunner as _};
use openeve_script::ScriptTools;
use serde_json::{Value, json};

use super::RunArguments;
use crate::commands::compiled;
use crate::dev;
use crate::output::{self, Usage};

/// Runs the tool; exits 1 if it threw, asks something that has no answer, or its input does not fit.
pub(super) async fn run(arguments: RunArguments) -> anyhow::Result<ExitCode> {
    logs::start(Form::Readable, "warn");
    dev::packages::install(&arguments.folder)?;
    let Some(compilation) = compiled(&arguments.folder).await else {
        return Ok(ExitCode::FAILURE);
    };
    let root = arguments.folder.join(".openeve");
    emit(&compilation, &root).context("the artifact could not be written")?;
    let manifest = compilation.manifest.as_ref();
    let manifest = manifest.context("the compiler found no error and gave no manifest")?;
    let tool = chosen(manifest, arguments.tool.as_deref().unwrap_or_default())?;
    let input = match Arguments::new().read(tool, &arguments.input) {
        Ok(input) => input,
        Err(why) => return Err(Usage(format!("--input does not fit {}: {why}", tool.name)).into()),
    };
    let env = environment::declared(manifest, &BTreeMap::new());
    let tools = ScriptTools::new(
        root,
        Arc::new(Http::new()?),
        environment::tool_env(manifest, &env),
    );
    let ids = SystemIds;
    let invocation = Invocation {
        run_id: RunId::new(ids.uuid()),
        conversation_id: ConversationId::new(ids.uuid()),
        call_id: ToolCallId::new(ids.uuid()),
        tool,
        input,
        timeout_ms: tool.timeout_ms.unwrap_or(TOOL_WALL_MS),
        answers: arguments.answers,
    };
    let outcome = tokio::select! {
        outcome = tools.run(invocation) => outcome,
        () = dev::interrupted() => return Ok(output::stopped()),
    };
    Ok(tell(tool, &outcome, arguments.json))
}

fn chosen<'m>(manifest: &'m Manifest, name: &str) -> anyhow::Result<&'m ToolSpec> {
    if let Some(tool) = manifest.tools.iter().find(|tool| tool.name == name) {
        return Ok(tool);
    }
    let names: Vec<&str> = manifest.tools.iter().map(|one| one.name.as_str()).collect();
    let meant = nearest(name, names.iter().copied());
    let meant = meant.map_or(String::new(), |meant| format!("; did you mean {meant:?}?"));
    let known = if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    };
    Err(Usage(format!(
        "the folder has no tool {name:?}{meant} (its tools: {known})"
    ))
    .into())
}

fn tell(tool: &ToolSpec, outcome: &Outcome, json: bool) -> ExitCode {
    let emitted: Vec<Value> = outcome
        .emitted
        .iter()
        .map(|event| json!({"kind": event.kind, "payload": event.payload}))
        .collect();
    let mut told = json!({"tool": tool.name, "emitted": emitted});
    let (key, value, line) = match &outcome.result {
        Ok(Returned::Output(output)) => {
            if let Some(shown) = &output.model_output {
                insert(&mut told, "model_output", shown.clone().into());
            }
            let text = output.result.to_string();
            ("result", output.result.clone(), text)
        }
        Ok(Returned::Pause(asked)) => {
            let line = format!(
                "{} asks: {}; give an --answer",
                tool.name,
                output::visible(&asked.prompt)
            );
            let value = json!({"prompt": asked.prompt, "options": asked.options});
            ("asks", value, line)
        }
        Err(why) => ("error", why.clone().into(), why.clone()),
    };
    insert(&mut told, key, value);
    let returned = key == "result";
    if json {
        output::json(&told);
    } else {
        for event in &outcome.emitted {
            let payload = event.payload.to_string();
            output::say(&format!(
                "emitted {} {}",
                output::visible(&event.kind),
                output::visible(&payload)
            ));
        }
        if returned {
            output::answer(&line);
        } else {
            for line in line.lines() {
                output::say(&output::visible(line));
            }
        }
    }
    if returned {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn insert(told: &mut Value, key: &str, value: Value) {
    if let Some(fields) = told.as_object_mut() {
        fields.insert(key.to_owned(), value);
    }
}
