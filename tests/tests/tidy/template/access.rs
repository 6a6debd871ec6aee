//! Rules about permissions.

use serde_norway::Value;

use super::model::{Resource, Template, at, entries, list, reference, references};
use crate::repository::{Verdict, verdict};

/// No statement allows a family of actions, and `*` as the resource only occurs conditionally.
pub(crate) fn permissions_name_their_actions_and_resources(template: &Template) -> Verdict {
    let mut findings = Vec::new();
    for holder in policy_holders(template) {
        let conditional = at(holder.body, &["Condition"]).is_some();
        for statement in statements(&holder) {
            for action in list(at(statement, &["Action"]))
                .into_iter()
                .filter_map(Value::as_str)
            {
                if action.contains('*') {
                    findings.push(format!("{}: action {action}", holder.name));
                }
            }
            let resources = list(at(statement, &["Resource"]));
            let everything = resources
                .iter()
                .any(|resource| resource.as_str() == Some("*"));
            if resources.is_empty() || (everything && !conditional) {
                findings.push(format!("{}: resource {resources:?}", holder.name));
            }
        }
    }
    verdict(
        "Permissions are least: every action is spelled out, and Resource '*' occurs only in a policy \
         with a Condition, for actions that have no finer resource.",
        &findings,
    )
}

/// A function may ring exactly the queues that its environment names, and read the one that feeds it
/// and the dead letters that its environment names.
pub(crate) fn functions_may_use_the_queues_they_know(template: &Template) -> Verdict {
    let mut findings = Vec::new();
    for function in template.functions() {
        let dead = |queue: &&str| queue.ends_with("DeadLetterQueue");
        let (letters, known): (Vec<_>, Vec<_>) =
            queues(template, function_references(template, &function))
                .into_iter()
                .partition(dead);
        let rung = queues(template, allowed(template, &function, "sqs:SendMessage"));
        if known != rung {
            findings.push(format!(
                "{} knows {known:?} and may ring {rung:?}",
                function.name
            ));
        }
        let fed = function
            .queue_events()
            .into_iter()
            .filter_map(|event| at(event, &["Queue"]));
        let mut fed = queues(template, fed.filter_map(reference).collect());
        // The dead letters that its environment names, it reads.
        fed.extend(letters);
        let read = queues(template, allowed(template, &function, "sqs:ReceiveMessage"));
        if fed != read {
            findings.push(format!(
                "{} is fed by {fed:?} and may read {read:?}",
                function.name
            ));
        }
    }
    verdict(
        "A function may send to exactly the queues in its environment, and receive from the one that \
         feeds it and from the dead letters in its environment: more is a risk, less fails at run \
         time only.",
        &findings,
    )
}

/// A function may write to its own log and no other.
pub(crate) fn functions_may_write_their_own_log(template: &Template) -> Verdict {
    let mut findings = Vec::new();
    for function in template.functions() {
        let own: Vec<&str> = function
            .property(&["LoggingConfig", "LogGroup"])
            .and_then(reference)
            .into_iter()
            .collect();
        let writable = allowed(template, &function, "logs:PutLogEvents");
        if own != writable {
            findings.push(format!(
                "{} logs to {own:?} and may write {writable:?}",
                function.name
            ));
        }
    }
    verdict(
        "A function may write to the log group it logs to, and to no other.",
        &findings,
    )
}

/// Every resource that carries a policy: roles with inline ones, and managed policies.
fn policy_holders(template: &Template) -> Vec<Resource<'_>> {
    let mut holders = template.of_type("AWS::IAM::Role");
    holders.extend(template.of_type("AWS::IAM::ManagedPolicy"));
    holders
}

/// A holder's statements; both branches of a conditional one.
fn statements<'a>(holder: &Resource<'a>) -> Vec<&'a Value> {
    let mut documents: Vec<&Value> = holder.property(&["PolicyDocument"]).into_iter().collect();
    for policy in list(holder.property(&["Policies"])) {
        documents.extend(at(policy, &["PolicyDocument"]));
    }
    let written = documents
        .into_iter()
        .flat_map(|document| list(at(document, &["Statement"])));
    written
        .flat_map(branches)
        .filter(|statement| at(statement, &["Effect"]).is_some())
        .collect()
}

/// The branches of an `!If`, or the value itself.
fn branches(value: &Value) -> Vec<&Value> {
    if let Value::Tagged(tagged) = value
        && tagged.tag == "!If"
    {
        return list(Some(&tagged.value));
    }
    vec![value]
}

/// What a function's role allows an action on, by logical id.
pub(crate) fn allowed<'a>(
    template: &'a Template,
    function: &Resource<'a>,
    action: &str,
) -> Vec<&'a str> {
    let Some(role) = template.target(function.property(&["Role"])) else {
        return Vec::new();
    };
    let allows = |statement: &&Value| {
        list(at(statement, &["Action"]))
            .iter()
            .any(|known| known.as_str() == Some(action))
    };
    let resources = statements(&role).into_iter().filter(allows);
    resources
        .filter_map(|statement| at(statement, &["Resource"]).map(references))
        .flatten()
        .collect()
}

/// Every logical id in a function's environment.
pub(crate) fn function_references<'a>(
    template: &'a Template,
    function: &Resource<'a>,
) -> Vec<&'a str> {
    let variables = template.environment(function).into_iter();
    variables.flat_map(|(_, value)| references(value)).collect()
}

/// Those of the names that are queues, in order.
fn queues<'a>(template: &'a Template, mut names: Vec<&'a str>) -> Vec<&'a str> {
    let resources = entries(template.at(&["Resources"]));
    let is_queue = |name: &&str| {
        resources.iter().any(|(known, body)| {
            known == name && at(body, &["Type"]) == Some(&Value::from("AWS::SQS::Queue"))
        })
    };
    names.retain(is_queue);
    names.sort_unstable();
    names.dedup();
    names
}
