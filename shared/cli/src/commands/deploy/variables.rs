//! Which variables of this environment a host is given.

use openeve_domain::secret::Secret;
use openeve_host::environment;
use openeve_runtime::config::KNOBS;

use super::subject::{Subject, variable};

/// Knobs that mean this machine, or that the container says itself.
const NOT_HANDED_OVER: [&str; 9] = [
    "OPENEVE_ARTIFACT_ROOT",
    "OPENEVE_AWS_ENDPOINT_URL",
    "OPENEVE_DATABASE_CA",
    "OPENEVE_DELIVERY_DEAD_LETTERS_URL",
    "OPENEVE_DELIVERY_QUEUE_URL",
    "OPENEVE_MODE",
    "OPENEVE_POSTGRES_BIN",
    "OPENEVE_STEP_DEAD_LETTERS_URL",
    "OPENEVE_STEP_QUEUE_URL",
];

/// Every knob that is set here, and every variable that the agent's folder names, in order. What is
/// not set here is left to the host.
pub(super) fn handed_over(subject: &Subject) -> Vec<(String, Secret)> {
    let knobs = KNOBS
        .iter()
        .filter(|knob| !NOT_HANDED_OVER.contains(&knob.name))
        .filter_map(|knob| {
            let value = variable(knob.name).or_else(|| knob.alias.and_then(variable))?;
            Some((knob.name.to_owned(), Secret::new(value)))
        });
    let declared = environment::declared(&subject.manifest, &std::collections::BTreeMap::new());
    let mut all: Vec<(String, Secret)> = knobs.chain(declared).collect();
    all.sort_by(|one, other| one.0.cmp(&other.0));
    all.dedup_by(|one, other| one.0 == other.0);
    all
}

/// The names alone.
pub(super) fn names(variables: &[(String, Secret)]) -> Vec<String> {
    variables.iter().map(|(name, _)| name.clone()).collect()
}
