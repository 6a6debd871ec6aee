//! Rules about the functions, their logs, the bucket and what a person sees.

use openeve_domain::limits;
use serde_norway::Value;

use super::model::{Template, at, entries, list, references};
use super::queues::queue_sources;
use crate::repository::{Verdict, verdict};

/// The functions and the time-outs that the limits give them.
const TIMEOUTS_MS: [(&str, u64); 5] = [
    ("IngressFunction", limits::INGRESS_FUNCTION_TIMEOUT_MS),
    ("TickFunction", limits::TICK_FUNCTION_TIMEOUT_MS),
    ("StepFunction", limits::STEP_FUNCTION_TIMEOUT_MS),
    ("DeliveryFunction", limits::DELIVERY_FUNCTION_TIMEOUT_MS),
    ("SweepFunction", limits::SWEEP_FUNCTION_TIMEOUT_MS),
];

/// A function that is cut earlier than its code expects loses the margin that a clean release needs.
pub(crate) fn timeouts_are_those_of_the_limits(template: &Template) -> Verdict {
    let mut findings = Vec::new();
    let functions = template.functions();
    for (name, timeout_ms) in TIMEOUTS_MS {
        let function = functions.iter().find(|function| function.name == name);
        let timeout = function.and_then(|function| function.number(&["Timeout"]));
        if timeout.map(|seconds| seconds * limits::SECOND_MS) != Some(timeout_ms) {
            findings.push(format!(
                "{name}: Timeout is {timeout:?}, the limit is {timeout_ms} ms"
            ));
        }
    }
    if functions.len() != TIMEOUTS_MS.len() {
        findings.push(format!(
            "{} functions, not {}",
            functions.len(),
            TIMEOUTS_MS.len()
        ));
    }
    verdict(
        "Each function's Timeout is the one in openeve_domain::limits, which its code plans with.",
        &findings,
    )
}

/// `openeve build` writes the archives beside the template.
pub(crate) fn archives_lie_beside_the_template(template: &Template) -> Verdict {
    let mut findings = Vec::new();
    for function in template.functions() {
        let name = function.name.trim_end_matches("Function").to_lowercase();
        let archive = function.property(&["CodeUri"]).and_then(Value::as_str);
        if archive != Some(format!("./{name}.zip").as_str()) {
            findings.push(format!("{}: CodeUri is {archive:?}", function.name));
        }
    }
    verdict(
        "CodeUri is ./<name>.zip, because the build copies the template beside them.",
        &findings,
    )
}

/// A log group that nobody declared is kept, and paid for, for ever.
pub(crate) fn every_function_has_its_own_log_with_a_retention(template: &Template) -> Verdict {
    let mut findings = Vec::new();
    let mut used = Vec::new();
    for function in template.functions() {
        let group = template.target(function.property(&["LoggingConfig", "LogGroup"]));
        let kept = group.and_then(|group| group.property(&["RetentionInDays"]));
        match group {
            Some(group) if kept.is_some() && !used.contains(&group.name) => used.push(group.name),
            Some(group) => findings.push(format!(
                "{}: {} is shared or kept",
                function.name, group.name
            )),
            None => findings.push(format!("{}: no log group of the template", function.name)),
        }
    }
    verdict(
        "Every function logs to a declared group of its own with RetentionInDays.",
        &findings,
    )
}

/// A doorbell that is delayed on purpose, and the work on it, are no backlog.
pub(crate) fn backlog_alarms_wait_longer_than_any_delay(template: &Template) -> Verdict {
    let mut findings = Vec::new();
    for (function, event) in queue_sources(template) {
        let timeout = function.number(&["Timeout"]).unwrap_or(0);
        let wanted = limits::DOORBELL_DELAY_MS_MAX / limits::SECOND_MS + timeout;
        let queue = template
            .target(at(event, &["Queue"]))
            .map(|queue| queue.name);
        let threshold = template
            .of_type("AWS::CloudWatch::Alarm")
            .into_iter()
            .filter(|alarm| {
                alarm.property(&["MetricName"])
                    == Some(&Value::from("ApproximateAgeOfOldestMessage"))
            })
            .find(|alarm| {
                alarm.property(&["Dimensions"]).map(references).as_deref()
                    == queue.as_ref().map(std::slice::from_ref)
            })
            .and_then(|alarm| alarm.number(&["Threshold"]));
        if threshold.is_none_or(|threshold| threshold < wanted) {
            findings.push(format!(
                "{}: {threshold:?}, at least {wanted} s",
                function.name
            ));
        }
    }
    verdict(
        "The age alarm of a queue exceeds the longest delay plus one time-out.",
        &findings,
    )
}

/// What paused runs need later must survive mistakes and strangers.
pub(crate) fn the_bucket_is_private_and_retained(template: &Template) -> Verdict {
    let mut findings = Vec::new();
    let buckets = template.of_type("AWS::S3::Bucket");
    for bucket in &buckets {
        for policy in ["DeletionPolicy", "UpdateReplacePolicy"] {
            if at(bucket.body, &[policy]) != Some(&Value::from("Retain")) {
                findings.push(format!("{}: {policy} is not Retain", bucket.name));
            }
        }
        let block = entries(bucket.property(&["PublicAccessBlockConfiguration"]));
        if block.len() != 4 || block.iter().any(|(_, value)| **value != Value::Bool(true)) {
            findings.push(format!(
                "{}: public access is not blocked whole",
                bucket.name
            ));
        }
        if bucket.property(&["BucketEncryption"]).is_none() {
            findings.push(format!("{}: no BucketEncryption", bucket.name));
        }
    }
    if buckets.len() != 1 {
        findings.push(format!("{} buckets", buckets.len()));
    }
    verdict(
        "The one bucket is encrypted, private, and kept when the stack goes.",
        &findings,
    )
}

/// Whoever deploys sees every parameter, explained, in a group.
pub(crate) fn every_parameter_is_described_and_grouped(template: &Template) -> Verdict {
    let mut findings = Vec::new();
    let groups = template.at(&[
        "Metadata",
        "AWS::CloudFormation::Interface",
        "ParameterGroups",
    ]);
    let grouped: Vec<&str> = list(groups)
        .into_iter()
        .flat_map(|group| list(at(group, &["Parameters"])))
        .filter_map(Value::as_str)
        .collect();
    for (name, parameter) in template.section("Parameters") {
        if at(parameter, &["Description"]).is_none() {
            findings.push(format!("{name}: no Description"));
        }
        if grouped.iter().filter(|known| **known == name).count() != 1 {
            findings.push(format!("{name}: not in exactly one parameter group"));
        }
    }
    verdict(
        "Every parameter has a Description and a place in the interface's groups.",
        &findings,
    )
}
