//! Every knob, declared once: name, type, unit, default, bound, since, secret or not.
//!
//! `docs/configuration.md`, the start-up check and the tests of the infrastructure template derive
//! from [`KNOBS`]. The whole configuration is validated before the first event; every problem is
//! reported at once, each with the variable, what is wrong and what to write.

mod knobs;
mod settings;

pub use knobs::{KNOBS, Kind, Knob, reference_page};
pub use settings::{Mode, Settings};

use std::collections::BTreeMap;

/// Everything wrong with a configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the configuration cannot be used:{}", list(.0))]
pub struct ConfigErrors(pub Vec<ConfigError>);

/// One variable that cannot be used. A secret's value is never quoted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {problem}")]
pub struct ConfigError {
    /// The variable.
    pub name: String,
    /// What is wrong and what to write.
    pub problem: String,
}

fn list(errors: &[ConfigError]) -> String {
    errors.iter().fold(String::new(), |text, error| {
        text + "\n  - " + &error.to_string()
    })
}

/// Raw values by knob name, checked against the knob's type and bound.
#[derive(Clone, Default)]
pub struct Values(BTreeMap<&'static str, String>);

impl std::fmt::Debug for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Some are secrets; the names say enough.
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Values {
    /// Reads every declared knob through `lookup`; an empty value counts as unset.
    pub fn read(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigErrors> {
        let mut values = BTreeMap::new();
        let mut errors = Vec::new();
        for knob in KNOBS {
            let names = std::iter::once(knob.name).chain(knob.alias);
            let found = names
                .filter_map(&lookup)
                .map(|value| value.trim().to_owned());
            let Some(value) = found.into_iter().find(|value| !value.is_empty()) else {
                continue;
            };
            match knob.problem(&value) {
                None => {
                    values.insert(knob.name, value);
                }
                Some(problem) => errors.push(ConfigError {
                    name: knob.name.to_owned(),
                    problem,
                }),
            }
        }
        if errors.is_empty() {
            Ok(Self(values))
        } else {
            Err(ConfigErrors(errors))
        }
    }

    /// The value of a knob, or its default; empty if it has neither.
    pub fn text(&self, name: &str) -> String {
        let default = || {
            KNOBS
                .iter()
                .find(|knob| knob.name == name)
                .map_or("", |knob| knob.default)
        };
        self.0
            .get(name)
            .map_or_else(|| default().to_owned(), Clone::clone)
    }

    /// The value of a knob if it was set or has a default.
    pub fn given(&self, name: &str) -> Option<String> {
        Some(self.text(name)).filter(|value| !value.is_empty())
    }

    /// A whole number.
    pub fn number(&self, name: &str) -> u64 {
        self.text(name).parse().unwrap_or(0)
    }

    /// A yes or no.
    pub fn flag(&self, name: &str) -> bool {
        self.text(name) == "true"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Values, ConfigErrors> {
        let pairs: BTreeMap<String, String> = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        Values::read(|name| pairs.get(name).cloned())
    }

    #[test]
    fn every_default_satisfies_its_own_knob() {
        for knob in KNOBS {
            assert!(
                knob.default.is_empty() || knob.problem(knob.default).is_none(),
                "{}",
                knob.name
            );
        }
    }

    #[test]
    fn every_problem_is_reported_at_once_with_its_remedy() {
        let errors =
            read(&[("OPENEVE_STEP_SLICE_MS", "fast"), ("OPENEVE_MODE", "prod")]).unwrap_err();
        assert_eq!(errors.0.len(), 2);
        let text = errors.to_string();
        assert!(
            text.contains("OPENEVE_STEP_SLICE_MS") && text.contains("milliseconds"),
            "{text}"
        );
        assert!(
            text.contains("development") && text.contains("production"),
            "{text}"
        );
    }

    #[test]
    fn a_secret_that_is_wrong_is_not_quoted() {
        let errors = read(&[("OPENEVE_MODEL_BASE_URL", "hunter22")]).unwrap_err();
        assert!(errors.to_string().contains("https://"));
        let knob = Knob {
            secret: true,
            ..KNOBS[0]
        };
        assert!(
            !knob
                .problem("hunter22")
                .unwrap_or_default()
                .contains("hunter22")
        );
    }

    #[test]
    fn an_alias_is_read_when_the_name_is_unset() {
        let values = read(&[("OPENAI_API_KEY", "sk-1")]).unwrap();
        assert_eq!(values.text("OPENEVE_MODEL_API_KEY"), "sk-1");
    }
}
