//! When to try again: full-jitter exponential backoff, bounded, with the provider's word first.

use serde::{Deserialize, Serialize};

use crate::limits::{DELIVERY_BACKOFF_BASE_MS, DELIVERY_BACKOFF_CAP_MS};

/// How a failing call should be treated by whoever made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// May succeed later; the provider may have said when, in milliseconds.
    Retry {
        /// The provider's wish.
        after_ms: Option<u64>,
    },
    /// Will be refused again; ending is the only honest answer.
    Refused,
    /// What came back or was stored makes no sense; a person must look.
    Corrupt,
}

/// The delay before try number `attempt` (1 is the first retry). `jitter` is in `0.0..1.0`.
///
/// The provider's wish wins over the formula and over the cap, but not over the floor. Full jitter spreads a herd evenly
/// over the whole window; half the base is the floor, so that a retry is never immediate.
pub fn backoff_ms(attempt: u64, jitter: f64, after_ms: Option<u64>) -> u64 {
    if let Some(after_ms) = after_ms {
        return after_ms.max(DELIVERY_BACKOFF_BASE_MS / 2);
    }
    let doublings = u32::try_from(attempt.saturating_sub(1))
        .unwrap_or(u32::MAX)
        .min(30);
    let window = DELIVERY_BACKOFF_BASE_MS
        .saturating_mul(1 << doublings)
        .min(DELIVERY_BACKOFF_CAP_MS);
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the window is below 2^20 and jitter is clamped to 0..1"
    )]
    let jittered = (window as f64 * jitter.clamp(0.0, 1.0)) as u64;
    jittered.max(DELIVERY_BACKOFF_BASE_MS / 2)
}

/// Reads a `Retry-After` header: seconds, or an HTTP date relative to `now`. Anything else, a
/// negative wait or a wait over a day is no wish at all (public cases C5).
pub fn retry_after_ms(header: &str, now: jiff::Timestamp) -> Option<u64> {
    const DAY_S: i64 = 24 * 60 * 60;
    let header = header.trim();
    let seconds = if let Ok(seconds) = header.parse::<i64>() {
        seconds
    } else {
        let at = jiff::fmt::rfc2822::DateTimeParser::new()
            .parse_timestamp(header)
            .ok()?;
        at.as_second() - now.as_second()
    };
    (0..=DAY_S)
        .contains(&seconds)
        .then(|| u64::try_from(seconds).unwrap_or(0) * 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_the_cap() {
        assert_eq!(backoff_ms(1, 1.0, None), 2_000);
        assert_eq!(backoff_ms(3, 1.0, None), 8_000);
        assert_eq!(backoff_ms(99, 1.0, None), DELIVERY_BACKOFF_CAP_MS);
    }

    #[test]
    fn a_retry_is_never_immediate() {
        assert_eq!(backoff_ms(1, 0.0, None), 1_000);
        assert_eq!(backoff_ms(1, f64::NAN, None), 1_000);
        assert_eq!(
            backoff_ms(1, 1.0, Some(0)),
            1_000,
            "`Retry-After: 0` is no wish to be stormed"
        );
    }

    #[test]
    fn the_providers_wish_wins() {
        assert_eq!(backoff_ms(1, 1.0, Some(3_600_000)), 3_600_000);
    }

    #[test]
    fn retry_after_is_read_in_both_forms_and_nonsense_is_no_wish() {
        let now: jiff::Timestamp = "2026-10-21T07:27:00Z".parse().unwrap();
        assert_eq!(retry_after_ms("7", now), Some(7_000));
        assert_eq!(
            retry_after_ms("Wed, 21 Oct 2026 07:28:00 GMT", now),
            Some(60_000)
        );
        assert_eq!(retry_after_ms("soon", now), None);
        assert_eq!(retry_after_ms("", now), None);
        assert_eq!(retry_after_ms("-5", now), None);
        assert_eq!(retry_after_ms("999999", now), None);
    }
}
