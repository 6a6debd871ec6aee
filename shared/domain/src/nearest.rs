//! The known name that a wrong one most likely meant.

/// Names longer than this are not compared: the work grows with the product of the lengths.
const CHARS_MAX: usize = 64;

/// The nearest of `known` to `word`, if it is near enough to be worth a guess. Case, `_` and `-`
/// do not count: `filePath` is as good as `file_path`.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let word = letters(word)?;
    let far = word.len().div_ceil(3);
    known
        .into_iter()
        .filter_map(|candidate| Some((distance(&word, &letters(candidate)?), candidate)))
        .filter(|(distance, _)| *distance <= far)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// What is compared of a name, if it is short enough.
fn letters(name: &str) -> Option<Vec<char>> {
    let is_letter = |letter: &char| !matches!(letter, '_' | '-' | ' ');
    let letters = name.chars().flat_map(char::to_lowercase).filter(is_letter);
    let letters: Vec<char> = letters.take(CHARS_MAX + 1).collect();
    (1..=CHARS_MAX).contains(&letters.len()).then_some(letters)
}

/// Insertions, deletions and substitutions between two words.
fn distance(one: &[char], two: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (index, left) in one.iter().enumerate() {
        let mut diagonal = index;
        let mut before = index + 1;
        for (slot, right) in row.iter_mut().skip(1).zip(two) {
            let best = (diagonal + usize::from(left != right))
                .min(*slot + 1)
                .min(before + 1);
            diagonal = *slot;
            *slot = best;
            before = best;
        }
        if let Some(first) = row.first_mut() {
            *first = index + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_suggested_and_a_far_one_is_not() {
        let known = ["file_path", "recursive", "limit"];
        assert_eq!(nearest("filePath", known), Some("file_path"));
        assert_eq!(nearest("file-paht", known), Some("file_path"));
        assert_eq!(nearest("Limits", known), Some("limit"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest(&"limit".repeat(1_000_000), known), None);
    }
}
