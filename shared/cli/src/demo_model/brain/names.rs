//! Finds what a message calls by name: persons, places, subjects.

use super::day::is_day;
use super::find::{is_alphabetic, is_number_word, tokens};
use super::words::{is_akin, is_generic, is_stop, stem};

/// Words that announce another argument and are no part of a name.
const MARKERS: [&str; 9] = [
    "name", "named", "called", "under", "for", "guest", "guests", "people", "persons",
];

const QUOTES: [char; 6] = ['"', '“', '”', '„', '«', '»'];

/// Words of a name at most.
const NAME_WORDS_MAX: usize = 3;

/// A person's name: what follows "name", "under", "I am", "named" or "called", capitalised words
/// after "for", or what stands in quotes where no place would. `known` are words of the tool.
pub(super) fn person(text: &str, known: &[String]) -> Option<String> {
    let pieces: Vec<Vec<&str>> = text
        .split(['.', '!', '?', ',', ';', '\n'])
        .map(tokens)
        .collect();
    let first = |marked: fn(&[&str]) -> Option<String>| pieces.iter().find_map(|one| marked(one));
    first(after_name)
        .or_else(|| first(after_called))
        .or_else(|| first(after_for))
        .or_else(|| aside(text, known))
}

/// What a message is about: what stands in quotes, else capitalised words inside a sentence that
/// are no person, else the words after "the", "at", "in" or "of" up to one that the tool knows,
/// else the first words that say something. A tool that takes a person, too, never gets it here.
pub(super) fn subject(text: &str, known: &[String], takes_person: bool) -> Option<String> {
    let person = person(text, known);
    let is_person = |name: &str| {
        person
            .as_deref()
            .is_some_and(|person| person.contains(name))
    };
    quotes(text)
        .map(|(_, inside)| inside)
        .find(|inside| !(takes_person && is_person(inside)))
        .map(str::to_owned)
        .or_else(|| proper(text, &|name| !is_person(name)))
        .or_else(|| after_article(text, known))
        .or_else(|| {
            let any = || proper(text, &|_| true);
            if takes_person { None } else { any() }
        })
        .or_else(|| telling(text, known, &is_person))
}

/// What a message calls by name, person or not.
pub(super) fn anybody(text: &str) -> Option<String> {
    let quoted = quotes(text).map(|(_, inside)| inside.to_owned()).next();
    quoted.or_else(|| proper(text, &|_| true))
}

fn after_name(tokens: &[&str]) -> Option<String> {
    named_after(tokens, |words| match words {
        ["name", "is" | "s" | "of", ..] => Some((2, true)),
        ["name", ..] => Some((1, true)),
        ["under", second, ..] if *second != "the" => Some((1, true)),
        ["i", "am" | "m", ..] => Some((2, false)),
        _ => None,
    })
}

fn after_called(tokens: &[&str]) -> Option<String> {
    named_after(tokens, |words| match words {
        ["named" | "called", ..] => Some((1, true)),
        _ => None,
    })
}

fn after_for(tokens: &[&str]) -> Option<String> {
    named_after(tokens, |words| match words {
        ["for", ..] => Some((1, false)),
        _ => None,
    })
}

/// The name behind a marker, which `marker` finds in lower case: how many words it has, and
/// whether the name may stand in small letters.
fn named_after(
    tokens: &[&str],
    marker: impl Fn(&[&str]) -> Option<(usize, bool)>,
) -> Option<String> {
    let lower: Vec<String> = tokens.iter().map(|token| token.to_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    (0..tokens.len()).find_map(|at| {
        let (length, may_be_small) = marker(lower.get(at..)?)?;
        let small = || {
            let token = tokens.get(at + length).filter(|token| may_be_name(token));
            token.map(|token| (*token).to_owned())
        };
        capitalised(tokens, at + length).or_else(|| if may_be_small { small() } else { None })
    })
}

/// A quotation that follows no verb and no preposition but "for", "by" or "as".
fn aside(text: &str, known: &[String]) -> Option<String> {
    let is_aside = |before: &str| {
        if before.trim_end().ends_with([',', ';', '.']) {
            return true;
        }
        let last = tokens(before).last().map(|word| word.to_lowercase());
        last.is_some_and(|last| {
            let stem = stem(&last);
            let is_place = is_stop(&last) && !is_number_word(&last) || last == "near";
            matches!(last.as_str(), "for" | "by" | "as")
                || !(is_place || is_generic(&stem) || known.contains(&stem))
        })
    };
    quotes(text)
        .find(|(before, _)| is_aside(before))
        .map(|(_, inside)| inside.to_owned())
}

/// What stands in quotes, each with the text since the quotation before.
fn quotes(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts: Vec<&str> = text.split(QUOTES).collect();
    let mut found = Vec::new();
    for part in parts.windows(3).step_by(2) {
        if let [before, inside, _] = part
            && !inside.trim().is_empty()
        {
            found.push((*before, inside.trim()));
        }
    }
    found.into_iter()
}

/// Capitalised words that do not merely begin a sentence.
fn proper(text: &str, is_wanted: &dyn Fn(&str) -> bool) -> Option<String> {
    text.split(['.', '!', '?', '\n']).find_map(|sentence| {
        sentence
            .split([',', ';', ':'])
            .enumerate()
            .find_map(|(number, piece)| {
                let tokens = tokens(piece);
                let from = usize::from(number == 0);
                (from..tokens.len())
                    .filter_map(|at| capitalised(&tokens, at))
                    .find(|run| !is_stop(&run.to_lowercase()) && is_wanted(run))
            })
    })
}

fn after_article(text: &str, known: &[String]) -> Option<String> {
    let tokens = tokens(text);
    let run_after = |at: usize| {
        run(tokens.get(at..).unwrap_or_default(), |token| {
            may_be_name(token) && !known.contains(&stem(token))
        })
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

/// The first words that neither the tool knows nor any sentence has.
fn telling(text: &str, known: &[String], is_person: &dyn Fn(&str) -> bool) -> Option<String> {
    let tokens = tokens(text);
    let is_telling = |token: &str| {
        let stem = stem(token);
        let is_known = known
            .iter()
            .any(|known| *known == stem || is_akin(known, &stem));
        may_be_name(token) && !is_known && !is_generic(&stem) && !is_person(token)
    };
    let from = tokens.iter().position(|token| is_telling(token))?;
    run(tokens.get(from..)?, is_telling)
}

fn capitalised(tokens: &[&str], from: usize) -> Option<String> {
    run(tokens.get(from..)?, |token| {
        let is_large = token.chars().next().is_some_and(char::is_uppercase);
        token.len() > 1 && is_large && is_free(token)
    })
}

fn run(tokens: &[&str], is_part: impl Fn(&str) -> bool) -> Option<String> {
    let parts = tokens.iter().take_while(|token| is_part(token));
    let run: Vec<&str> = parts.take(NAME_WORDS_MAX).copied().collect();
    (!run.is_empty()).then(|| run.join(" "))
}

/// Whether a word may be part of a name in small letters.
fn may_be_name(token: &str) -> bool {
    is_free(token) && !is_stop(&token.to_lowercase())
}

/// Whether a word is no number, no day and announces nothing.
fn is_free(token: &str) -> bool {
    let lower = token.to_lowercase();
    let is_taken = is_day(&lower) || is_number_word(&lower) || MARKERS.contains(&lower.as_str());
    is_alphabetic(token) && !is_taken
}
