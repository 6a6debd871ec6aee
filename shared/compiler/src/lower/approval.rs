//! Who is asked before a tool runs, and who may answer (ledger E.13, Z.17).
//!
//! A gate that cannot be read is an error and never "no gate": running a tool that nobody approved
//! is worse than not building it.

use openeve_domain::manifest::ApprovalSpec;

use super::fields::{Fields, Reader};
use super::value::{Entry, Kind, Node, Object};
use crate::diagnostic::Code;

const KEY: &str = "needsApproval";
const HELPER: &str = "approvalRequired";
const HELP: &str = "write approvalRequired(\"why\"), true, false, or a function (input, ctx) => …";
const CODE_HELP: &str = "write the call in place, as approvalRequired(\"why\") of \"@openeve/core\", or a function that calls what is elsewhere, as (input, ctx) => check(input)";
const REQUIRED_HELP: &str =
    "write approvalRequired(\"why\") or approvalRequired({ reason, approvers, when(input) { … } })";
const REASON_HELP: &str = "say in a sentence what the person who decides should think of";
const APPROVERS_HELP: &str = "write user ids, \"role:\" and a role, \"requester\" or \"anyone\", such as [\"role:admin\"]; without the key the requester decides";

/// What a tool's `needsApproval` says. None: nobody is asked, or what it says was reported.
pub(super) fn approval(reader: &mut Reader<'_>, fields: Fields<'_>) -> Option<ApprovalSpec> {
    let node = fields.object.get(KEY)?;
    match &node.kind {
        Kind::Bool(false) => None,
        Kind::Bool(true) => Some(ApprovalSpec::default()),
        Kind::Function => Some(ApprovalSpec {
            predicate: true,
            ..ApprovalSpec::default()
        }),
        Kind::Call(call) if call.helper == HELPER => required(reader, &call.arguments),
        Kind::Imported { .. } | Kind::Unreadable(_) => {
            let message = format!(
                "{KEY} cannot be read without running the code: it is {}",
                node.describe()
            );
            reader.report(Code::NotStatic, node.span, message, CODE_HELP);
            None
        }
        Kind::Undefined
        | Kind::Null
        | Kind::Number(_)
        | Kind::Text(_)
        | Kind::List(_)
        | Kind::Object(_)
        | Kind::Call(_) => reader.wrong(
            KEY,
            node,
            "approvalRequired(…), a boolean or a function",
            HELP,
        ),
    }
}

/// The argument of `approvalRequired`: none, a reason, or an object.
fn required(reader: &mut Reader<'_>, arguments: &[Node]) -> Option<ApprovalSpec> {
    if let Some(extra) = arguments.get(1) {
        let message = format!("{HELPER} takes one argument, so this one would say nothing");
        reader.report(Code::BadValue, extra.span, message, REQUIRED_HELP);
    }
    let Some(argument) = arguments.first() else {
        return Some(ApprovalSpec::default());
    };
    match &argument.kind {
        Kind::Undefined => Some(ApprovalSpec::default()),
        Kind::Object(object) => Some(options(reader, argument, object)),
        Kind::Text(_) => {
            let mut object = Object::default();
            object.set(Entry {
                key: "reason".to_owned(),
                key_span: argument.span,
                value: argument.clone(),
            });
            Some(options(reader, argument, &object))
        }
        Kind::Null
        | Kind::Bool(_)
        | Kind::Number(_)
        | Kind::List(_)
        | Kind::Function
        | Kind::Call(_)
        | Kind::Imported { .. }
        | Kind::Unreadable(_) => reader.wrong(
            "the argument of approvalRequired",
            argument,
            "a string or an object",
            REQUIRED_HELP,
        ),
    }
}

fn options(reader: &mut Reader<'_>, argument: &Node, object: &Object) -> ApprovalSpec {
    let fields = Fields {
        owner: HELPER,
        span: argument.span,
        object,
    };
    reader.known_keys(fields, &["reason", "approvers", "when"]);
    ApprovalSpec {
        reason: reader
            .text(fields, "reason", REASON_HELP)
            .map(|(text, _)| text.to_owned()),
        predicate: reader.function(fields, "when", "write when(input, ctx) { … }"),
        approvers: reader.approvers(fields),
    }
}

impl Reader<'_> {
    /// Who may decide: the key `approvers`. Empty without the key.
    pub(super) fn approvers(&mut self, fields: Fields<'_>) -> Vec<String> {
        let mut approvers = Vec::new();
        let Some(given) = self.texts(fields, "approvers", APPROVERS_HELP) else {
            return approvers;
        };
        if let Some(node) = fields.object.get("approvers")
            && matches!(&node.kind, Kind::List(items) if items.is_empty())
        {
            let message =
                "approvers is empty, so it says neither who may decide nor that nobody may";
            self.report(Code::BadValue, node.span, message, APPROVERS_HELP);
        }
        for (approver, span) in given {
            if let Some(problem) = approver_problem(&approver) {
                let message = format!("the approver {approver:?} {problem}");
                self.report(Code::BadValue, span, message, APPROVERS_HELP);
            } else if !approvers.contains(&approver) {
                approvers.push(approver);
            }
        }
        approvers
    }
}

/// What is wrong with an approver, if anything.
fn approver_problem(approver: &str) -> Option<&'static str> {
    let name = approver.strip_prefix("role:").unwrap_or(approver);
    match name.trim() {
        "" if name.len() < approver.len() => Some("names no role"),
        "" => Some("is empty"),
        trimmed if trimmed.len() < name.len() || approver.trim_start().len() < approver.len() => {
            Some("has a space at an end, so it would be nobody's")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::approver_problem;

    #[test]
    fn an_approver_is_a_user_a_role_the_requester_or_anyone() {
        for approver in [
            "ada",
            "U02:x",
            "role:admin",
            "role:a b",
            "requester",
            "anyone",
        ] {
            assert_eq!(approver_problem(approver), None, "{approver}");
        }
        for approver in ["", " ", "role:", "role: ", "role: admin", " ada", "ada\n"] {
            assert!(approver_problem(approver).is_some(), "{approver}");
        }
    }
}
