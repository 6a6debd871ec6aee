//! `migrations/`: files for a tool of the author's own, which a deployment runs before it publishes
//! (ledger S.12). Nothing here reads them.

use std::fs;
use std::path::Path;

use super::{Asset, entries};
use crate::diagnostic::{Code, Diagnostic};

/// The files directly in `migrations/`, in the order of their names. Hidden ones are left out.
pub(super) fn read(root: &Path, diagnostics: &mut Vec<Diagnostic>) -> Vec<Asset> {
    let mut found = Vec::new();
    for name in entries(root, "migrations", diagnostics) {
        let path = format!("migrations/{name}");
        if name.starts_with('.') {
            continue;
        }
        if root.join(&path).is_dir() {
            let message =
                format!("{path} is a folder; only files directly in migrations/ are read");
            let help =
                "put each migration into a file of its own, such as migrations/0001_first.sql";
            diagnostics.push(
                Diagnostic::new(Code::IgnoredFile, message)
                    .in_file(path)
                    .help(help),
            );
            continue;
        }
        match fs::read(root.join(&path)) {
            Ok(bytes) => found.push(Asset { path, bytes }),
            Err(error) => {
                let message = format!("{path} cannot be read: {error}");
                diagnostics.push(Diagnostic::new(Code::UnreadableFile, message).in_file(path));
            }
        }
    }
    found
}
