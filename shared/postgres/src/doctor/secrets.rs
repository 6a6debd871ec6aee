//! I16: no secret value occurs in any event, checkpoint, message, tool result, delivery or error
//! text.
//!
//! The texts are searched here, not in the database: a value that is sent as a parameter ends up in
//! the log of a server that logs slow statements, which is what the invariant forbids. So the check
//! goes back from the newest run, page by page, until it has read its share of bytes. What it says
//! names variable and row, never the value.

use openeve_domain::ids::RunId;
use openeve_domain::secret::Secret;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::look::{Snapshot, snapshot};
use super::{OFFENDERS_COUNTED_MAX, Offender, RUNS_MAX, Scope, Verdict};
use crate::failure::Failure;
use crate::pool::Pool;
use crate::rows::get;

/// A shorter value is not looked for: it occurs in ordinary words and protects nothing.
pub const SECRET_BYTES_MIN: usize = 8;
/// Bytes of texts that are read.
const TEXT_BYTES_MAX: usize = 128 * 1_024 * 1_024;
/// Runs whose texts are read at once.
const PAGE: usize = 50;

/// A value to look for, as it stands in a text and as it stands in JSON.
struct Wanted<'a> {
    variable: &'a str,
    forms: Vec<String>,
}

/// Looks for the values in the texts of the newest runs.
pub(super) async fn check(pool: &Pool, scope: &Scope) -> Result<Verdict, Failure> {
    let (wanted, left_out) = wanted(&scope.secrets);
    if wanted.is_empty() {
        let mut why = "this process has no secret value to look for; run it with the deployment's \
                       environment"
            .to_owned();
        if !left_out.is_empty() {
            why = format!("{why} ({left_out})");
        }
        return Ok(Verdict::NotApplicable { why });
    }
    snapshot(pool, scope.statement_ms, async |seen| {
        let mut search = Search {
            wanted: &wanted,
            bytes: 0,
            runs: 0,
            found: Vec::new(),
        };
        let runs = newest(seen, scope).await?;
        for page in runs.chunks(PAGE) {
            if search.is_over() {
                break;
            }
            search.read(seen, page).await?;
        }
        let mut note = format!(
            "looked for {} values in the newest {} of {} runs",
            wanted.len(),
            search.runs,
            runs.len()
        );
        if !left_out.is_empty() {
            note = format!("{note}; {left_out}");
        }
        Ok(Verdict::of(search.found, note))
    })
    .await
}

/// What is looked for, and why the rest is not.
fn wanted(secrets: &[(String, Secret)]) -> (Vec<Wanted<'_>>, String) {
    let mut wanted: Vec<Wanted<'_>> = Vec::new();
    let mut short = Vec::new();
    let mut elsewhere = Vec::new();
    for (variable, secret) in secrets {
        let value = secret.reveal().trim();
        if value.starts_with("arn:") {
            elsewhere.push(variable.as_str());
        } else if value.len() < SECRET_BYTES_MIN {
            short.push(variable.as_str());
        } else {
            wanted.push(Wanted {
                variable,
                forms: forms(value),
            });
        }
    }
    let mut left_out = Vec::new();
    if !short.is_empty() {
        left_out.push(format!("too short to look for: {}", short.join(", ")));
    }
    if !elsewhere.is_empty() {
        left_out.push(format!(
            "kept in AWS Secrets Manager, not here: {}",
            elsewhere.join(", ")
        ));
    }
    (wanted, left_out.join("; "))
}

/// A value and, if that differs, what JSON makes of it.
fn forms(value: &str) -> Vec<String> {
    let mut forms = vec![value.to_owned()];
    let quoted = serde_json::Value::from(value).to_string();
    let escaped = quoted.trim_start_matches('"').trim_end_matches('"');
    if escaped != value {
        forms.push(escaped.to_owned());
    }
    forms
}

async fn newest(seen: &Snapshot<'_>, scope: &Scope) -> Result<Vec<Uuid>, Failure> {
    let max = i64::try_from(RUNS_MAX).unwrap_or(i64::MAX);
    let values: [super::look::Bound<'_>; 2] = [(&scope.agent_id, Type::TEXT), (&max, Type::INT8)];
    let sql = include_str!("../sql/doctor_i16_runs.sql");
    let rows = seen.rows(sql, &values).await?;
    rows.iter().map(|row| get(row, "id")).collect()
}

/// What was read and found so far.
struct Search<'a> {
    wanted: &'a [Wanted<'a>],
    bytes: usize,
    runs: usize,
    found: Vec<Offender>,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.bytes >= TEXT_BYTES_MAX || self.found.len() >= OFFENDERS_COUNTED_MAX
    }

    async fn read(&mut self, seen: &Snapshot<'_>, runs: &[Uuid]) -> Result<(), Failure> {
        let sql = include_str!("../sql/doctor_i16_texts.sql");
        seen.each(sql, &[(&runs, Type::UUID_ARRAY)], |row| {
            let text: &str = get(&row, "text")?;
            self.bytes += text.len();
            let run_id = RunId::new(get(&row, "run_id")?);
            let place: &str = get(&row, "place")?;
            self.search(run_id, place, text);
            Ok(())
        })
        .await?;
        self.runs += runs.len();
        Ok(())
    }

    fn search(&mut self, run_id: RunId, place: &str, text: &str) {
        for one in self.wanted {
            if one.forms.iter().any(|form| text.contains(form.as_str())) {
                let detail = format!("the value of {} occurs in {place}", one.variable);
                self.found.push(Offender::new(run_id.to_string(), detail));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(of: &[(&str, &str)]) -> Vec<(String, Secret)> {
        of.iter()
            .map(|(name, value)| ((*name).to_owned(), Secret::new(*value)))
            .collect()
    }

    fn found(value: &str, text: &str) -> Vec<Offender> {
        let secrets = secrets(&[("KEY", value)]);
        let (wanted, _) = wanted(&secrets);
        let mut search = Search {
            wanted: &wanted,
            bytes: 0,
            runs: 0,
            found: Vec::new(),
        };
        search.search(RunId::new(Uuid::from_u128(1)), "event 3", text);
        search.found
    }

    #[test]
    fn a_value_is_found_as_it_is_and_as_json_and_never_shown() {
        let text = serde_json::json!({"said": "the key is a\"b\\c-1234 indeed"}).to_string();
        let found = found("a\"b\\c-1234", &text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].detail, "the value of KEY occurs in event 3");
    }

    #[test]
    fn a_value_that_does_not_occur_is_not_found() {
        assert!(found("sk-live-1234", "sk-live-123").is_empty());
    }

    #[test]
    fn short_values_and_names_of_secrets_are_left_out_and_said() {
        let secrets = secrets(&[
            ("PIN", "1234"),
            ("DB", "arn:aws:secretsmanager:eu-west-1:1:secret:x"),
        ]);
        let (wanted, left_out) = wanted(&secrets);
        assert!(wanted.is_empty());
        assert!(left_out.contains("PIN") && left_out.contains("DB"));
        assert!(!left_out.contains("1234") && !left_out.contains("arn:"));
    }
}
