//! Who may depend on an SDK, and on the testkit.

use super::graph::Workspace;
use crate::repository::{Verdict, verdict};

/// Fakes must not reach production.
pub(crate) fn the_testkit_is_for_development_only(workspace: &Workspace) -> Verdict {
    const TESTS: [&str; 2] = ["openeve-benches", "openeve-tests"];
    let mut findings = Vec::new();
    for (package, needs) in &workspace.normal {
        if needs.contains("openeve-testkit") && !TESTS.contains(&package.as_str()) {
            findings.push(package.clone());
        }
    }
    verdict(
        "openeve-testkit is a dev-dependency, except of the tests and the benchmarks.",
        &findings,
    )
}

/// An SDK's types stay in the crate that adapts it.
pub(crate) fn each_sdk_has_one_owner(workspace: &Workspace) -> Verdict {
    const OWNERS: [(&str, &str); 9] = [
        ("aws-sdk-", "openeve-aws"),
        ("aws-smithy-", "openeve-aws"),
        ("lambda_", "openeve-aws"),
        ("aws_lambda_events", "openeve-aws"),
        ("oxc", "openeve-compiler"),
        ("rolldown", "openeve-compiler"),
        ("rquickjs", "openeve-script"),
        ("tokio-postgres", "openeve-postgres"),
        ("reqwest", "openeve-http"),
    ];
    const TESTS: [&str; 3] = ["openeve-benches", "openeve-testkit", "openeve-tests"];
    let mut findings = Vec::new();
    for (package, needs) in &workspace.normal {
        for (sdk, owner) in OWNERS {
            let used = needs.iter().any(|name| name.starts_with(sdk));
            if used && package != owner && !TESTS.contains(&package.as_str()) {
                findings.push(format!("{package} → {sdk}, which is {owner}'s"));
            }
        }
    }
    verdict(
        "One crate owns each SDK; the others speak to a port.",
        &findings,
    )
}
