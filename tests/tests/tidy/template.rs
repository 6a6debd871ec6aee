//! Rules of `infra/template.yaml`, each held by a check and each check by a mutant.

mod access;
mod functions;
mod model;
mod mutants;
mod queues;
mod secrets;

use crate::repository::{Verdict, hold};
use model::Template;

/// Expects the template to pass a check as it is in the repository.
#[track_caller]
fn holds(check: fn(&Template) -> Verdict) {
    hold(Template::read().and_then(|template| check(&template)));
}

#[test]
fn the_step_function_alone_may_loop() {
    holds(queues::the_step_function_alone_may_loop);
}

#[test]
fn queue_sources_report_partial_failures() {
    holds(queues::queue_sources_report_partial_failures);
}

#[test]
fn messages_stay_invisible_while_they_may_be_worked_on() {
    holds(queues::messages_stay_invisible_while_they_may_be_worked_on);
}

#[test]
fn messages_get_enough_receives() {
    holds(queues::messages_get_enough_receives);
}

#[test]
fn dead_messages_are_kept_and_heard() {
    holds(queues::dead_messages_are_kept_and_heard);
}

#[test]
fn event_sources_are_bounded() {
    holds(queues::event_sources_are_bounded);
}

#[test]
fn batches_are_those_of_the_limits() {
    holds(queues::batches_are_those_of_the_limits);
}

#[test]
fn queues_are_fair_between_tenants() {
    holds(queues::queues_are_fair_between_tenants);
}

#[test]
fn permissions_name_their_actions_and_resources() {
    holds(access::permissions_name_their_actions_and_resources);
}

#[test]
fn functions_may_use_the_queues_they_know() {
    holds(access::functions_may_use_the_queues_they_know);
}

#[test]
fn functions_may_read_the_secrets_they_hold() {
    holds(secrets::functions_may_read_the_secrets_they_hold);
}

#[test]
fn functions_may_write_their_own_log() {
    holds(access::functions_may_write_their_own_log);
}

#[test]
fn each_key_has_one_holder() {
    holds(secrets::each_key_has_one_holder);
}

#[test]
fn replies_go_through_the_delivery_queue() {
    holds(secrets::replies_go_through_the_delivery_queue);
}

#[test]
fn secret_parameters_are_not_shown() {
    holds(secrets::secret_parameters_are_not_shown);
}

#[test]
fn timeouts_are_those_of_the_limits() {
    holds(functions::timeouts_are_those_of_the_limits);
}

#[test]
fn archives_lie_beside_the_template() {
    holds(functions::archives_lie_beside_the_template);
}

#[test]
fn every_function_has_its_own_log_with_a_retention() {
    holds(functions::every_function_has_its_own_log_with_a_retention);
}

#[test]
fn backlog_alarms_wait_longer_than_any_delay() {
    holds(functions::backlog_alarms_wait_longer_than_any_delay);
}

#[test]
fn the_bucket_is_private_and_retained() {
    holds(functions::the_bucket_is_private_and_retained);
}

#[test]
fn every_parameter_is_described_and_grouped() {
    holds(functions::every_parameter_is_described_and_grouped);
}

#[test]
fn variables_are_declared_knobs() {
    holds(secrets::variables_are_declared_knobs);
}
