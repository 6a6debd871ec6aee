//! Rules about source files.

use crate::repository::{Verdict, files, text, verdict};

/// Lines of a function's `main.rs`.
const MAIN_LINES_MAX: usize = 60;
/// Lines of any other source file.
const SOURCE_LINES_MAX: usize = 500;
/// Lines of a module that needs no header.
const BARE_LINES_MAX: usize = 80;

/// What a function does is a use case of the runtime, where it can be tested.
pub(crate) fn a_function_binary_only_wires() -> Verdict {
    let is_main = |path: &&str| path.starts_with("functions/") && path.ends_with("/src/main.rs");
    let findings = longer_than(MAIN_LINES_MAX, is_main)?;
    verdict(
        "A function's main.rs has at most 60 lines: configuration, adapters, use case. The rest belongs \
         to the runtime.",
        &findings,
    )
}

/// A file that is read in one sitting is reviewed.
pub(crate) fn source_files_are_small() -> Verdict {
    let findings = longer_than(SOURCE_LINES_MAX, |path| !is_test(path))?;
    verdict(
        "A source file has at most 500 lines, tests apart; split it by what changes together.",
        &findings,
    )
}

/// A reader meets the purpose before the code.
pub(crate) fn crates_and_long_modules_say_what_they_are() -> Verdict {
    let mut findings = Vec::new();
    for path in sources()? {
        let source = text(&path)?;
        let is_root = ["/lib.rs", "/main.rs"]
            .iter()
            .any(|name| path.ends_with(name))
            || path.contains("/src/bin/");
        let is_long = source.lines().count() > BARE_LINES_MAX && !path.ends_with("/tests.rs");
        if (is_root || is_long) && !source.starts_with("//!") {
            findings.push(path);
        }
    }
    verdict(
        "lib.rs, main.rs and every module of more than 80 lines begin with `//!`: what it owns, what it \
         refuses to know, what it guarantees.",
        &findings,
    )
}

/// A query is read by whoever changes the schema, without the Rust around it.
pub(crate) fn every_query_has_a_header() -> Verdict {
    let mut findings = Vec::new();
    let is_query =
        |path: &String| path.starts_with("shared/postgres/") && has_extension(path, "sql");
    for path in files()?.into_iter().filter(is_query) {
        if !text(&path)?.starts_with("--") {
            findings.push(path);
        }
    }
    verdict(
        "A query begins with a comment: who calls it, lock order, rows touched.",
        &findings,
    )
}

/// Every Rust source file.
fn sources() -> Result<Vec<String>, String> {
    Ok(files()?
        .into_iter()
        .filter(|path| has_extension(path, "rs"))
        .collect())
}

/// The chosen source files with more lines than that, with their count.
fn longer_than(lines_max: usize, chosen: impl Fn(&&str) -> bool) -> Result<Vec<String>, String> {
    let mut findings = Vec::new();
    for path in sources()?.iter().filter(|path| chosen(&path.as_str())) {
        let lines = text(path)?.lines().count();
        if lines > lines_max {
            findings.push(format!("{path}: {lines} lines"));
        }
    }
    Ok(findings)
}

/// Whether a path is a test: `tests.rs`, or anything below a folder `tests`.
fn is_test(path: &str) -> bool {
    path.split('/')
        .any(|part| part == "tests" || part == "tests.rs")
}

/// Whether a path's name ends in the extension.
fn has_extension(path: &str, extension: &str) -> bool {
    std::path::Path::new(path)
        .extension()
        .is_some_and(|found| found == extension)
}
