//! Rules about the crates, their manifests and the files of the repository.

mod files;
mod graph;
mod manifests;
mod mutants;
mod owners;
mod words;

use crate::repository::{Verdict, hold};
use graph::Workspace;

/// Expects the workspace to pass a check as its manifests are.
#[track_caller]
fn holds(check: fn(&Workspace) -> Verdict) {
    hold(Workspace::read().and_then(|workspace| check(&workspace)));
}

#[test]
fn domain_depends_on_data_crates_only() {
    holds(graph::domain_depends_on_data_crates_only);
}

#[test]
fn integrations_do_no_io() {
    holds(graph::integrations_do_no_io);
}

#[test]
fn crates_depend_in_the_direction_of_the_architecture() {
    holds(graph::crates_depend_in_the_direction_of_the_architecture);
}

#[test]
fn nothing_deployed_carries_the_compiler_the_command_or_the_testkit() {
    holds(graph::nothing_deployed_carries_the_compiler_the_command_or_the_testkit);
}

#[test]
fn ingress_and_tick_link_no_javascript_engine() {
    holds(graph::ingress_and_tick_link_no_javascript_engine);
}

#[test]
fn the_testkit_is_for_development_only() {
    holds(owners::the_testkit_is_for_development_only);
}

#[test]
fn each_sdk_has_one_owner() {
    holds(owners::each_sdk_has_one_owner);
}

#[test]
fn members_take_everything_from_the_workspace() {
    hold(manifests::members_take_everything_from_the_workspace());
}

#[test]
fn the_workspace_pins_every_version() {
    hold(manifests::the_workspace_pins_every_version());
}

#[test]
fn a_function_binary_only_wires() {
    hold(files::a_function_binary_only_wires());
}

#[test]
fn source_files_are_small() {
    hold(files::source_files_are_small());
}

#[test]
fn crates_and_long_modules_say_what_they_are() {
    hold(files::crates_and_long_modules_say_what_they_are());
}

#[test]
fn every_query_has_a_header() {
    hold(files::every_query_has_a_header());
}

#[test]
fn no_file_names_a_registry_or_a_machine() {
    hold(words::no_file_names_a_registry_or_a_machine());
}
