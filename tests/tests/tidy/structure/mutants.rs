//! Mutants of the dependency graph: each adds one edge, and the rule's check must say so.

use super::graph::{self, Workspace};
use super::owners;
use crate::repository::{Verdict, hold};

/// Expects the check to accept the workspace and to refuse it with one more dependency.
#[track_caller]
fn notices(check: fn(&Workspace) -> Verdict, package: &str, on: &str) {
    hold(Workspace::read().and_then(|workspace| {
        check(&workspace)?;
        match check(&workspace.with(package, on)) {
            Err(_) => Ok(()),
            Ok(()) => Err(format!("the check did not notice {package} → {on}")),
        }
    }));
}

#[test]
fn an_async_domain_is_noticed() {
    notices(
        graph::domain_depends_on_data_crates_only,
        "openeve-domain",
        "tokio",
    );
}

#[test]
fn integrations_that_open_sockets_are_noticed() {
    notices(
        graph::integrations_do_no_io,
        "openeve-integrations",
        "reqwest",
    );
}

#[test]
fn a_dependency_that_points_up_is_noticed() {
    let check = graph::crates_depend_in_the_direction_of_the_architecture;
    notices(check, "openeve-runtime", "openeve-postgres");
    notices(check, "openeve-postgres", "openeve-aws");
    notices(check, "openeve-domain", "openeve-runtime");
}

#[test]
fn a_compiler_carried_through_another_crate_is_noticed() {
    let check = graph::nothing_deployed_carries_the_compiler_the_command_or_the_testkit;
    notices(check, "openeve-http", "openeve-compiler");
}

#[test]
fn an_engine_carried_by_ingress_is_noticed() {
    let check = graph::ingress_and_tick_link_no_javascript_engine;
    notices(check, "openeve-aws", "openeve-script");
}

#[test]
fn a_testkit_that_ships_is_noticed() {
    notices(
        owners::the_testkit_is_for_development_only,
        "openeve-cli",
        "openeve-testkit",
    );
}

#[test]
fn a_second_owner_of_an_sdk_is_noticed() {
    notices(
        owners::each_sdk_has_one_owner,
        "openeve-runtime",
        "aws-sdk-sqs",
    );
}
