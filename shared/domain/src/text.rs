//! Texts cut to a bound without tearing a character.

/// The longest prefix of at most `bytes_max` bytes.
pub fn prefix(text: &str, bytes_max: usize) -> &str {
    if text.len() <= bytes_max {
        return text;
    }
    let end = (0..=bytes_max)
        .rev()
        .find(|end| text.is_char_boundary(*end))
        .unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

/// The longest suffix of at most `bytes_max` bytes.
pub fn suffix(text: &str, bytes_max: usize) -> &str {
    if text.len() <= bytes_max {
        return text;
    }
    let begin = text.len() - bytes_max;
    let begin = (begin..=text.len())
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len());
    text.get(begin..).unwrap_or_default()
}

/// Keeps head and tail of a text that is too long, with a line between that says what is missing.
pub fn head_and_tail(text: &str, bytes_max: usize) -> String {
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    let side = bytes_max.saturating_sub(96) / 2;
    let (head, tail) = (prefix(text, side), suffix(text, side));
    let missing = text.len() - head.len() - tail.len();
    format!(
        "{head}\n[… {missing} of {} bytes left out …]\n{tail}",
        text.len()
    )
}

/// JSON text in which every escape of half a surrogate pair stands for U+FFFD, so that it can be
/// read at all. JavaScript and some models write such halves.
pub fn mend_surrogates(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let taken = match unit(escape) {
            Some(0xD800..=0xDBFF) => match escape.get(6..).and_then(unit) {
                Some(0xDC00..=0xDFFF) => 12,
                _ => 0,
            },
            Some(0xDC00..=0xDFFF) => 0,
            // The backslash and what it escapes; the digits behind a `u` are ordinary text.
            _ => 2,
        };
        let kept = if taken == 0 {
            "\\ufffd"
        } else {
            prefix(escape, taken)
        };
        out.push_str(kept);
        rest = escape.get(kept.len().max(1)..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// The UTF-16 unit that an escape at the start of a text stands for.
fn unit(escape: &str) -> Option<u16> {
    let digits = escape.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_cut_text_is_never_longer_than_its_bound(text in ".{0,400}", max in 100_usize..300) {
            prop_assert!(head_and_tail(&text, max).len() <= max);
            prop_assert!(text.starts_with(prefix(&text, max)));
            prop_assert!(text.ends_with(suffix(&text, max)));
        }
    }

    #[test]
    fn a_short_text_is_left_alone() {
        assert_eq!(head_and_tail("short", 100), "short");
    }

    #[test]
    fn half_a_surrogate_pair_is_mended_and_a_whole_one_is_kept() {
        let mended = |json: &str| serde_json::from_str::<String>(&mend_surrogates(json)).unwrap();
        assert_eq!(mended(r#""a\ud800b""#), "a\u{fffd}b");
        assert_eq!(mended(r#""\udc00\ud83e\udd80""#), "\u{fffd}\u{1f980}");
        assert_eq!(mended(r#""\ud800\ud83e\udd80""#), "\u{fffd}\u{1f980}");
        assert_eq!(
            mended(r#""\\ud800 and \n and \"""#),
            "\\ud800 and \n and \""
        );
        assert_eq!(mended(r#""plain é""#), "plain é");
    }
}
