//! Rules about secrets and the environment.

use openeve_runtime::config::KNOBS;
use serde_norway::Value;

use super::access::{allowed, function_references};
use super::model::{Template, references};
use crate::repository::{Verdict, verdict};

/// A function may read exactly the secrets that it is given.
pub(crate) fn functions_may_read_the_secrets_they_hold(template: &Template) -> Verdict {
    let mut findings = Vec::new();
    for function in template.functions() {
        let is_secret = |name: &&str| secret_parameters(template).contains(name);
        let mut held = function_references(template, &function);
        held.retain(is_secret);
        let mut readable = allowed(template, &function, "secretsmanager:GetSecretValue");
        held.sort_unstable();
        readable.sort_unstable();
        if held != readable {
            findings.push(format!(
                "{} holds {held:?} and may read {readable:?}",
                function.name
            ));
        }
    }
    verdict(
        "A function may read the secrets that its environment names and no other.",
        &findings,
    )
}

/// The model's key is the step function's and the admin token is the ingress function's.
pub(crate) fn each_key_has_one_holder(template: &Template) -> Verdict {
    let mut findings = Vec::new();
    for (parameter, holder) in [
        ("ModelApiKey", "StepFunction"),
        ("AdminToken", "IngressFunction"),
    ] {
        for function in template.functions() {
            let holds = function_references(template, &function).contains(&parameter);
            if holds != (function.name == holder) {
                findings.push(format!("{parameter}: {} ({holds})", function.name));
            }
        }
    }
    verdict(
        "Only the step function speaks to the model and only the ingress function checks the admin \
         token, so nobody else holds either.",
        &findings,
    )
}

/// The step function never sends a reply itself.
pub(crate) fn replies_go_through_the_delivery_queue(template: &Template) -> Verdict {
    let mut findings = Vec::new();
    for function in template.functions() {
        let environment = template.environment(&function);
        let inline = environment
            .iter()
            .find(|(name, _)| *name == "OPENEVE_DELIVERY_INLINE");
        let inline = inline.map(|(_, value)| *value);
        let text = inline.and_then(Value::as_str);
        if text.is_some_and(|text| text != "false") || (text.is_none() && inline.is_some()) {
            findings.push(format!("{}: {inline:?}", function.name));
        }
        if function.name == "StepFunction" && inline.is_none() {
            findings.push("StepFunction: not set, and the default is true".to_owned());
        }
    }
    verdict(
        "OPENEVE_DELIVERY_INLINE is the text 'false': on Lambda a reply is sent by the delivery \
         function, which retries it without paying for a step.",
        &findings,
    )
}

/// CloudFormation shows a parameter to everyone who may look, unless it is told not to.
pub(crate) fn secret_parameters_are_not_shown(template: &Template) -> Verdict {
    let mut findings = Vec::new();
    for parameter in secret_parameters(template) {
        if template.at(&["Parameters", parameter, "NoEcho"]) != Some(&Value::Bool(true)) {
            findings.push(format!("{parameter}: NoEcho"));
        }
        for (name, output) in template.section("Outputs") {
            if references(output).contains(&parameter) {
                findings.push(format!("output {name} shows {parameter}"));
            }
        }
    }
    verdict(
        "Every parameter that holds or names a secret has NoEcho and is in no output.",
        &findings,
    )
}

/// A variable that no knob declares is read by nobody.
pub(crate) fn variables_are_declared_knobs(template: &Template) -> Verdict {
    let mut findings = Vec::new();
    for function in template.functions() {
        for (name, value) in template.environment(&function) {
            let Some(knob) = KNOBS.iter().find(|knob| knob.name == name) else {
                findings.push(format!("{}: {name} is no knob", function.name));
                continue;
            };
            let secret = references(value)
                .iter()
                .any(|of| secret_parameters(template).contains(of));
            if knob.secret != secret {
                findings.push(format!(
                    "{}: {name} (secret: {})",
                    function.name, knob.secret
                ));
            }
        }
    }
    verdict(
        "Every variable is a knob of the runtime's registry, and a secret knob is fed by a secret \
         parameter: the functions resolve an ARN in secret knobs only.",
        &findings,
    )
}

/// The parameters that hold or name a secret, by their names.
fn secret_parameters(template: &Template) -> Vec<&str> {
    const MARKS: [&str; 5] = ["DatabaseUrl", "Key", "Password", "Secret", "Token"];
    let parameters = template
        .section("Parameters")
        .into_iter()
        .map(|(name, _)| name);
    parameters
        .filter(|name| MARKS.iter().any(|mark| name.contains(mark)))
        .collect()
}
