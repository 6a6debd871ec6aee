//! Which occurrences of a cron expression are due: a pure function of expression, zone and window.
//!
//! A job at a fixed local time fires once when its hour is skipped or repeated by a clock change;
//! the library decides so, and tests hold it to that.

use std::collections::VecDeque;

use croner::Cron;
use croner::parser::{CronParser, Seconds};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use crate::manifest::CatchUp;
use crate::nearest::nearest;

/// Occurrences one pass returns at most: older ones are given up, as an outage's would be.
const OCCURRENCES_MAX: usize = 100;

/// A cron expression or zone that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// The expression is not one.
    #[error("{cron:?} is not a cron expression of five or six fields: {reason}")]
    Cron {
        /// The expression.
        cron: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The zone is not in the zone database.
    #[error("{zone:?} is not an IANA time zone; write one such as \"Europe/Berlin\" or \"UTC\"")]
    Zone {
        /// The zone.
        zone: String,
    },
}

/// The zone that a wrong name most likely meant.
pub fn nearest_zone(zone: &str) -> Option<String> {
    let known: Vec<String> = jiff::tz::db()
        .available()
        .map(|name| name.to_string())
        .collect();
    nearest(zone, known.iter().map(String::as_str)).map(str::to_owned)
}

/// A cron expression in a zone, checked.
#[derive(Debug, Clone)]
pub struct Plan {
    cron: Cron,
    zone: TimeZone,
}

impl Plan {
    /// Reads an expression of five fields, or six with seconds first, and a zone.
    pub fn parse(cron: &str, zone: &str) -> Result<Self, ScheduleError> {
        let parsed = CronParser::builder()
            .seconds(Seconds::Optional)
            .build()
            .parse(cron)
            .map_err(|error| ScheduleError::Cron {
                cron: cron.to_owned(),
                reason: error.to_string(),
            })?;
        let zone = TimeZone::get(zone).map_err(|_| ScheduleError::Zone {
            zone: zone.to_owned(),
        })?;
        Ok(Self { cron: parsed, zone })
    }

    /// Occurrences in `(after, until]`, oldest first; the newest hundred if there are more.
    pub fn occurrences(&self, after: Timestamp, until: Timestamp) -> Vec<Timestamp> {
        let start: Zoned = after.to_zoned(self.zone.clone());
        let mut newest = VecDeque::with_capacity(OCCURRENCES_MAX);
        let all = self.cron.iter_after(start).map(|at| at.timestamp());
        for at in all.take_while(|at| *at <= until).filter(|at| *at > after) {
            if newest.len() == OCCURRENCES_MAX {
                newest.pop_front();
            }
            newest.push_back(at);
        }
        newest.into()
    }

    /// Occurrences to fire now, given how far back the tick looks and its own interval.
    pub fn due(
        &self,
        now: Timestamp,
        lookback_ms: u64,
        interval_ms: u64,
        catch_up: CatchUp,
    ) -> Vec<Timestamp> {
        let back = |ms: u64| {
            let ms = i64::try_from(ms).unwrap_or(i64::MAX);
            now.checked_sub(jiff::SignedDuration::from_millis(ms))
                .unwrap_or(Timestamp::MIN)
        };
        match catch_up {
            CatchUp::All => self.occurrences(back(lookback_ms), now),
            CatchUp::Latest => self
                .occurrences(back(lookback_ms), now)
                .pop()
                .into_iter()
                .collect(),
            // Two intervals: ticks are a little more than one apart now and then, and an
            // occurrence found twice fires once by its key.
            CatchUp::None => self
                .occurrences(back(interval_ms), now)
                .pop()
                .into_iter()
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_missed_window_coalesces_into_its_newest_occurrence() {
        let plan = Plan::parse("*/5 * * * *", "UTC").unwrap();
        let now = at("2026-11-30T12:00:30Z");
        let due = |policy| plan.due(now, 15 * 60_000, 60_000, policy);
        assert_eq!(due(CatchUp::Latest), [at("2026-11-30T12:00:00Z")]);
        assert_eq!(due(CatchUp::All).len(), 3);
        assert_eq!(due(CatchUp::None), [at("2026-11-30T12:00:00Z")]);
        assert!(
            plan.due(
                at("2026-11-30T12:03:30Z"),
                15 * 60_000,
                60_000,
                CatchUp::None
            )
            .is_empty()
        );
    }

    #[test]
    fn a_job_in_the_skipped_hour_fires_once_and_in_the_repeated_hour_once() {
        let plan = Plan::parse("30 2 * * *", "Europe/Berlin").unwrap();
        let spring = plan.occurrences(at("2026-03-28T12:00:00Z"), at("2026-03-29T12:00:00Z"));
        assert_eq!(
            spring,
            [at("2026-03-29T01:00:00Z")],
            "02:30 does not exist; it runs at 03:00 local"
        );
        let autumn = plan.occurrences(at("2026-10-24T12:00:00Z"), at("2026-10-25T12:00:00Z"));
        assert_eq!(autumn.len(), 1, "02:30 exists twice: {autumn:?}");
    }

    #[test]
    fn more_than_a_hundred_missed_occurrences_still_fire_the_newest() {
        let plan = Plan::parse("*/5 * * * * *", "UTC").unwrap();
        let now = at("2026-11-30T12:00:02Z");
        let due = plan.due(now, 15 * 60_000, 60_000, CatchUp::Latest);
        assert_eq!(due, [at("2026-11-30T12:00:00Z")]);
        assert_eq!(plan.due(now, 15 * 60_000, 60_000, CatchUp::All).len(), 100);
    }

    #[test]
    fn a_window_is_open_at_its_start_and_closed_at_its_end() {
        let plan = Plan::parse("0 9 * * *", "UTC").unwrap();
        assert_eq!(
            plan.occurrences(at("2026-11-30T09:00:00Z"), at("2026-12-01T09:00:00Z")),
            [at("2026-12-01T09:00:00Z")]
        );
    }

    #[test]
    fn a_wrong_expression_or_zone_says_what_is_wrong() {
        assert!(
            Plan::parse("61 * * * *", "UTC")
                .unwrap_err()
                .to_string()
                .contains("61 * * * *")
        );
        assert!(
            Plan::parse("* * * * *", "Berlin")
                .unwrap_err()
                .to_string()
                .contains("IANA")
        );
    }
}
