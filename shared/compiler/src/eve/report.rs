//! What became of every file of an eve folder.

use std::fmt::Write as _;

/// What became of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It is in the new folder as it was.
    Copied,
    /// It is in the new folder in `OpenEve`'s words.
    Rewritten,
    /// It was made from what other files say.
    Generated,
    /// It is not in the new folder, because there is nothing in `OpenEve` that it maps onto.
    Unsupported,
    /// It is not in the new folder, because no agent needs it there.
    LeftOut,
}

impl Fate {
    /// As a report calls it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Copied => "copied",
            Self::Rewritten => "rewritten",
            Self::Generated => "generated",
            Self::Unsupported => "unsupported",
            Self::LeftOut => "left out",
        }
    }
}

/// Something to know about one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The line of the old file, from 1.
    pub line: Option<u32>,
    /// What changed, and what to do about it.
    pub text: String,
    /// Whether the new folder does less than the old one until somebody does something.
    pub todo: bool,
}

/// What became of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path in the old folder. None: it is new.
    pub from: Option<String>,
    /// Its path in the new folder. None: it is not there.
    pub to: Option<String>,
    /// What became of it.
    pub fate: Fate,
    /// What there is to know about it.
    pub notes: Vec<Note>,
}

impl Entry {
    /// The path by which a person knows the file.
    fn shown(&self) -> String {
        match (&self.from, &self.to) {
            (Some(from), Some(to)) if from != to => format!("{from} → {to}"),
            (Some(path), _) | (None, Some(path)) => path.clone(),
            (None, None) => String::new(),
        }
    }
}

/// The report as Markdown: first what is left to do, then every file.
pub(super) fn markdown(entries: &[Entry]) -> String {
    let mut text = "# Moved over from eve\n".to_owned();
    let open: Vec<&Entry> = entries
        .iter()
        .filter(|entry| entry.fate == Fate::Unsupported || entry.notes.iter().any(|note| note.todo))
        .collect();
    if open.is_empty() {
        text.push_str("\nNothing is left to do by hand.\n");
    } else {
        text.push_str("\n## Left to do by hand\n\n");
        for entry in open {
            let _infallible = writeln!(text, "- [ ] `{}` ({})", entry.shown(), entry.fate.as_str());
            lines(&mut text, entry, |note| {
                note.todo || entry.fate == Fate::Unsupported
            });
        }
    }
    text.push_str("\n## Every file\n\n| file | what became of it |\n|---|---|\n");
    for entry in entries {
        let _infallible = writeln!(text, "| `{}` | {} |", entry.shown(), entry.fate.as_str());
    }
    let known: Vec<&Entry> = entries
        .iter()
        .filter(|entry| entry.fate != Fate::Unsupported && entry.notes.iter().any(|n| !n.todo))
        .collect();
    if !known.is_empty() {
        text.push_str("\n## What changed\n\n");
        for entry in known {
            let _infallible = writeln!(text, "- `{}`", entry.shown());
            lines(&mut text, entry, |note| !note.todo);
        }
    }
    text
}

fn lines(text: &mut String, entry: &Entry, wanted: impl Fn(&Note) -> bool) {
    for note in entry.notes.iter().filter(|note| wanted(note)) {
        let line = note
            .line
            .map(|line| format!("line {line}: "))
            .unwrap_or_default();
        let _infallible = writeln!(text, "  - {line}{}", note.text);
    }
}
