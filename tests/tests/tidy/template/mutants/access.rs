//! Mutants of the rules about permissions and secrets.

use super::super::{access, secrets};
use super::{notices, property};

#[test]
fn a_wildcard_permission_is_noticed() {
    let check = access::permissions_name_their_actions_and_resources;
    let policies = property!("TickRole", "Policies");
    let family = "[{PolicyDocument: {Statement: [{Effect: Allow, Action: 'sqs:*', Resource: x}]}}]";
    notices(check, (policies, Some(family)));
    let all = "[{PolicyDocument: {Statement: {Effect: Allow, Action: a:B, Resource: '*'}}}]";
    notices(check, (policies, Some(all)));
    notices(check, (&["Resources", "VpcPolicy", "Condition"], None));
}

#[test]
fn a_function_that_cannot_ring_what_it_knows_is_noticed() {
    let check = access::functions_may_use_the_queues_they_know;
    let variable = property!(
        "TickFunction",
        "Environment",
        "Variables",
        "OPENEVE_STEP_QUEUE_URL"
    );
    notices(check, (variable, None));
    notices(check, (property!("StepRole", "Policies"), Some("[]")));
}

#[test]
fn a_role_that_reads_another_functions_secret_is_noticed() {
    let variable = property!(
        "IngressFunction",
        "Environment",
        "Variables",
        "OPENEVE_ADMIN_TOKEN"
    );
    notices(
        secrets::functions_may_read_the_secrets_they_hold,
        (variable, None),
    );
}

#[test]
fn a_role_that_cannot_write_its_log_is_noticed() {
    let path = property!("TickFunction", "LoggingConfig", "LogGroup");
    notices(
        access::functions_may_write_their_own_log,
        (path, Some("!Ref StepLogGroup")),
    );
}

#[test]
fn a_second_holder_of_the_model_key_is_noticed() {
    let shared = &[
        "Globals",
        "Function",
        "Environment",
        "Variables",
        "OPENEVE_MODE",
    ];
    notices(
        secrets::each_key_has_one_holder,
        (shared, Some("!Ref ModelApiKey")),
    );
}

#[test]
fn inline_delivery_is_noticed() {
    let path = property!(
        "StepFunction",
        "Environment",
        "Variables",
        "OPENEVE_DELIVERY_INLINE"
    );
    notices(secrets::replies_go_through_the_delivery_queue, (path, None));
    notices(
        secrets::replies_go_through_the_delivery_queue,
        (path, Some("'true'")),
    );
}

#[test]
fn a_secret_that_is_shown_is_noticed() {
    let check = secrets::secret_parameters_are_not_shown;
    notices(check, (&["Parameters", "ModelApiKey", "NoEcho"], None));
    notices(
        check,
        (&["Outputs", "MessageUrl", "Value"], Some("!Ref AdminToken")),
    );
}

#[test]
fn a_variable_that_nobody_reads_is_noticed() {
    let check = secrets::variables_are_declared_knobs;
    let path = property!("TickFunction", "Environment", "Variables");
    notices(check, (path, Some("{OPENEVE_TYPO: x}")));
    notices(
        check,
        (path, Some("{OPENEVE_STEP_QUEUE_URL: !Ref DatabaseUrl}")),
    );
}
