//! Golden: whatever a released version stored or queued, every later one reads and writes the same.
//!
//! `golden/<version>/` is what that version wrote. Files are only ever added: a change that makes
//! one unreadable strands the runs of whoever upgrades.

use std::fs;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::bell::Bell;
use crate::channel::ChannelTurn;
use crate::continuation::Continuation;
use crate::manifest::Manifest;
use crate::pause::{Decision, PauseRequest};

/// Reads a form and writes it again.
type Again = fn(&str) -> Result<String, String>;

/// The forms, each with the beginning of its files' names.
const FORMS: &[(&str, Again)] = &[
    ("bell", |text| {
        Bell::decode(text)
            .map(|bell| bell.encode())
            .map_err(|error| error.to_string())
    }),
    ("continuation", same::<Continuation>),
    ("decision", same::<Decision>),
    ("manifest", same::<Manifest>),
    ("pause", same::<PauseRequest>),
    ("turn", same::<ChannelTurn>),
];

fn same<T: DeserializeOwned + Serialize>(text: &str) -> Result<String, String> {
    let read: T = serde_json::from_str(text).map_err(|error| error.to_string())?;
    serde_json::to_string(&read).map_err(|error| error.to_string())
}

#[test]
fn what_released_versions_wrote_is_read_and_written_the_same() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let mut seen = Vec::new();
    for version in fs::read_dir(root).unwrap() {
        for file in fs::read_dir(version.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let text = fs::read_to_string(&path).unwrap();
            let form = FORMS.iter().find(|(form, _)| name.starts_with(form));
            let (form, read) = form.unwrap_or_else(|| panic!("{name} is of no known form"));
            let written = read(text.trim()).unwrap_or_else(|why| panic!("{name}: {why}"));
            assert_eq!(written, text.trim(), "{name}");
            seen.push(*form);
        }
    }
    for (form, _) in FORMS {
        assert!(seen.contains(form), "there is no golden file of a {form}");
    }
}
