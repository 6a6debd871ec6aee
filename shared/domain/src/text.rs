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
}
