//! Schedules, channels, connections, sandboxes and instrumentation of eve.

use super::edit::quoted;
use super::file::File;
use super::source::{Call, Exported, Kind, Object, Property, Value};
use super::tool::approval;
use crate::diagnostic::Span;

/// The definition that a file exports, if it is made by one of these functions of eve.
fn defined(file: &File<'_>, helpers: &[&str]) -> Option<(Call, Object)> {
    let Exported::Call(call) = &file.module.default else {
        return None;
    };
    let (_, name) = file.eve_name(call)?;
    if !helpers.contains(&name) {
        return None;
    }
    match &call.argument {
        Some(Value {
            kind: Kind::Object(object),
            ..
        }) => Some((call.clone(), object.clone())),
        _ => None,
    }
}

/// `schedules/<name>.ts`. The error says what to do instead.
pub(super) fn schedule(file: &mut File<'_>) -> Result<(), String> {
    let Some((_, object)) = defined(file, &["defineSchedule"]) else {
        return Err(
            "what it exports is made while it runs; export defineSchedule({ … })".to_owned(),
        );
    };
    if object.get("run").is_some() {
        return Err("a schedule says what the agent is told and runs no code: write message, and let a tool do the work".to_owned());
    }
    if object.get("markdown").is_none() {
        return Err("it says neither markdown nor run".to_owned());
    }
    for property in &object.properties {
        match property.key.as_deref() {
            Some("markdown") => {
                let text = file.slice(property.value.span);
                file.set(property, "message", text);
            }
            Some("cron" | "timezone") => {}
            Some(key) => file.drop_property(&object, key, "OpenEve has no such key", true),
            None => file.todo(
                property.span,
                "a spread is read only if it can be without running the code",
            ),
        }
    }
    Ok(())
}

/// What a channel of eve becomes.
pub(super) enum Channel {
    /// The HTTP API; the notes say what is different.
    Http,
    /// A platform that this version does not speak; the text says what to do.
    Unsupported(String),
}

/// `channels/<name>.ts`.
pub(super) fn channel(file: &mut File<'_>) -> Channel {
    let Exported::Call(call) = &file.module.default else {
        return Channel::Unsupported(
            "a channel is defineChannel({ route, auth, reply }) here".to_owned(),
        );
    };
    let call = call.clone();
    let name = file
        .eve_name(&call)
        .map(|(module, name)| (module.to_owned(), name.to_owned()));
    match name {
        Some((_, name)) if name == "eveChannel" => {}
        Some((module, name)) if name != "defineChannel" => {
            let platform = module.rsplit('/').next().unwrap_or_default().to_owned();
            return Channel::Unsupported(format!(
                "the channel {platform} does not exist in this version: put a bridge in front of an HTTP channel, which posts messages and takes signed replies"
            ));
        }
        _ => {
            return Channel::Unsupported("a channel has no code here: write defineChannel({ route, auth, reply }), and a bridge where a platform needs one".to_owned());
        }
    }
    file.todo(call.callee_span, "eve's HTTP API becomes POST /message with {\"message\", \"conversation\"?, \"sender\"?}; a run is read at /runs/{id}. Clients need the other form");
    let auth = match &call.argument {
        Some(Value {
            kind: Kind::Object(object),
            ..
        }) => object.get("auth").map(|auth| auth.span),
        _ => None,
    };
    if let Some(auth) = auth {
        let what = if file.slice(auth).contains("none()") {
            "none() let everybody in; here a channel without a token is open in development alone"
        } else {
            "who may call is a bearer token here: set EVE_CHANNEL_TOKEN, and let whoever stands in front name the sender"
        };
        file.todo(auth, what);
    }
    if let Some(Value {
        kind: Kind::Object(object),
        ..
    }) = &call.argument
    {
        let others: Vec<Span> = object
            .properties
            .iter()
            .filter(|property| property.key.as_deref() != Some("auth"))
            .map(|property| property.key_span)
            .collect();
        for other in others {
            let name = file.slice(other).to_owned();
            file.todo(
                other,
                format!("{name} has no counterpart: a channel has no code here"),
            );
        }
    }
    Channel::Http
}

/// The HTTP channel that takes the place of eve's.
pub(super) const HTTP_CHANNEL: &str = r#"import { bearer, defineChannel, env } from "@openeve/core";

export default defineChannel({
  transport: "http",
  route: "/message",
  methods: ["POST"],
  auth: bearer(env("EVE_CHANNEL_TOKEN")),
});
"#;

/// `connections/<name>.ts`. The error says what to do instead.
pub(super) fn connection(file: &mut File<'_>) -> Result<(), String> {
    let helpers = ["defineMcpClientConnection", "defineOpenAPIConnection"];
    let Some((call, object)) = defined(file, &helpers) else {
        return Err(
            "what it exports is made while it runs; export defineConnection({ kind, … })"
                .to_owned(),
        );
    };
    let is_mcp = file
        .eve_name(&call)
        .is_some_and(|(_, name)| name == "defineMcpClientConnection");
    file.edits.replace(call.callee_span, "defineConnection");
    let kind = if is_mcp {
        "kind: \"mcp\""
    } else {
        "kind: \"openapi\""
    };
    file.prepend(&object, &[kind.to_owned()]);
    for property in &object.properties {
        match property.key.as_deref() {
            Some("url" | "spec" | "baseUrl") => address(file, property),
            Some("description" | "tools" | "operations") => {}
            Some("auth") => auth(file, &object, property),
            Some("headers") => headers(file, &object, property),
            Some("approval" | "needsApproval") => approval(file, &object, property),
            Some(key) => file.drop_property(&object, key, "OpenEve has no such key", true),
            None => file.todo(
                property.span,
                "a spread is read only if it can be without running the code",
            ),
        }
    }
    Ok(())
}

fn env_call(file: &mut File<'_>, name: &str) -> String {
    file.uses.insert("env");
    format!("env({})", quoted(name))
}

fn address(file: &mut File<'_>, property: &Property) {
    let key = property.key.clone().unwrap_or_default();
    match &property.value.kind {
        Kind::Env(name) => {
            let value = env_call(file, name);
            file.set(property, &key, &value);
        }
        Kind::Or(text) => {
            let text = quoted(text);
            file.set(property, &key, &text);
            file.note(
                property.span,
                "the environment chose it; this is what it fell back to",
            );
        }
        Kind::Text(_)
        | Kind::Bool(_)
        | Kind::Call(_)
        | Kind::Function(_)
        | Kind::Prefixed(..)
        | Kind::Object(_)
        | Kind::Other => {}
    }
}

/// `auth`: a token from the environment is kept, everything else is said.
fn auth(file: &mut File<'_>, object: &Object, property: &Property) {
    let span = property.value.span;
    let inside = |at: Span| at.start >= span.start && at.end <= span.end;
    let variables: Vec<String> = file
        .module
        .members
        .iter()
        .filter(|member| inside(member.span))
        .filter_map(|member| match member.path.as_slice() {
            [process, env, name] if process == "process" && env == "env" => Some(name.clone()),
            _ => None,
        })
        .collect();
    if let ([name], true) = (variables.as_slice(), file.slice(span).contains("token")) {
        let token = env_call(file, name);
        file.uses.insert("bearer");
        file.set(property, "auth", &format!("bearer({token})"));
        file.note(property.span, "the token is named instead of read");
        return;
    }
    file.drop_property(
        object,
        "auth",
        "name a token as auth: bearer(env(\"TOKEN\")), or write { oauth: { … } }",
        true,
    );
}

/// `headers`: texts and variables are kept, and a bearer token becomes `auth`.
fn headers(file: &mut File<'_>, object: &Object, property: &Property) {
    let Kind::Object(headers) = &property.value.kind else {
        file.drop_property(
            object,
            "headers",
            "headers that are made for a call do not exist here",
            true,
        );
        return;
    };
    let mut kept = Vec::new();
    let mut token = None;
    for header in &headers.properties {
        let name = header.key.clone().unwrap_or_default();
        match &header.value.kind {
            Kind::Text(text) => kept.push(format!("{}: {}", quoted(&name), quoted(text))),
            Kind::Env(variable) => {
                let value = env_call(file, variable);
                kept.push(format!("{}: {value}", quoted(&name)));
            }
            Kind::Prefixed(before, variable)
                if before == "Bearer " && name.eq_ignore_ascii_case("authorization") =>
            {
                token = Some(variable.clone());
            }
            Kind::Bool(_)
            | Kind::Call(_)
            | Kind::Function(_)
            | Kind::Or(_)
            | Kind::Prefixed(..)
            | Kind::Object(_)
            | Kind::Other => {
                file.todo(header.span, format!("the header {name} is made while it runs; put its whole value into a variable and name it"));
            }
        }
    }
    let mut parts = Vec::new();
    if !kept.is_empty() {
        parts.push(format!("headers: {{ {} }}", kept.join(", ")));
    }
    if let (Some(variable), None) = (token, object.get("auth")) {
        let value = env_call(file, &variable);
        file.uses.insert("bearer");
        parts.push(format!("auth: bearer({value})"));
    }
    if parts.is_empty() {
        file.drop_property(object, "headers", "none of them can be named", true);
    } else {
        file.edits.replace(property.span, parts.join(",\n  "));
    }
}

/// `sandbox.ts`, in the form that is an object. The error says what to do instead.
pub(super) fn sandbox(file: &mut File<'_>) -> Result<(), String> {
    let Some((_, object)) = defined(file, &["defineSandbox"]) else {
        return Err("the sandbox is made while it runs; write defineSandbox({ adapter: \"docker\", async bootstrap({ use }) { … } })".to_owned());
    };
    for property in &object.properties {
        match property.key.as_deref() {
            Some("backend") => backend(file, &object, property),
            Some("bootstrap" | "onSession" | "revalidationKey" | "description") => {}
            Some(key) => file.drop_property(&object, key, "OpenEve has no such key", true),
            None => file.todo(
                property.span,
                "a spread is read only if it can be without running the code",
            ),
        }
    }
    Ok(())
}

/// `backend: vercel({ … })` and its kin.
fn backend(file: &mut File<'_>, object: &Object, property: &Property) {
    let text = file.slice(property.value.span).to_owned();
    let mut used: Vec<(String, String)> = Vec::new();
    for import in &file.module.imports {
        for name in &import.names {
            if super::file::is_eve(&import.module) && text.contains(&format!("{}(", name.local)) {
                used.push((name.imported.clone(), name.local.clone()));
            }
        }
    }
    for (_, local) in &used {
        file.dropped.insert(local.clone());
    }
    let kind = match used.first().map(|(name, _)| name.to_lowercase()).as_deref() {
        Some("vercel") => "vercel",
        Some("docker") => "docker",
        Some("microsandbox") => "microsandbox",
        Some("justbash") => "virtual",
        _ => {
            file.drop_property(
                object,
                "backend",
                "gateway.ts says what runs the sandbox",
                false,
            );
            return;
        }
    };
    file.uses.insert("adapter");
    file.set(property, "backend", &format!("adapter({})", quoted(kind)));
    file.todo(property.span, "options of the backend are not carried over: see image, region, env and timeout of defineSandbox");
}

/// `instrumentation.ts`.
pub(super) fn instrumentation(file: &mut File<'_>) -> Result<(), String> {
    let Some((_, object)) = defined(file, &["defineInstrumentation"]) else {
        return Err("providers of telemetry do not exist here; write instrumentation.ts with defineInstrumentation({ setup })".to_owned());
    };
    for property in &object.properties {
        match property.key.as_deref() {
            Some("setup" | "recordInputs" | "recordOutputs" | "functionId") => {}
            Some(key) => file.drop_property(&object, key, "OpenEve has no such key", true),
            None => file.todo(
                property.span,
                "a spread is read only if it can be without running the code",
            ),
        }
    }
    Ok(())
}
