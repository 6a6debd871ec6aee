//! `tools/<name>.ts` of eve.

use super::file::{File, GATE};
use super::source::{Call, Exported, Kind, Object, Property, Value};
use crate::diagnostic::Span;

/// What a tool file is.
pub(super) enum Tool {
    /// A tool; whether the model sees it from the start.
    Defined { deferred: bool },
    /// It only switches a tool of eve's own off.
    Disabled,
    /// Something that OpenEve has not; the text says what to do instead.
    Unsupported(String),
}

/// Keys that are ours, too.
const KEPT: &[&str] = &[
    "description",
    "inputSchema",
    "outputSchema",
    "execute",
    "toModelOutput",
];

/// Keys of eve's that have no counterpart, what that means, and whether something is left to do.
const DROPPED: &[(&str, &str, bool)] = &[
    (
        "availableInSubagents",
        "a subagent has the tools of its own folder alone",
        false,
    ),
    (
        "label",
        "runs show a tool's name and its events; say what happens with ctx.emit",
        false,
    ),
    (
        "endsTurn",
        "a turn ends when the model answers; say in the instructions that the call is the answer",
        true,
    ),
    ("auth", "tools get no tokens from a store of grants", true),
    (
        "retries",
        "a tool that is safe to repeat says sideEffects: \"idempotent\"",
        true,
    ),
];

/// Rewrites a tool's file.
pub(super) fn rewrite(file: &mut File<'_>) -> Tool {
    let call = match &file.module.default {
        Exported::Call(call) => call.clone(),
        Exported::From(module) => {
            return Tool::Unsupported(format!(
                "it hands on a tool of {module:?}; write a tool of your own"
            ));
        }
        Exported::Nothing => {
            return Tool::Unsupported("it exports no tool as its default".to_owned());
        }
        Exported::Other => {
            return Tool::Unsupported(
                "what it exports is made while it runs; export defineTool({ … })".to_owned(),
            );
        }
    };
    match file.eve_name(&call).map(|(_, name)| name) {
        Some("defineTool") => {}
        Some("disableTool") => return Tool::Disabled,
        Some("defineDynamic") => {
            return Tool::Unsupported("a tool that depends on the session does not exist here; define it, and let approval or its own code decide".to_owned());
        }
        Some("defineWorkflowTool") => {
            return Tool::Unsupported("every tool may wait for hours here: write defineTool and ctx.askQuestion, and keep what must not be repeated behind ctx.idempotencyKey".to_owned());
        }
        Some(name) => {
            return Tool::Unsupported(format!(
                "{name}() makes a tool of eve's own; write a tool of your own"
            ));
        }
        None => {
            let callee = call.callee;
            return Tool::Unsupported(format!(
                "{callee}() makes the tool while the file runs; export defineTool({{ … }})"
            ));
        }
    }
    let Some(Value {
        kind: Kind::Object(object),
        ..
    }) = call.argument.clone()
    else {
        return Tool::Unsupported(
            "what defineTool is given cannot be read without running it".to_owned(),
        );
    };
    let deferred = object
        .get("deferred")
        .is_some_and(|property| matches!(property.value.kind, Kind::Bool(true)));
    for property in &object.properties {
        key(file, &object, property, deferred);
    }
    Tool::Defined { deferred }
}

fn key(file: &mut File<'_>, object: &Object, property: &Property, deferred: bool) {
    match property.key.as_deref() {
        Some("execute") => {
            if let Kind::Function(function) = &property.value.kind {
                if function.generator {
                    file.todo(property.key_span, "a generator's snapshots do not exist here: return the result, and say what happens with ctx.emit");
                }
                file.context(property.span, function);
            }
        }
        Some("approval" | "needsApproval") => approval(file, object, property),
        Some("deferred") if deferred => {
            file.set(property, "capability", "{ visibility: \"deferred\" }");
        }
        Some("deferred") => file.drop_property(
            object,
            "deferred",
            "it is the default of defaultTools",
            false,
        ),
        Some(key) if KEPT.contains(&key) => {}
        Some(key) => match DROPPED.iter().find(|(name, ..)| *name == key) {
            Some((_, why, todo)) => file.drop_property(object, key, why, *todo),
            None => file.drop_property(object, key, "OpenEve has no such key", true),
        },
        None => file.todo(
            property.span,
            "a spread is read only if it can be without running the code",
        ),
    }
}

/// `approval`, in each of its forms.
pub(super) fn approval(file: &mut File<'_>, object: &Object, property: &Property) {
    if let Kind::Object(inner) = &property.value.kind {
        if let Some(response) = inner.get("response") {
            file.todo(response.span, "who may approve is a list here: needsApproval: approvalRequired({ approvers: [\"role:…\"], when })");
        }
        if let Some(prompt) = inner.get("prompt") {
            file.todo(
                prompt.span,
                "what the approver reads is the text that the function returns instead of true",
            );
        }
        let Some(request) = inner.get("request") else {
            file.drop_property(object, "approval", "it does not say when to ask", true);
            return;
        };
        policy(file, object, property, &request.value);
        return;
    }
    policy(file, object, property, &property.value);
}

fn policy(file: &mut File<'_>, object: &Object, property: &Property, value: &Value) {
    match &value.kind {
        Kind::Bool(asks) => file.set(
            property,
            "needsApproval",
            if *asks { "true" } else { "false" },
        ),
        Kind::Call(call) if file.eve_name(call).is_some() => helper(file, object, property, call),
        Kind::Text(_) | Kind::Env(_) | Kind::Prefixed(..) | Kind::Or(_) => {
            file.todo(property.span, "this is no policy that eve documents");
        }
        Kind::Call(_) | Kind::Function(_) | Kind::Object(_) | Kind::Other => {
            asked(file, property, value.span);
        }
    }
}

fn helper(file: &mut File<'_>, object: &Object, property: &Property, call: &Call) {
    let name = file
        .eve_name(call)
        .map(|(_, name)| name.to_owned())
        .unwrap_or_default();
    file.dropped.insert(call.callee.clone());
    match name.as_str() {
        "never" => file.drop_property(
            object,
            property.key.as_deref().unwrap_or_default(),
            "nobody is asked unless a tool says so",
            false,
        ),
        "always" => file.set(property, "needsApproval", "true"),
        "once" => {
            file.set(property, "needsApproval", "true");
            file.todo(
                property.span,
                "once() asked the first time alone; here every call is asked for",
            );
        }
        _ => {
            file.set(property, "needsApproval", "true");
            file.todo(property.span, format!("{name}() let a model decide; here every call is asked for. A function of the input may decide instead"));
        }
    }
}

/// A policy of eve, asked with what a gate of ours knows.
fn asked(file: &mut File<'_>, property: &Property, policy: Span) {
    let text = if property.method {
        let is_async = file.slice(property.span).starts_with("async");
        let start = if is_async { "async " } else { "" };
        format!("{start}function {}", file.slice(policy))
    } else {
        file.slice(policy).to_owned()
    };
    let asks = format!("(input, ctx) => {GATE}({text}, input, ctx)");
    file.set(property, "needsApproval", &asks);
    file.gate = true;
    let reads_caller = file.module.members.iter().any(|member| {
        member.span.start >= policy.start
            && member.span.end <= policy.end
            && member.path.iter().any(|part| part == "auth")
    });
    if reads_caller {
        file.todo(
            property.span,
            "the policy reads who asks, and a gate does not know it: auth.current is null there",
        );
    } else {
        file.note(
            property.span,
            "the policy is asked as before, with toolInput, toolName and callId",
        );
    }
}

/// The helper that asks a policy of eve.
pub(super) const GATE_TEXT: &str = r#"import type { CallContext } from "@openeve/core";

/**
 * Asks an approval policy that was written for eve. True asks a person, false lets the call run; a
 * policy that denies throws, so that the call does not run. Nobody's identity is known here.
 */
export async function askEve(policy: (asked: any) => unknown, input: unknown, ctx: CallContext): Promise<boolean> {
  const answer: any = await policy({
    toolInput: input,
    toolName: ctx.toolName,
    callId: ctx.toolCallId,
    approvedTools: new Set<string>(),
    session: { id: ctx.conversationId, auth: { current: null, initiator: null } },
  });
  const status = typeof answer === "object" && answer !== null ? answer.type : answer;
  if (status === true || status === "user-approval") {
    return true;
  }
  if (status === false || status === "not-applicable" || status === "approved") {
    return false;
  }
  throw new Error(`the policy of ${ctx.toolName} says ${answer?.reason ?? status}`);
}
"#;
