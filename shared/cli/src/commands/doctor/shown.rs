//! The doctor's findings as people read them.

use openeve_postgres::doctor::{OFFENDERS_COUNTED_MAX, RUNS_MAX, Standing, Verdict};
use openeve_postgres::migrate::State;

use super::{Checked, Clocks};
use crate::output::{answer, visible};

/// A clock that is further off than this fires schedules at the wrong time.
const CLOCK_AHEAD_MS_MAX: i64 = 5_000;

/// One check, with what to do about it.
pub(super) fn check(checked: &Checked) {
    for line in check_lines(checked) {
        answer(&line);
    }
}

fn check_lines(checked: &Checked) -> Vec<String> {
    let invariant = checked.invariant;
    let word = match &checked.verdict {
        Verdict::Ok { .. } => "ok",
        Verdict::Violated { .. } => "VIOLATED",
        Verdict::NotApplicable { .. } => "not applicable",
        Verdict::Unfinished { .. } => "UNFINISHED",
    };
    let mut lines = vec![format!(
        "{:<4} {word:<15} {}",
        invariant.id, invariant.claim
    )];
    let mut more = |text: &str| lines.push(format!("{:20} {}", "", visible(text)));
    match &checked.verdict {
        Verdict::Ok { note } if note.is_empty() => {}
        Verdict::Ok { note: why }
        | Verdict::NotApplicable { why }
        | Verdict::Unfinished { why } => more(why),
        Verdict::Violated { offenders, count } => {
            for one in offenders {
                more(&format!("{}: {}", one.id, one.detail));
            }
            let rest = count.saturating_sub(offenders.len());
            if rest > 0 {
                let least = if *count == OFFENDERS_COUNTED_MAX {
                    "at least "
                } else {
                    ""
                };
                more(&format!("… and {least}{rest} more"));
            }
            more(&format!("excused is {}", invariant.excuses));
            more(&format!("to do: {}", invariant.remedy));
        }
    }
    lines
}

/// Ages, counts and the schema.
pub(super) fn standing(standing: &Standing) {
    answer("");
    answer(&format!(
        "{:<28} {:>8}  oldest",
        "what needs something", "count"
    ));
    for age in &standing.ages {
        let oldest = match (age.oldest_s, &age.oldest_id) {
            (Some(seconds), Some(id)) => format!("{}  {id}", duration(seconds)),
            (Some(seconds), None) => duration(seconds),
            (None, Some(id)) => format!("–  {id}"),
            (None, None) => "–".to_owned(),
        };
        answer(&format!("{:<28} {:>8}  {oldest}", age.kind, age.count));
    }
    answer("");
    for last in &standing.schedules {
        answer(&visible(&format!(
            "schedule {} of {} fired last for {}, {} ago",
            last.schedule,
            last.agent_id,
            last.occurrence_at,
            duration(last.age_s)
        )));
    }
    for kind in ["runs", "deliveries"] {
        answer(&counts(standing, kind));
    }
    let schema = standing
        .schema
        .iter()
        .map(|one| format!("{} ({})", one.id, state(one.state)));
    answer(&format!(
        "schema: {}",
        schema.collect::<Vec<_>>().join(", ")
    ));
}

fn counts(standing: &Standing, kind: &str) -> String {
    let own = standing.counts.iter().filter(|one| one.kind == kind);
    let counts: Vec<String> = own
        .map(|one| format!("{} {}", one.count, one.status))
        .collect();
    let counts = if counts.is_empty() {
        "none".to_owned()
    } else {
        counts.join(", ")
    };
    format!("{kind}, of the newest {RUNS_MAX} runs: {counts}")
}

/// How the two clocks differ.
pub(super) fn clock(clocks: &Clocks) {
    answer(&clock_line(clocks));
}

fn clock_line(clocks: &Clocks) -> String {
    let by = clocks.ahead_ms.abs();
    let side = if clocks.ahead_ms < 0 {
        "behind"
    } else {
        "ahead of"
    };
    let line = format!("clock: the database's is {by} ms {side} this process's");
    if by <= CLOCK_AHEAD_MS_MAX {
        return line;
    }
    format!("{line}; leases follow the database's, schedules the tick's: set the wrong one right")
}

/// The last line: how it all came out.
pub(super) fn outcome(checks: &[Checked]) {
    let of = |word: &str| -> Vec<&str> {
        let some = checks.iter().filter(|one| one.verdict.as_str() == word);
        some.map(|one| one.invariant.id).collect()
    };
    let (violated, unfinished) = (of("violated"), of("unfinished"));
    answer("");
    if violated.is_empty() && unfinished.is_empty() {
        answer("healthy");
    }
    if !violated.is_empty() {
        answer(&format!("violated: {}", violated.join(", ")));
    }
    if !unfinished.is_empty() {
        answer(&format!("not known: {}", unfinished.join(", ")));
    }
}

/// The word for a migration's state.
pub(super) const fn state(state: State) -> &'static str {
    match state {
        State::Applied => "applied",
        State::Pending => "pending",
        State::ChecksumMismatch => "checksum_mismatch",
        State::Unknown => "newer_build",
    }
}

/// A time in the two units that matter.
fn duration(seconds: u64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min {} s", seconds % 60),
        (0, _, _) => format!("{hours} h {} min", minutes % 60),
        (_, _, _) => format!("{days} d {} h", hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use openeve_postgres::doctor::{INVARIANTS, Offender};

    use super::*;

    #[test]
    fn a_violation_names_its_rows_and_what_to_do_and_shows_no_control_characters() {
        let offender = Offender {
            id: "run_1".into(),
            detail: "is\u{1b}[2K wrong".into(),
        };
        let lines = check_lines(&Checked {
            invariant: &INVARIANTS[2],
            verdict: Verdict::Violated {
                offenders: vec![offender],
                count: OFFENDERS_COUNTED_MAX,
            },
        });
        let text = lines.join("\n");
        assert!(text.starts_with("I3   VIOLATED"), "{text}");
        assert!(text.contains("run_1: is\\u{1b}[2K wrong"), "{text}");
        assert!(text.contains("at least 999 more"), "{text}");
        assert!(text.contains("to do: "), "{text}");
    }

    #[test]
    fn a_check_that_holds_is_one_line() {
        let lines = check_lines(&Checked {
            invariant: &INVARIANTS[0],
            verdict: Verdict::Ok {
                note: String::new(),
            },
        });
        assert_eq!(lines.len(), 1);
    }

    #[test]
    fn an_age_is_told_in_two_units() {
        let told = [59, 61, 3_700, 90_000].map(duration);
        assert_eq!(told, ["59 s", "1 min 1 s", "1 h 1 min", "1 d 1 h"]);
    }

    #[test]
    fn a_clock_that_is_off_is_said_to_be() {
        let told = |ahead_ms| {
            let database = jiff::Timestamp::UNIX_EPOCH;
            clock_line(&Clocks { database, ahead_ms })
        };
        assert!(told(-20).ends_with("20 ms behind this process's"));
        assert!(told(60_000).contains("set the wrong one right"));
    }
}
