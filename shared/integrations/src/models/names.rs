//! Tool names on the wire: what the protocol does not allow gets an alias, and is mapped back.
//!
//! The protocol takes `^[a-zA-Z0-9_-]{1,64}$`. A name of another form, such as `files.read all`,
//! refuses the whole request (public cases D1, D2). Its alias ends in a hash of the name, so that
//! two names that look alike after replacing stay two.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use sha2::{Digest, Sha256};

const NAME_CHARS_MAX: usize = 64;
const HASH_CHARS: usize = 8;

/// The names of one request and their forms on the wire.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Aliases {
    to_wire: BTreeMap<String, String>,
    from_wire: BTreeMap<String, String>,
}

impl Aliases {
    /// Gives each name its form on the wire. Allowed names keep theirs.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let names: BTreeSet<&str> = names.into_iter().collect();
        let (allowed, other): (Vec<&str>, Vec<&str>) =
            names.into_iter().partition(|name| is_allowed(name));
        let mut aliases = Self::default();
        for name in allowed {
            aliases.insert(name, name.to_owned());
        }
        for name in other {
            let mut salt = 0_u32;
            let mut wire = alias(name, salt);
            while aliases.from_wire.contains_key(&wire) {
                salt += 1;
                wire = alias(name, salt);
            }
            aliases.insert(name, wire);
        }
        aliases
    }

    /// The form on the wire; the name itself if it was not given to [`Aliases::new`].
    pub fn wire<'a>(&'a self, name: &'a str) -> &'a str {
        self.to_wire.get(name).map_or(name, String::as_str)
    }

    /// The name behind a form on the wire; the text itself if the model made it up.
    pub fn name<'a>(&'a self, wire: &'a str) -> &'a str {
        self.from_wire.get(wire).map_or(wire, String::as_str)
    }

    fn insert(&mut self, name: &str, wire: String) {
        self.from_wire.insert(wire.clone(), name.to_owned());
        self.to_wire.insert(name.to_owned(), wire);
    }
}

fn is_allowed(name: &str) -> bool {
    (1..=NAME_CHARS_MAX).contains(&name.len()) && name.chars().all(is_allowed_char)
}

const fn is_allowed_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

fn alias(name: &str, salt: u32) -> String {
    let head: String = name
        .chars()
        .map(|c| if is_allowed_char(c) { c } else { '_' })
        .take(NAME_CHARS_MAX - HASH_CHARS - 1)
        .collect();
    format!("{head}_{}", hex(&format!("{salt}:{name}"), HASH_CHARS))
}

/// The first digits of a text's SHA-256, lower case.
pub(super) fn hex(text: &str, digits: usize) -> String {
    let mut out = String::new();
    for byte in Sha256::digest(text.as_bytes()) {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
    out.truncate(digits);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allowed_names_keep_theirs() {
        let aliases = Aliases::new(["get_weather", "a-1"]);
        assert_eq!(aliases.wire("get_weather"), "get_weather");
        assert_eq!(aliases.name("a-1"), "a-1");
    }

    #[test]
    fn d1_a_name_with_a_dot_and_a_space_is_allowed_on_the_wire_and_mapped_back() {
        let aliases = Aliases::new(["files.read all", "files_read_all", "files.read.all"]);
        let wires =
            ["files.read all", "files_read_all", "files.read.all"].map(|name| aliases.wire(name));
        assert_eq!(wires.iter().collect::<BTreeSet<_>>().len(), 3, "{wires:?}");
        for wire in wires {
            assert!(is_allowed(wire), "{wire}");
            assert_eq!(aliases.wire(aliases.name(wire)), wire);
        }
    }

    #[test]
    fn d2_a_long_name_is_cut_and_names_that_differ_late_stay_two() {
        let (one, two) = (
            format!("{}_{}1", "s".repeat(40), "t".repeat(39)),
            format!("{}_{}2", "s".repeat(40), "t".repeat(39)),
        );
        let aliases = Aliases::new([one.as_str(), two.as_str()]);
        assert_eq!(aliases.wire(&one).len(), 64);
        assert_ne!(aliases.wire(&one), aliases.wire(&two));
        assert_eq!(aliases.name(aliases.wire(&two)), two);
    }

    #[test]
    fn an_alias_that_is_somebodys_name_gets_another_hash() {
        let taken = alias("a.b", 0);
        let aliases = Aliases::new(["a.b", taken.as_str()]);
        assert_eq!(aliases.name(&taken), taken);
        assert_ne!(aliases.wire("a.b"), taken);
        assert_eq!(aliases.name(aliases.wire("a.b")), "a.b");
    }

    #[test]
    fn an_alias_does_not_depend_on_the_other_names() {
        assert_eq!(
            Aliases::new(["a.b"]).wire("a.b"),
            Aliases::new(["a.b", "z.z", "c"]).wire("a.b")
        );
    }

    #[test]
    fn a_name_the_model_made_up_stays_as_it_is() {
        assert_eq!(Aliases::new(["a"]).name("agent_name_aa"), "agent_name_aa");
    }

    #[test]
    fn an_empty_name_has_an_alias_too() {
        assert!(is_allowed(Aliases::new([""]).wire("")));
    }
}
