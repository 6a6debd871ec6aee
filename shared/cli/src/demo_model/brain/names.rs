//! Finds what a message calls by name: persons, places, subjects.

use super::find::{is_alphabetic, tokens};
use super::words::{is_stop, stem};

/// A person's name: what follows "under", "name is" or "I am", or capitalised words after "for".
pub(super) fn person(text: &str) -> Option<String> {
    let tokens = tokens(text);
    let lower: Vec<String> = tokens.iter().map(|token| token.to_lowercase()).collect();
    let word = |at: usize| lower.get(at).map_or("", String::as_str);
    for at in 0..tokens.len() {
        let after = match (word(at), word(at + 1), word(at + 2)) {
            ("under", "the", "name") => at + if word(at + 3) == "of" { 4 } else { 3 },
            ("name", "is", _) | ("i", "am", _) => at + 2,
            ("under", _, _) => at + 1,
            _ => continue,
        };
        let plain = || {
            tokens
                .get(after)
                .filter(|token| is_alphabetic(token))
                .map(|token| (*token).to_owned())
        };
        if let Some(name) = capitalised(&tokens, after).or_else(plain) {
            return Some(name);
        }
    }
    (0..tokens.len())
        .filter(|at| word(*at) == "for")
        .find_map(|at| capitalised(&tokens, at + 1))
}

/// What a message is about: what stands in quotes, else capitalised words inside a sentence that
/// are no person, else the words after "the", "at", "in" or "of" up to one that the tool knows.
pub(super) fn subject(text: &str, known: &[String]) -> Option<String> {
    quoted(text)
        .map(str::to_owned)
        .or_else(|| proper(text))
        .or_else(|| after_article(text, known))
}

fn quoted(text: &str) -> Option<&str> {
    let pairs = [('"', '"'), ('“', '”'), ('«', '»')];
    pairs.into_iter().find_map(|(open, close)| {
        let inside = text.split_once(open)?.1.split_once(close)?.0.trim();
        (!inside.is_empty()).then_some(inside)
    })
}

fn proper(text: &str) -> Option<String> {
    let person = person(text);
    text.split_inclusive(['.', '!', '?', ';', ':', '\n'])
        .find_map(|sentence| {
            let tokens = tokens(sentence);
            (1..tokens.len())
                .filter_map(|at| capitalised(&tokens, at))
                .find(|run| {
                    !is_stop(&run.to_lowercase())
                        && person
                            .as_deref()
                            .is_none_or(|person| !person.contains(run.as_str()))
                })
        })
}

fn after_article(text: &str, known: &[String]) -> Option<String> {
    let tokens = tokens(text);
    let run_after = |at: usize| {
        let is_subject = |token: &&&str| {
            is_alphabetic(token) && !is_stop(&token.to_lowercase()) && !known.contains(&stem(token))
        };
        let run: Vec<&str> = tokens
            .iter()
            .skip(at)
            .take_while(is_subject)
            .take(3)
            .copied()
            .collect();
        (!run.is_empty()).then(|| run.join(" "))
    };
    ["the", "at", "in", "of"].into_iter().find_map(|article| {
        let positions = (0..tokens.len()).filter(|at| {
            tokens
                .get(*at)
                .is_some_and(|token| token.to_lowercase() == article)
        });
        positions.map(|at| at + 1).find_map(run_after)
    })
}

fn capitalised(tokens: &[&str], from: usize) -> Option<String> {
    let is_name = |token: &&&str| {
        let is_long = token.len() > 1;
        is_long && is_alphabetic(token) && token.chars().next().is_some_and(char::is_uppercase)
    };
    let run: Vec<&str> = tokens
        .iter()
        .skip(from)
        .take_while(is_name)
        .take(3)
        .copied()
        .collect();
    (!run.is_empty()).then(|| run.join(" "))
}
