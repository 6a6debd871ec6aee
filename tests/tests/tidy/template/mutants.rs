//! Mutants of the template: each breaks one rule, and the rule's check must say so.

mod access;
mod functions;
mod queues;

use serde_norway::Value;

use super::model::Template;
use crate::repository::{Verdict, hold};

/// A change of the template: where, and what is put there (`None` removes it).
type Mutant<'a> = (&'a [&'a str], Option<&'a str>);

/// Expects the check to accept the template and to refuse it with the mutation.
#[track_caller]
fn notices(check: fn(&Template) -> Verdict, mutant: Mutant<'_>) {
    hold(try_notice(check, mutant));
}

/// What [`notices`] expects, as a verdict.
fn try_notice(check: fn(&Template) -> Verdict, (path, yaml): Mutant<'_>) -> Verdict {
    let mut template = Template::read()?;
    check(&template)?;
    let value = yaml.map(serde_norway::from_str::<Value>).transpose();
    if !template.mutate(path, value.map_err(|error| error.to_string())?) {
        return Err(format!(
            "{path:?} is not in the template, so the mutant proves nothing"
        ));
    }
    match check(&template) {
        Err(_) => Ok(()),
        Ok(()) => Err(format!(
            "the check did not notice {path:?} becoming {yaml:?}"
        )),
    }
}

/// The keys to a resource's property.
macro_rules! property {
    ($resource:literal $(, $key:literal)+) => {
        &["Resources", $resource, "Properties" $(, $key)+]
    };
}
use property;
