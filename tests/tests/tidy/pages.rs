//! Pages that are held to the code: every knob and every error code is explained.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail loudly, as tests do"
)]

use std::collections::BTreeSet;
use std::path::Path;

use openeve_tests::paths::repository;

/// Text before a code in the source → whatever follows up to the next quotation mark is a code.
const MARKS: [&str; 5] = [
    "PortError::retry(\"",
    "PortError::refused(\"",
    "PortError::corrupt(\"",
    ": &str = \"model_",
    "code: \"",
];

#[test]
fn the_configuration_page_is_made_from_the_registry() {
    let page = std::fs::read_to_string(openeve_tests::schema::configuration_file()).unwrap();
    assert!(
        page == openeve_runtime::config::reference_page(),
        "docs/configuration.md is out of date; run `tests/run --update`"
    );
}

#[test]
fn every_error_code_has_its_line_on_the_errors_page() {
    let page = std::fs::read_to_string(repository().join("docs/errors.md")).unwrap();
    let mut codes = BTreeSet::new();
    for folder in [
        "domain",
        "runtime",
        "integrations",
        "postgres",
        "aws",
        "host",
        "cli",
    ] {
        collect(
            &repository().join("shared").join(folder).join("src"),
            &mut codes,
        );
    }
    assert!(codes.len() > 25, "the search finds codes: {codes:?}");
    let missing: Vec<&String> = codes
        .iter()
        .filter(|code| !page.contains(&format!("`{code}`")))
        .collect();
    assert!(
        missing.is_empty(),
        "docs/errors.md does not explain {missing:?}"
    );
}

fn collect(folder: &Path, codes: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, codes);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !path.ends_with("tests.rs")
        {
            let source = std::fs::read_to_string(&path).unwrap();
            let source = source.split("#[cfg(test)]").next().unwrap_or_default();
            // A call may be wrapped: the code is then the first thing on the next line.
            let flat = source
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .replace("( \"", "(\"");
            for mark in MARKS {
                codes.extend(flat.split(mark).skip(1).filter_map(|rest| {
                    let code = rest.split('"').next().unwrap_or_default();
                    let code = if mark.ends_with("model_") {
                        format!("model_{code}")
                    } else {
                        code.to_owned()
                    };
                    let is_code = code.contains('_')
                        && code
                            .bytes()
                            .all(|byte| byte == b'_' || byte.is_ascii_lowercase());
                    is_code.then_some(code)
                }));
            }
            for word in ["max_steps", "max_iterations", "stalled", "unrecoverable"] {
                if flat.contains(&format!("commit_id, \"{word}\"")) {
                    codes.insert(word.to_owned());
                }
            }
        }
    }
}
