//! Mutants of the rules about queues and what reads them.

use super::super::queues;
use super::{notices, property};

#[test]
fn a_step_function_without_recursive_loop_is_noticed() {
    let path = property!("StepFunction", "RecursiveLoop");
    notices(queues::the_step_function_alone_may_loop, (path, None));
    notices(
        queues::the_step_function_alone_may_loop,
        (path, Some("Terminate")),
    );
}

#[test]
fn another_function_that_may_loop_is_noticed() {
    // The key must exist to be replaced, so another property of the function is given up for it.
    let path = &["Resources", "DeliveryFunction", "Properties"];
    notices(
        queues::the_step_function_alone_may_loop,
        (path, Some("{RecursiveLoop: Allow}")),
    );
}

#[test]
fn a_queue_source_that_ignores_partial_failures_is_noticed() {
    let path = property!(
        "StepFunction",
        "Events",
        "Doorbell",
        "Properties",
        "FunctionResponseTypes"
    );
    notices(queues::queue_sources_report_partial_failures, (path, None));
    let path = property!(
        "DeliveryFunction",
        "Events",
        "Doorbell",
        "Properties",
        "FunctionResponseTypes"
    );
    notices(
        queues::queue_sources_report_partial_failures,
        (path, Some("[]")),
    );
}

#[test]
fn a_visibility_below_six_timeouts_is_noticed() {
    let check = queues::messages_stay_invisible_while_they_may_be_worked_on;
    notices(
        check,
        (property!("StepQueue", "VisibilityTimeout"), Some("1799")),
    );
    notices(
        check,
        (property!("DeliveryQueue", "VisibilityTimeout"), None),
    );
    notices(check, (property!("StepFunction", "Timeout"), Some("301")));
}

#[test]
fn too_few_receives_are_noticed() {
    let check = queues::messages_get_enough_receives;
    notices(
        check,
        (
            property!("StepQueue", "RedrivePolicy", "maxReceiveCount"),
            Some("4"),
        ),
    );
    notices(check, (property!("DeliveryQueue", "RedrivePolicy"), None));
}

#[test]
fn a_dead_letter_queue_that_nobody_hears_is_noticed() {
    let check = queues::dead_messages_are_kept_and_heard;
    notices(check, (&["Resources", "StepDeadLetterAlarm"], None));
    notices(check, (property!("DeliveryQueue", "RedrivePolicy"), None));
    notices(
        check,
        (property!("StepDeadLetterAlarm", "Threshold"), Some("10")),
    );
}

#[test]
fn an_unbounded_event_source_is_noticed() {
    let check = queues::event_sources_are_bounded;
    let path = property!(
        "StepFunction",
        "Events",
        "Doorbell",
        "Properties",
        "ScalingConfig"
    );
    notices(check, (path, None));
    notices(
        check,
        (&["Parameters", "StepConcurrency", "MinValue"], Some("1")),
    );
    notices(
        check,
        (
            &["Parameters", "DeliveryConcurrency", "Default"],
            Some("1000"),
        ),
    );
    notices(check, (property!("TickFunction", "Timeout"), Some("60")));
}

#[test]
fn a_batch_of_steps_is_noticed() {
    let path = property!(
        "StepFunction",
        "Events",
        "Doorbell",
        "Properties",
        "BatchSize"
    );
    notices(queues::batches_are_those_of_the_limits, (path, Some("10")));
}

#[test]
fn a_queue_that_serves_tenants_one_message_at_a_time_is_noticed() {
    let check = queues::queues_are_fair_between_tenants;
    let path = &["Resources", "StepQueue", "Properties"];
    notices(check, (path, Some("{FifoQueue: true}")));
    notices(
        check,
        (&["Parameters", "StepConcurrency", "Default"], Some("30")),
    );
}
