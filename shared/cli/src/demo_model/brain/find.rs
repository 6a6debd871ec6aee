//! Finds times, dates, instants, numbers and names in a text.

use super::words::stem;

/// Something found, with the stems of the words right before it, nearest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// In its normal form.
    pub(super) value: String,
    before: Vec<String>,
}

const NUMBERS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];

/// Times of day as `HH:MM`: `9:30`, `7 pm`, `7:30pm`, both ends of `10:00–20:00`, and the time in
/// an instant.
pub(super) fn times(text: &str) -> Vec<Found> {
    let text = without_instants(text, |instant| instant.get(11..16).unwrap_or_default());
    let tokens = tokens(&text);
    let time_at = |at: usize| time(tokens.get(at)?, tokens.get(at + 1).copied());
    let mut found: Vec<Found> = Vec::new();
    for at in 0..tokens.len() {
        let Some(value) = time_at(at) else { continue };
        let mut before = before(&tokens, at);
        if is_range_end(&tokens, at, &time_at) {
            before.splice(0..0, ["clos", "end", "last"].map(str::to_owned));
            if let Some(start) = found.last_mut() {
                start
                    .before
                    .splice(0..0, ["open", "start", "first"].map(str::to_owned));
            }
        }
        found.push(Found { value, before });
    }
    found
}

/// Times of day that somebody names as a wish: no instants, and not "it is 14:10".
pub(super) fn wished_times(text: &str) -> Vec<Found> {
    let is_present = |found: &Found| {
        let before: Vec<&str> = found.before.iter().map(String::as_str).collect();
        matches!(
            before.as_slice(),
            ["is" | "s", "it" | "now" | "tim", ..] | ["now", ..]
        )
    };
    times(&without_instants(text, |_| ""))
        .into_iter()
        .filter(|found| !is_present(found))
        .collect()
}

/// Dates as `YYYY-MM-DD`.
pub(super) fn dates(text: &str) -> Vec<Found> {
    let tokens = tokens(text);
    let date = |(at, token): (usize, &&str)| {
        let date = token.get(..10).filter(|date| is_date(date))?;
        Some(Found {
            value: date.to_owned(),
            before: before(&tokens, at),
        })
    };
    tokens.iter().enumerate().filter_map(date).collect()
}

/// Instants with their offset, verbatim.
pub(super) fn instants(text: &str) -> Vec<Found> {
    let found = |value: &&str| Found {
        value: (*value).to_owned(),
        before: Vec::new(),
    };
    instant_texts(text).iter().map(found).collect()
}

/// Whole numbers that are no part of a time or date, in digits or as a word up to twelve, each
/// with the stems of its neighbours.
pub(super) fn integers(text: &str) -> Vec<(i64, Vec<String>)> {
    let text = without_instants(text, |_| "");
    let tokens = tokens(&text);
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if time(token, tokens.get(at + 1).copied()).is_some() {
            continue;
        }
        let lower = token.to_lowercase();
        if let Some(number) = lower.parse::<i64>().ok().or_else(|| number_word(&lower)) {
            let mut near = before(&tokens, at);
            near.extend(tokens.get(at + 1).map(|next| stem(next)));
            found.push((number, near));
        }
    }
    // "one" is mostly no number; digits and clearer words go first.
    found.sort_by_key(|(number, _)| *number == 1 && !text.contains('1'));
    found
}

/// The one whose words before it were said most, the first if none was.
pub(super) fn nearest(found: Vec<Found>, said: &[String]) -> Option<String> {
    let weight = |found: &Found| -> usize {
        let heard = found
            .before
            .iter()
            .zip((1..=6_usize).rev())
            .filter(|(word, _)| said.contains(word));
        heard.map(|(_, weight)| weight).sum()
    };
    // The first of equals, so the search runs backwards.
    found
        .into_iter()
        .rev()
        .max_by_key(weight)
        .map(|found| found.value)
}

/// Cuts at blanks and punctuation, but keeps `:` and `-` inside, as times and dates have them.
pub(super) fn tokens(text: &str) -> Vec<&str> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, ':' | '-')))
        .flat_map(range_ends)
        .map(|token| token.trim_matches([':', '-']))
        .filter(|token| !token.is_empty())
        .collect()
}

/// Cuts `10:00-20:00` and `name:Ada` in two, and leaves dates and hyphenated words whole.
fn range_ends(token: &str) -> impl Iterator<Item = &str> {
    let is_range = token.contains(':') && !token.get(..10).is_some_and(is_date);
    let listed = token
        .split_once(':')
        .filter(|(name, _)| is_alphabetic(name));
    let cut = if is_range {
        listed.or_else(|| token.split_once('-'))
    } else {
        None
    };
    let (first, second) = cut.unwrap_or((token, ""));
    [first, second].into_iter()
}

/// Whether a word, lower case, is a number.
pub(super) fn is_number_word(word: &str) -> bool {
    NUMBERS.contains(&word)
}

fn number_word(lower: &str) -> Option<i64> {
    let number = NUMBERS.iter().position(|word| *word == lower)?;
    i64::try_from(number).ok()
}

/// Whether a token is a word and no number.
pub(super) fn is_alphabetic(token: &str) -> bool {
    token.chars().all(|c| c.is_alphabetic() || c == '-')
}

fn before(tokens: &[&str], at: usize) -> Vec<String> {
    let words = tokens
        .iter()
        .take(at)
        .rev()
        .filter(|token| is_alphabetic(token));
    words.take(2).map(|token| stem(token)).collect()
}

/// Whether the time at `at` ends a range: it follows a time, or a time and "to".
fn is_range_end(tokens: &[&str], at: usize, time_at: &impl Fn(usize) -> Option<String>) -> bool {
    let back = |steps: usize| at.checked_sub(steps);
    let is_time = |steps| back(steps).and_then(time_at).is_some();
    let joins = back(1)
        .and_then(|at| tokens.get(at))
        .is_some_and(|word| matches!(*word, "to" | "till" | "until"));
    is_time(1) || (joins && is_time(2))
}

fn time(token: &str, next: Option<&str>) -> Option<String> {
    let lower = token.to_lowercase();
    let next = next.map(str::to_lowercase);
    let (clock, half) = match (
        lower.strip_suffix("am"),
        lower.strip_suffix("pm"),
        next.as_deref(),
    ) {
        (Some(clock), _, _) => (clock, Some(0)),
        (_, Some(clock), _) => (clock, Some(12)),
        (_, _, Some("am")) => (lower.as_str(), Some(0)),
        (_, _, Some("pm")) => (lower.as_str(), Some(12)),
        _ => (lower.as_str(), None),
    };
    let (hour, minute) = match clock.split_once(':') {
        Some((hour, rest)) => (hour, rest.get(..2)?),
        None if half.is_some() => (clock, "00"),
        None => return None,
    };
    let hour: u32 = hour.parse().ok()?;
    let minute: u32 = minute.parse().ok()?;
    let hour = match half {
        Some(plus) if (1..=12).contains(&hour) => hour % 12 + plus,
        Some(_) => return None,
        None => hour,
    };
    (hour < 24 && minute < 60).then(|| format!("{hour:02}:{minute:02}"))
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let digits = |part: &str, length: usize| {
        part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    matches!(parts.as_slice(), [year, month, day] if digits(year, 4) && digits(month, 2) && digits(day, 2))
}

fn instant_texts(text: &str) -> Vec<&str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '+' | '.')))
        .map(|token| token.trim_end_matches(['.', ':', '-']))
        .filter(|token| token.len() >= 17 && token.parse::<jiff::Timestamp>().is_ok())
        .collect()
}

fn without_instants(text: &str, put: impl Fn(&str) -> &str) -> String {
    instant_texts(text)
        .into_iter()
        .fold(text.to_owned(), |rest, instant| {
            rest.replace(instant, put(instant))
        })
}
