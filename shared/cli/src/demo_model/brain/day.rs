//! Days that a message calls by name.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

const NEAR: [&str; 5] = ["today", "tonight", "tomorrow", "next", "coming"];

const WEEKDAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];

/// Whether a word, lower case, names a day or begins to.
pub(super) fn is_day(word: &str) -> bool {
    NEAR.contains(&word) || WEEKDAYS.iter().any(|(name, _)| *name == word)
}

/// The day that the stems of a message name. A weekday is the next one after today.
pub(super) fn named(words: &[String], today: Date) -> Option<Date> {
    let said = |word: &str| words.iter().any(|said| said == word);
    let is_second = |words: &[String]| *words == ["day", "after", "tomorrow"];
    if words.windows(3).any(is_second) {
        return today.checked_add(2.days()).ok();
    }
    if said("tomorrow") {
        return today.checked_add(1.day()).ok();
    }
    if said("today") || said("tonight") {
        return Some(today);
    }
    let (_, weekday) = WEEKDAYS.iter().find(|(name, _)| said(name))?;
    today.nth_weekday(1, *weekday).ok()
}
