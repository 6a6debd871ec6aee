//! Mutants of the rules about functions, logs, the bucket and parameters.

use super::super::functions;
use super::{notices, property};

#[test]
fn a_timeout_that_differs_from_its_limit_is_noticed() {
    let path = property!("SweepFunction", "Timeout");
    notices(
        functions::timeouts_are_those_of_the_limits,
        (path, Some("51")),
    );
}

#[test]
fn a_log_without_retention_or_owner_is_noticed() {
    let check = functions::every_function_has_its_own_log_with_a_retention;
    notices(check, (property!("TickLogGroup", "RetentionInDays"), None));
    notices(check, (property!("TickFunction", "LoggingConfig"), None));
    notices(
        check,
        (
            property!("TickFunction", "LoggingConfig", "LogGroup"),
            Some("!Ref StepLogGroup"),
        ),
    );
}

#[test]
fn an_impatient_backlog_alarm_is_noticed() {
    let path = property!("StepBacklogAlarm", "Threshold");
    notices(
        functions::backlog_alarms_wait_longer_than_any_delay,
        (path, Some("600")),
    );
}

#[test]
fn a_bucket_that_dies_with_its_stack_is_noticed() {
    let check = functions::the_bucket_is_private_and_retained;
    notices(
        check,
        (
            &["Resources", "BlobBucket", "DeletionPolicy"],
            Some("Delete"),
        ),
    );
    let path = property!(
        "BlobBucket",
        "PublicAccessBlockConfiguration",
        "BlockPublicAcls"
    );
    notices(check, (path, Some("false")));
}

#[test]
fn an_unexplained_parameter_is_noticed() {
    let path = &["Parameters", "Tracing", "Description"];
    notices(
        functions::every_parameter_is_described_and_grouped,
        (path, None),
    );
}
