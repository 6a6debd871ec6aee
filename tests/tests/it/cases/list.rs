//! The list of public cases is held to the tests: it claims none that is not there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use openeve_tests::paths::repository;

/// One case as the page lists it.
struct Row {
    id: String,
    /// Test or reason.
    rest: String,
}

/// The rows of the page.
fn rows() -> Vec<Row> {
    let page = std::fs::read_to_string(repository().join("docs/cases.md")).unwrap();
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| ")?.splitn(3, " | ");
        let (id, _, rest) = (cells.next()?, cells.next()?, cells.next()?);
        let is_id = id.starts_with(|first: char| ('A'..='G').contains(&first));
        (is_id && id.get(1..)?.parse::<u32>().is_ok()).then(|| Row {
            id: id.to_owned(),
            rest: rest.to_owned(),
        })
    };
    page.lines().filter_map(row).collect()
}

/// The test functions that a row names.
fn named(row: &Row) -> Vec<&str> {
    let quoted = row.rest.split('`').skip(1).step_by(2);
    let is_test = |text: &&str| {
        text.matches('_').count() > 1
            && text
                .bytes()
                .all(|byte| byte == b'_' || byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    quoted.filter(is_test).collect()
}

/// Every Rust source below a folder.
fn sources(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// The test functions of a source, each with the lines above it.
fn tests(source: &str) -> Vec<(String, String)> {
    let (mut above, mut tests) = (String::new(), Vec::new());
    for line in source.lines() {
        let function = line.trim().trim_start_matches("async ").strip_prefix("fn ");
        let name = function.and_then(|rest| rest.split('(').next());
        match name {
            Some(name) if above.contains("#[test]") || above.contains("#[tokio::test]") => {
                tests.push((name.to_owned(), std::mem::take(&mut above)));
            }
            _ if line.trim().is_empty() => above.clear(),
            _ => above.extend([line.trim(), "\n"]),
        }
    }
    tests
}

#[test]
fn each_case_is_listed_once_and_with_a_test_that_exists_or_a_reason() {
    let mut found = Vec::new();
    for folder in ["tests/tests", "tests/src", "shared", "functions"] {
        sources(&repository().join(folder), &mut found);
    }
    let existing: BTreeSet<String> = found
        .iter()
        .flat_map(|source| tests(source))
        .map(|(name, _)| name)
        .collect();
    let (mut ids, mut wrong) = (BTreeSet::new(), Vec::new());
    for row in rows() {
        if !ids.insert(row.id.clone()) {
            wrong.push(format!("{} is listed twice", row.id));
        }
        if row.rest.starts_with("does not apply: ") {
            continue;
        }
        let names = named(&row);
        if names.is_empty() {
            wrong.push(format!("{} has neither a test nor a reason", row.id));
        }
        let missing = names.iter().filter(|name| !existing.contains(**name));
        wrong.extend(missing.map(|name| format!("{}: there is no test {name}", row.id)));
    }
    assert!(ids.len() > 80, "the page is read: {} cases", ids.len());
    assert!(wrong.is_empty(), "docs/cases.md: {wrong:#?}");
}

#[test]
fn each_test_of_a_case_is_listed_under_its_id_and_says_where_it_comes_from() {
    let rows = rows();
    let listed: BTreeMap<String, Vec<&str>> = rows
        .iter()
        .map(|row| (row.id.to_lowercase(), named(row)))
        .collect();
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    sources(&repository().join("tests/tests/it/cases"), &mut found);
    for (name, above) in found.iter().flat_map(|source| tests(source)) {
        let id = name.split('_').next().unwrap_or_default();
        if id.parse::<char>().is_ok() || !id.ends_with(|last: char| last.is_ascii_digit()) {
            continue;
        }
        if !listed
            .get(id)
            .is_some_and(|names| names.contains(&name.as_str()))
        {
            wrong.push(format!("{name} is not listed under {}", id.to_uppercase()));
        }
        let origin = format!("/// Public case {} (", id.to_uppercase());
        if !above.contains(&origin) {
            wrong.push(format!("{name} does not begin with {origin:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
