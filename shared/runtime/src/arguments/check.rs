//! One schema, compiled, and what it says about arguments.

use std::panic::{AssertUnwindSafe, catch_unwind};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ValidationError, Validator};
use openeve_domain::canonical::sorted;
use serde_json::Value;

use super::{cost, shape, unpack, words};

/// Steps back that a regular expression may take on one string before it gives up.
const BACKTRACKS_MAX: usize = 1_000;
/// Visits of subschemas to find out whether arguments fit.
const VISITS_MAX: usize = 300_000;
/// The same if a regular expression of the schema can backtrack.
const BACKTRACKING_VISITS_MAX: usize = 5_000;
/// The same to find out why they do not fit, which takes longer.
const EXPLAINED_VISITS_MAX: usize = 100_000;
/// Times that strings are replaced by what they hold; each time may bring strings to light.
const UNPACKS_MAX: usize = 4;

/// A tool's schema.
#[derive(Debug)]
pub(super) enum Check {
    /// It can be used.
    Schema(Box<Schema>),
    /// It cannot; says why.
    Unusable(String),
}

/// A schema that can be used.
#[derive(Debug)]
pub(super) struct Schema {
    text: Value,
    validator: Validator,
    visits_max: usize,
}

/// What became of arguments.
#[derive(Debug)]
pub(super) enum Verdict {
    /// They fit, as they are now.
    Fits(Value),
    /// They do not; says why to the model.
    Refused(String),
    /// They could not be checked; says why to the operator.
    Unchecked(Value, String),
}

/// What one look at arguments tells.
enum Finding {
    Fits,
    Refused(String),
    Undecided,
    Unpacked(Value),
}

impl Check {
    /// Compiles a schema. References are not fetched.
    pub(super) fn new(schema: &Value) -> Self {
        if let Err(why) = shape::usable(schema) {
            return Self::Unusable(why);
        }
        // What is told comes in the same order in every build.
        let schema = &sorted(schema.clone());
        // The linear engine knows no look-around and no references back; the other may backtrack.
        let linear = || {
            let patterns = PatternOptions::regex();
            let options = jsonschema::options().with_pattern_options(patterns);
            options.offline().build(schema)
        };
        let backtracking = || {
            let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACKS_MAX);
            let options = jsonschema::options().with_pattern_options(patterns);
            options.offline().build(schema)
        };
        let built = catch_unwind(|| {
            linear()
                .map(|validator| (validator, VISITS_MAX))
                .or_else(|_| backtracking().map(|it| (it, BACKTRACKING_VISITS_MAX)))
        });
        match built {
            Ok(Ok((validator, visits_max))) => Self::Schema(Box::new(Schema {
                text: schema.clone(),
                validator,
                visits_max,
            })),
            Ok(Err(error)) => Self::Unusable(words::cut(&error.to_string(), 300)),
            Err(_) => Self::Unusable("the validator panicked over the schema".to_owned()),
        }
    }

    /// Holds arguments to the schema.
    pub(super) fn run(&self, mut input: Value) -> Verdict {
        let schema = match self {
            Self::Schema(schema) => schema,
            Self::Unusable(why) => return Verdict::Unchecked(input, why.clone()),
        };
        let mut unpacks_left = UNPACKS_MAX;
        loop {
            let look = || schema.look(&input, unpacks_left > 0);
            match catch_unwind(AssertUnwindSafe(look)) {
                Ok(Finding::Fits) => return Verdict::Fits(input),
                Ok(Finding::Refused(why)) => return Verdict::Refused(why),
                Ok(Finding::Unpacked(unpacked)) => input = unpacked,
                Ok(Finding::Undecided) => {
                    let why = "a regular expression of the schema takes too many steps";
                    return Verdict::Unchecked(input, why.to_owned());
                }
                Err(_) => {
                    let why = "the validator panicked over arguments";
                    return Verdict::Unchecked(input, why.to_owned());
                }
            }
            unpacks_left = unpacks_left.saturating_sub(1);
        }
    }
}

impl Schema {
    fn look(&self, input: &Value, may_unpack: bool) -> Finding {
        let Some(visits) = cost::visits(&self.text, input, self.visits_max) else {
            return Finding::Refused(words::TOO_COSTLY.to_owned());
        };
        if self.validator.is_valid(input) {
            return Finding::Fits;
        }
        if visits > EXPLAINED_VISITS_MAX {
            return Finding::Refused(words::UNEXPLAINED.to_owned());
        }
        let errors = self.validator.iter_errors(input);
        let found: Vec<ValidationError<'_>> = errors.filter(is_decided).collect();
        if found.is_empty() {
            return Finding::Undecided;
        }
        let unpacked = may_unpack.then(|| unpack::unpacked(input, &found));
        match unpacked.flatten() {
            Some(unpacked) => Finding::Unpacked(unpacked),
            None => Finding::Refused(words::refusal(&self.text, &found)),
        }
    }
}

/// Whether this is a problem of the arguments, not of a regular expression that gave up.
fn is_decided(error: &ValidationError<'_>) -> bool {
    !matches!(
        error.kind(),
        ValidationErrorKind::BacktrackLimitExceeded { .. }
            | ValidationErrorKind::RegexEngineFailure { .. }
    )
}
