//! Words, cut to their stems so that "opening", "opens" and "open" are one.

/// Words that say nothing about what is wanted.
const STOP: [&str; 71] = [
    "a", "about", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "but",
    "by", "can", "could", "did", "do", "does", "for", "from", "give", "had", "has", "have",
    "hello", "hi", "how", "i", "if", "in", "is", "it", "its", "just", "know", "let", "like", "me",
    "my", "no", "not", "of", "on", "one", "or", "our", "please", "so", "that", "the", "then",
    "there", "these", "they", "this", "to", "us", "want", "was", "we", "what", "when", "where",
    "which", "who", "will", "with", "would", "you",
];

/// Stems that occur in many tools' names and so hardly point at one.
const GENERIC: [&str; 16] = [
    "check", "date", "day", "find", "get", "info", "list", "look", "make", "nam", "set", "show",
    "tell", "tim", "today", "us",
];

/// What was said, and what tools call it.
const AKIN: [(&str, &str); 5] = [
    ("clos", "open"),
    ("shut", "open"),
    ("reserv", "book"),
    ("reservation", "book"),
    ("remain", "until"),
];

/// Letters that akin stems share at least.
const AKIN_CHARS_MIN: usize = 4;

/// The stems of a text's words, in order, without those that say nothing.
pub(super) fn words(text: &str) -> Vec<String> {
    all(text)
        .filter(|word| !is_stop(word))
        .map(|word| stem(&word))
        .collect()
}

/// The stem of one word, lower case.
pub(super) fn stem(word: &str) -> String {
    let lower = word.to_lowercase();
    if !lower.is_ascii() || lower.len() < 4 {
        return lower;
    }
    let cut = |suffix: &str, kept_min: usize| {
        lower
            .strip_suffix(suffix)
            .filter(|rest| rest.len() >= kept_min && !rest.ends_with('s'))
    };
    let base = cut("ing", 3)
        .or_else(|| cut("ed", 3))
        .or_else(|| cut("es", 3))
        .or_else(|| cut("s", 3));
    let base = base.unwrap_or(&lower);
    base.strip_suffix('e').unwrap_or(base).to_owned()
}

/// Whether a word, lower case, says nothing.
pub(super) fn is_stop(word: &str) -> bool {
    STOP.contains(&word)
}

/// Stems with those that mean as much when a tool is looked for.
pub(super) fn widened(stems: &[String]) -> Vec<String> {
    let akin = AKIN
        .iter()
        .filter(|(said, _)| stems.iter().any(|stem| stem == said));
    stems
        .iter()
        .cloned()
        .chain(akin.map(|(_, meant)| (*meant).to_owned()))
        .collect()
}

/// A tool's stems with those that ask for it.
pub(super) fn with_askers(mut stems: Vec<String>) -> Vec<String> {
    let askers = AKIN
        .iter()
        .filter(|(_, meant)| stems.iter().any(|stem| stem == meant));
    let askers: Vec<String> = askers.map(|(said, _)| (*said).to_owned()).collect();
    stems.extend(askers);
    stems
}

/// Whether two stems begin alike, as "throw" and "thrower" do: four letters at least, and two
/// thirds of the longer one.
pub(super) fn is_akin(one: &str, other: &str) -> bool {
    let pairs = one.chars().zip(other.chars());
    let shared = pairs.take_while(|(one, other)| one == other).count();
    let longer = one.chars().count().max(other.chars().count());
    shared >= AKIN_CHARS_MIN && shared * 3 >= longer * 2
}

/// Whether a stem occurs in many tools' names.
pub(super) fn is_generic(stem: &str) -> bool {
    GENERIC.contains(&stem)
}

/// Every word, lower case: cut at what is no letter or digit, and where camelCase has a hump.
pub(super) fn all(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .flat_map(humps)
        .map(str::to_lowercase)
}

fn humps(word: &str) -> Vec<&str> {
    let mut cuts = vec![0];
    let mut before = None;
    for (at, c) in word.char_indices() {
        if c.is_uppercase() && before.is_some_and(char::is_lowercase) {
            cuts.push(at);
        }
        before = Some(c);
    }
    cuts.push(word.len());
    let pair = |pair: &[usize]| match pair {
        [from, to] => word.get(*from..*to),
        _ => None,
    };
    cuts.windows(2)
        .filter_map(pair)
        .filter(|part| !part.is_empty())
        .collect()
}
