//! Words that no file of the repository contains.

use crate::repository::{Verdict, files, text, verdict};

/// The lock file names its index by this text and no other, and has no choice.
const INDEX_PIECES: [&str; 4] = [
    "registry+https",
    "://github.com/rust-lang/crates",
    ".io",
    "-index",
];

/// A file that names a package host or a machine's folder works on one machine only.
pub(crate) fn no_file_names_a_registry_or_a_machine() -> Verdict {
    let mut findings = Vec::new();
    for path in files()? {
        let mut content = text(&path)?;
        if path == "Cargo.lock" {
            content = content.replace(&INDEX_PIECES.concat(), "");
        }
        findings.extend(
            forbidden_in(&content)
                .into_iter()
                .map(|word| format!("{path}: {word}")),
        );
        findings.extend(
            forbidden_in(&path)
                .into_iter()
                .map(|word| format!("{path}: {word}")),
        );
    }
    verdict(
        "No file names a package registry's host (the ordinary clients know theirs) or a folder of the \
         machine it was written on.",
        &findings,
    )
}

/// The forbidden words in a text.
fn forbidden_in(content: &str) -> Vec<String> {
    forbidden()
        .into_iter()
        .filter(|word| content.contains(word))
        .collect()
}

/// The forbidden words, in pieces here so that this file passes.
fn forbidden() -> Vec<String> {
    const PIECES: [[&str; 2]; 12] = [
        ["crates", ".io"],
        ["pypi", ".org"],
        ["python", "hosted.org"],
        ["npm", "js.org"],
        ["npm", "js.com"],
        ["deb.", "debian.org"],
        ["proxy.", "golang.org"],
        ["/work", "/main"],
        ["/work", "/shared"],
        ["/work", "/."],
        ["/root", "/.cargo"],
        ["/root", "/.pyenv"],
    ];
    PIECES.iter().map(|pieces| pieces.concat()).collect()
}

#[test]
fn a_registry_in_a_text_is_noticed() {
    let text = ["see https://", "crates", ".io", "/crates/serde"].concat();
    assert_eq!(forbidden_in(&text), vec![["crates", ".io"].concat()]);
}

#[test]
fn an_ordinary_address_is_not_noticed() {
    assert_eq!(
        forbidden_in(concat!("https://docs.example.com/wo", "rk/item")),
        Vec::<String>::new()
    );
}
