//! Findings of one cause, told once: what is wrong with forty files for one reason is one thing to do.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::{Code, Diagnostic, Span};

/// A folder that was written for vercel/eve.
pub(crate) const EVE: &str = "eve";
/// What to do with one.
pub(crate) const EVE_HELP: &str = "this is an agent folder of vercel/eve; `openeve import eve FOLDER`, run once, makes one of it that builds";
/// A file that turns off a tool of the framework.
pub(crate) const DISABLED: &str = "disabled";

/// Whether an import is of vercel/eve.
pub(crate) fn is_eve(specifier: &str) -> bool {
    specifier == "eve" || specifier.starts_with("eve/")
}

/// A file and where in it.
type Place = (Option<String>, Option<Span>);

/// Folds findings of one cause into the first of them. They come sorted and stay so.
pub(crate) fn folded(found: &[Diagnostic]) -> Vec<Diagnostic> {
    let of_cause = |cause: &str| {
        let those = found
            .iter()
            .filter(|one| one.cause.as_deref() == Some(cause));
        let files = those.filter_map(|one| one.file.clone());
        files.collect::<BTreeSet<String>>()
    };
    // Whether a name is the framework's is beside the point where the file defines nothing.
    let disabled = of_cause(DISABLED);
    let is_beside = |one: &Diagnostic| {
        let file = one.file.as_ref();
        one.code == Code::BadName && file.is_some_and(|file| disabled.contains(file))
    };
    let mut places: BTreeMap<String, BTreeSet<Place>> = BTreeMap::new();
    let mut kept: Vec<Diagnostic> = Vec::new();
    for one in found.iter().filter(|one| !is_beside(one)) {
        if let Some(cause) = &one.cause {
            let is_first = !places.contains_key(cause);
            let known = places.entry(cause.clone()).or_default();
            known.insert((one.file.clone(), one.span));
            if !is_first {
                continue;
            }
        }
        kept.push(one.clone());
    }
    for one in &mut kept {
        let known = one.cause.as_ref().and_then(|cause| places.get(cause));
        let more = known.map_or(0, |known| known.len().saturating_sub(1));
        if more > 0 {
            one.message = format!("{} (and {more} more)", one.message);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(file: &str, start: u32, cause: Option<&str>) -> Diagnostic {
        let mut one =
            Diagnostic::new(Code::UnresolvedImport, format!("{file} imports x")).in_file(file);
        one.span = Some(Span {
            start,
            end: start + 1,
        });
        one.cause = cause.map(str::to_owned);
        one
    }

    #[test]
    fn places_of_one_cause_are_counted_and_a_place_that_was_told_twice_counts_once() {
        let folded = folded(&[
            found("a.ts", 1, Some("x")),
            found("b.ts", 1, None),
            found("b.ts", 1, Some("x")),
            found("b.ts", 1, Some("x")),
            found("b.ts", 9, Some("x")),
            found("c.ts", 1, Some("y")),
        ]);
        let said: Vec<&str> = folded.iter().map(|one| one.message.as_str()).collect();
        let expected = [
            "a.ts imports x (and 2 more)",
            "b.ts imports x",
            "c.ts imports x",
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn a_file_that_turns_a_tool_off_is_not_told_that_the_tool_is_the_frameworks() {
        let mut name = Diagnostic::new(Code::BadName, "tools/bash.ts cannot name a tool");
        name.file = Some("tools/bash.ts".to_owned());
        let folded = folded(&[name, found("tools/bash.ts", 1, Some(DISABLED))]);
        assert_eq!(folded.len(), 1);
        assert_eq!(
            folded.first().map(|one| one.code),
            Some(Code::UnresolvedImport)
        );
    }
}
