//! Rules about queues and what reads them.

use openeve_domain::limits;
use serde_norway::Value;

use super::model::{Resource, Template, at, references};
use crate::repository::{Verdict, verdict};

/// Only the step function may loop: its chain through SQS is how a long run goes on.
pub(crate) fn the_step_function_alone_may_loop(template: &Template) -> Verdict {
    let mut findings = Vec::new();
    for function in template.functions() {
        let loops = function
            .property(&["RecursiveLoop"])
            .and_then(Value::as_str);
        let wanted = (function.name == "StepFunction").then_some("Allow");
        if loops != wanted {
            findings.push(format!(
                "{}: RecursiveLoop is {loops:?}, not {wanted:?}",
                function.name
            ));
        }
    }
    verdict(
        "AWS Lambda cuts a chain of about 16 invocations without an error of the function. The step \
         function's chain is wanted (RecursiveLoop: Allow); everywhere else that stop is a safeguard.",
        &findings,
    )
}

/// One bad message must not bring back the others of its batch.
pub(crate) fn queue_sources_report_partial_failures(template: &Template) -> Verdict {
    let mut findings = Vec::new();
    for (function, event) in queue_sources(template) {
        let types = at(event, &["FunctionResponseTypes"]).and_then(Value::as_sequence);
        let reports =
            types.is_some_and(|types| types.contains(&Value::from("ReportBatchItemFailures")));
        if !reports {
            findings.push(format!("{}: FunctionResponseTypes", function.name));
        }
    }
    verdict(
        "Every SQS event source has ReportBatchItemFailures: without it the functions' answer is \
         ignored, so a message that failed would count as done.",
        &findings,
    )
}

/// A message must not come back while a function may still be working on it, or be throttled.
pub(crate) fn messages_stay_invisible_while_they_may_be_worked_on(template: &Template) -> Verdict {
    let mut findings = Vec::new();
    for (function, event) in queue_sources(template) {
        let timeout = function.number(&["Timeout"]).unwrap_or(u64::MAX);
        let wanted = timeout.saturating_mul(limits::VISIBILITY_FACTOR);
        let queue = template.target(at(event, &["Queue"]));
        let visibility = queue
            .and_then(|queue| queue.number(&["VisibilityTimeout"]))
            .unwrap_or(0);
        if visibility < wanted {
            findings.push(format!(
                "the queue of {}: {visibility} s < {wanted} s",
                function.name
            ));
        }
    }
    verdict(
        "A queue's VisibilityTimeout is at least six times its function's Timeout; below that a \
         throttled or slow message is handed out twice and counts towards its death.",
        &findings,
    )
}

/// Throttled receives count, so a queue needs some to spare.
pub(crate) fn messages_get_enough_receives(template: &Template) -> Verdict {
    let mut findings = Vec::new();
    for queue in working_queues(template) {
        let receives = queue
            .number(&["RedrivePolicy", "maxReceiveCount"])
            .unwrap_or(0);
        if receives < limits::QUEUE_RECEIVES_MAX {
            findings.push(format!("{}: maxReceiveCount is {receives}", queue.name));
        }
    }
    let least = limits::QUEUE_RECEIVES_MAX;
    verdict(
        &format!(
            "Every queue allows at least {least} receives: a throttle uses one up, and a dead \
                  doorbell needs a person."
        ),
        &findings,
    )
}

/// Every queue that is not a dead-letter queue has one, and every dead-letter queue has an alarm.
pub(crate) fn dead_messages_are_kept_and_heard(template: &Template) -> Verdict {
    let mut findings = Vec::new();
    let alarms = template.of_type("AWS::CloudWatch::Alarm");
    let depth = Value::from("ApproximateNumberOfMessagesVisible");
    for queue in working_queues(template) {
        let Some(dead) = template.target(queue.property(&["RedrivePolicy", "deadLetterTargetArn"]))
        else {
            findings.push(format!("{}: no dead-letter queue", queue.name));
            continue;
        };
        let heard = alarms.iter().any(|alarm| {
            alarm.property(&["MetricName"]) == Some(&depth)
                && alarm.number(&["Threshold"]) == Some(0)
                && alarm
                    .property(&["Dimensions"])
                    .is_some_and(|of| references(of).contains(&dead.name))
        });
        if !heard {
            findings.push(format!("{}: no alarm on a depth above 0", dead.name));
        }
    }
    verdict(
        "Every queue has a dead-letter queue and every dead-letter queue an alarm: a message that \
         five receives could not settle is a defect that a person must see.",
        &findings,
    )
}

/// Batches and concurrency are those the limits state, and never below what Lambda accepts.
pub(crate) fn event_sources_are_bounded(template: &Template) -> Verdict {
    let mut findings = Vec::new();
    for function in template.functions() {
        for (name, kind, event) in function.events() {
            let bounded = match kind {
                "SQS" => concurrency(template, event).is_some_and(|(least, usual)| {
                    least >= 2 && Some(usual) == usual_concurrency(function.name)
                }),
                // A schedule has no concurrency of its own; passes that end before the next begins
                // do not pile up.
                "Schedule" => {
                    let interval_ms = match at(event, &["Schedule"]).and_then(Value::as_str) {
                        Some("rate(1 minute)") => limits::TICK_INTERVAL_MS,
                        Some("rate(1 hour)") => limits::SWEEP_INTERVAL_MS,
                        _ => 0,
                    };
                    let timeout_s = function.number(&["Timeout"]).unwrap_or(u64::MAX);
                    timeout_s.saturating_mul(limits::SECOND_MS) < interval_ms
                }
                _ => false,
            };
            if !bounded {
                findings.push(format!("{}: {name} ({kind})", function.name));
            }
        }
    }
    verdict(
        "Every event source has a bound of at least 2 (Lambda accepts no less) that is the limits' \
         default; a schedule's function ends before it fires again. Without a bound a backlog takes \
         the account's concurrency and the database's connections.",
        &findings,
    )
}

/// A step works on one run; deliveries come in small batches.
pub(crate) fn batches_are_those_of_the_limits(template: &Template) -> Verdict {
    let mut findings = Vec::new();
    for (function, event) in queue_sources(template) {
        let wanted = if function.name == "StepFunction" {
            1
        } else {
            limits::DELIVERY_BATCH
        };
        let batch = at(event, &["BatchSize"]).and_then(Value::as_u64);
        if batch != Some(wanted) {
            findings.push(format!(
                "{}: BatchSize is {batch:?}, not {wanted}",
                function.name
            ));
        }
    }
    verdict("BatchSize is what openeve_domain::limits says.", &findings)
}

/// A bell's tenant is its message group; the queues must be of the kind that is fair between groups.
pub(crate) fn queues_are_fair_between_tenants(template: &Template) -> Verdict {
    /// Messages in flight that a tenant has before SQS calls it noisy by its share of them.
    const NOISY_IN_FLIGHT: u64 = 30;
    let mut findings = Vec::new();
    for queue in template.of_type("AWS::SQS::Queue") {
        if queue.property(&["FifoQueue"]).is_some() {
            findings.push(format!("{}: FifoQueue", queue.name));
        }
    }
    for (function, event) in queue_sources(template) {
        let batch = at(event, &["BatchSize"]).and_then(Value::as_u64);
        let usual = concurrency(template, event).map_or(0, |(_, usual)| usual);
        let in_flight = usual.saturating_mul(batch.unwrap_or(0));
        if in_flight <= NOISY_IN_FLIGHT {
            findings.push(format!("{}: {in_flight} messages in flight", function.name));
        }
    }
    verdict(
        "Queues are standard ones: in a FIFO queue a message group is served one message at a time, \
         and takes no delay. Each may by default have more than 30 messages in flight, because SQS \
         looks at a tenant's share of them from 30 on.",
        &findings,
    )
}

/// Each SQS event source with the function that it feeds.
pub(crate) fn queue_sources(template: &Template) -> Vec<(Resource<'_>, &Value)> {
    let mut sources = Vec::new();
    for function in template.functions() {
        sources.extend(
            function
                .queue_events()
                .into_iter()
                .map(|event| (function, event)),
        );
    }
    sources
}

/// Every queue that no other queue names as its dead-letter queue.
fn working_queues(template: &Template) -> Vec<Resource<'_>> {
    let queues = template.of_type("AWS::SQS::Queue");
    let dead: Vec<&str> = queues
        .iter()
        .filter_map(|queue| {
            template.target(queue.property(&["RedrivePolicy", "deadLetterTargetArn"]))
        })
        .map(|queue| queue.name)
        .collect();
    queues
        .into_iter()
        .filter(|queue| !dead.contains(&queue.name))
        .collect()
}

/// The least and the usual concurrency of an SQS event source, through its parameter if it has one.
fn concurrency(template: &Template, event: &Value) -> Option<(u64, u64)> {
    let bound = at(event, &["ScalingConfig", "MaximumConcurrency"])?;
    if let Some(number) = bound.as_u64() {
        return Some((number, number));
    }
    let parameter = super::model::reference(bound)?;
    let read = |key| {
        template
            .at(&["Parameters", parameter, key])
            .and_then(Value::as_u64)
    };
    Some((read("MinValue")?, read("Default")?))
}

/// What the limits say about a function's concurrency.
fn usual_concurrency(function: &str) -> Option<u64> {
    match function {
        "StepFunction" => Some(limits::STEP_CONCURRENCY),
        "DeliveryFunction" => Some(limits::DELIVERY_CONCURRENCY),
        _ => None,
    }
}
