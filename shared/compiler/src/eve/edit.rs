//! Changes to a text at places that were read from its syntax tree.

use crate::diagnostic::Span;

/// Changes to one text, made all at once: places are those of the text as it was.
#[derive(Debug, Default)]
pub(super) struct Edits {
    changes: Vec<(usize, usize, String)>,
}

impl Edits {
    pub(super) fn replace(&mut self, span: Span, with: impl Into<String>) {
        self.changes
            .push((span.start as usize, span.end as usize, with.into()));
    }

    pub(super) fn insert(&mut self, at: u32, text: impl Into<String>) {
        self.replace(Span { start: at, end: at }, text);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The text with every change. Of changes that overlap, the one that begins first counts, but
    /// what any of them removes is gone.
    pub(super) fn apply(mut self, text: &str) -> String {
        self.changes
            .sort_by_key(|(start, end, _)| (*start, start != end, std::cmp::Reverse(*end)));
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for (start, end, with) in &self.changes {
            if *start < at {
                if with.is_empty() {
                    at = at.max(*end);
                }
                continue;
            }
            out.push_str(text.get(at..*start).unwrap_or_default());
            out.push_str(with);
            at = *end;
        }
        out.push_str(text.get(at..).unwrap_or_default());
        out
    }
}

/// The place of an object's property with the comma and the white space behind it.
pub(super) fn with_comma(text: &str, property: Span) -> Span {
    let end = property.end as usize;
    let rest = text.get(end..).unwrap_or_default();
    let before_comma = skip(rest, true);
    let Some(after) = rest
        .get(before_comma..)
        .and_then(|rest| rest.strip_prefix(','))
    else {
        return property;
    };
    let behind = before_comma + 1 + skip(after, false);
    Span {
        start: property.start,
        end: u32::try_from(end + behind).unwrap_or(property.end),
    }
}

/// Bytes of white space at the start of a text, and of comments, too, if they are asked for.
fn skip(text: &str, comments: bool) -> usize {
    let mut at = 0;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let white = rest.len() - rest.trim_start().len();
        let rest = rest.get(white..).unwrap_or_default();
        let comment = match (rest.get(..2), comments) {
            (Some("//"), true) => rest.find('\n').map(|end| end + 1),
            (Some("/*"), true) => rest.find("*/").map(|end| end + 2),
            _ => None,
        };
        at += white;
        match comment {
            Some(length) => at += length,
            None => return at,
        }
    }
}

/// The line of a place, from 1.
pub(super) fn line_of(text: &str, at: u32) -> u32 {
    let before = text.get(..at as usize).unwrap_or_default();
    u32::try_from(before.matches('\n').count()).map_or(u32::MAX, |lines| lines.saturating_add(1))
}

/// A text as a TypeScript string.
pub(super) fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_made_at_the_places_of_the_text_as_it_was() {
        let mut edits = Edits::default();
        edits.replace(Span { start: 4, end: 5 }, "four");
        edits.replace(Span { start: 0, end: 1 }, "");
        edits.insert(2, "<");
        edits.replace(Span { start: 3, end: 6 }, "all");
        assert_eq!(edits.apply("0123456"), "1<2all6");
    }

    #[test]
    fn properties_go_with_their_commas_and_something_can_be_put_before_them() {
        for (text, left) in [
            ("{ a: 1, b: 2, c: 3 }", "{ x: 0, a: 1,  }"),
            ("{ a: 1, b: 2, c: 3, }", "{ x: 0, a: 1, }"),
            ("{ a: 1, b: 2 /* b */, c: 3 // c\n , }", "{ x: 0, a: 1, }"),
        ] {
            let mut edits = Edits::default();
            edits.insert(2, "x: 0, ");
            for name in ["b: 2", "c: 3"] {
                let start = u32::try_from(text.find(name).unwrap()).unwrap();
                let span = Span {
                    start,
                    end: start + 4,
                };
                edits.replace(with_comma(text, span), "");
            }
            assert_eq!(edits.apply(text), left);
        }
    }
}
