//! The known word that a misspelt one most likely meant.

/// The nearest of `known` to `word`, if it is near enough to be worth a guess.
pub(crate) fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let far = (word.chars().count() / 3).max(2);
    known
        .into_iter()
        .map(|candidate| {
            (
                distance(&word.to_lowercase(), &candidate.to_lowercase()),
                candidate,
            )
        })
        .filter(|(distance, _)| *distance <= far)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions and substitutions between two words.
fn distance(one: &str, two: &str) -> usize {
    let two: Vec<char> = two.chars().collect();
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (index, left) in one.chars().enumerate() {
        let mut diagonal = index;
        let mut before = index + 1;
        for (slot, right) in row.iter_mut().skip(1).zip(&two) {
            let best = (diagonal + usize::from(left != *right))
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
    fn distance_counts_single_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "abc"), 0);
        assert_eq!(distance("abc", "ab"), 1);
    }

    #[test]
    fn a_near_word_is_suggested_and_a_far_one_is_not() {
        let known = ["description", "inputSchema", "execute"];
        assert_eq!(nearest("descripton", known), Some("description"));
        assert_eq!(nearest("InputSchema", known), Some("inputSchema"));
        assert_eq!(nearest("colour", known), None);
    }
}
