//! What the shipped template says, for deployments on loopback to say the same.

use openeve_testkit::lambda::RecursiveLoop;
use serde_norway::Value;

use crate::paths::repository;

/// Whether a function of `infra/template.yaml` may feed itself; by its name below `functions/`.
pub fn recursive_loop(function: &str) -> RecursiveLoop {
    let text = std::fs::read_to_string(repository().join("infra/template.yaml")).unwrap();
    let template: Value = serde_norway::from_str(&text).unwrap();
    let (first, rest) = function.split_at(1);
    let id = format!("{}{rest}Function", first.to_uppercase());
    let resource = &template["Resources"][id.as_str()];
    assert!(!resource.is_null(), "the template has no {id}");
    match resource["Properties"]["RecursiveLoop"].as_str() {
        Some("Allow") => RecursiveLoop::Allow,
        Some("Terminate") | None => RecursiveLoop::Terminate,
        Some(other) => panic!("{id}: RecursiveLoop is {other}"),
    }
}
