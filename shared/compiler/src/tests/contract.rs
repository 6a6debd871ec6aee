//! The contract of an agent folder, held to its own page: `docs/agent-folder.md` is prose, sources
//! and what the compiler says of them, and every case of it is compiled here.
//!
//! A case is a heading of the third level with code blocks below. A block's first line says what it
//! is: `ts agent.ts` (or any other path) is a file, `json manifest.agent` a part of the manifest that
//! must hold at least these values, `text diagnostics` every finding as `code file:line:column`, with
//! words of the message behind a colon if they matter; `off evaluation` compiles without evaluating
//! what is made by code. Each case begins with a folder that is right.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::Agent;
use crate::Code;

/// What the page has to speak of, by section and number of its last line.
const LEDGER: [(&str, usize); 6] = [
    ("A1", 10),
    ("A2", 11),
    ("A3", 10),
    ("A4", 9),
    ("A5", 3),
    ("B", 11),
];

#[derive(Debug, Default)]
struct Case<'t> {
    title: &'t str,
    blocks: Vec<(&'t str, String)>,
}

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/agent-folder.md");
    std::fs::read_to_string(path).unwrap()
}

fn cases(page: &str) -> Vec<Case<'_>> {
    let mut cases: Vec<Case<'_>> = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(title) = line.strip_prefix("### ") {
            cases.push(Case {
                title,
                ..Case::default()
            });
        } else if let Some(info) = line.strip_prefix("```").filter(|info| info.contains(' ')) {
            let mut text = String::new();
            for line in lines.by_ref().take_while(|line| *line != "```") {
                text.push_str(line);
                text.push('\n');
            }
            cases.last_mut().unwrap().blocks.push((info, text));
        }
    }
    cases
}

/// Whether a value holds at least what is wanted.
fn holds(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::Object(value), Value::Object(wanted)) => wanted
            .iter()
            .all(|(key, wanted)| value.get(key).is_some_and(|value| holds(value, wanted))),
        (Value::Array(value), Value::Array(wanted)) => {
            value.len() == wanted.len()
                && value
                    .iter()
                    .zip(wanted)
                    .all(|(value, wanted)| holds(value, wanted))
        }
        _ => value == wanted,
    }
}

/// What is wrong with a case, if anything; the codes it reached.
fn play(case: &Case<'_>, reached: &mut BTreeSet<&'static str>) -> Result<(), String> {
    let mut agent = Agent::new();
    for (info, text) in &case.blocks {
        let (kind, path) = info.split_once(' ').unwrap();
        match kind {
            "ts" | "md" | "file" => agent = agent.with(path, text),
            "absent" => agent = agent.without(path),
            _ => {}
        }
    }
    let is_off = case
        .blocks
        .iter()
        .any(|(info, _)| *info == "off evaluation");
    let compilation = if is_off {
        agent.compile()
    } else {
        agent.compile_with_schemas()
    };
    reached.extend(
        compilation
            .diagnostics
            .iter()
            .map(|found| found.code.as_str()),
    );
    let expected = case
        .blocks
        .iter()
        .find(|(info, _)| *info == "text diagnostics");
    let expected: Vec<&str> = expected.map_or_else(Vec::new, |(_, text)| text.lines().collect());
    let found = &compilation.diagnostics;
    let fits = found.len() == expected.len()
        && found.iter().zip(&expected).all(|(found, expected)| {
            let place = format!("{} {}", found.code, found.place().unwrap_or_default());
            expected.strip_prefix(&place).is_some_and(|words| {
                let said = format!(
                    "{} {}",
                    found.message,
                    found.help.as_deref().unwrap_or_default()
                );
                words.is_empty()
                    || words
                        .strip_prefix(": ")
                        .is_some_and(|words| said.contains(words))
            })
        });
    if !fits {
        return Err(format!(
            "{}\n{}",
            compilation.render(),
            compilation
                .diagnostics
                .iter()
                .map(|found| format!("{} {}", found.code, found.place().unwrap_or_default()))
                .collect::<Vec<_>>()
                .join("\n")
        ));
    }
    let manifest = serde_json::to_value(&compilation.manifest).unwrap();
    for (info, text) in &case.blocks {
        if let Some(at) = info.strip_prefix("json manifest") {
            let pointer = at.replace('.', "/");
            let wanted: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
            let value = manifest.pointer(&pointer).cloned().unwrap_or_default();
            if !holds(&value, &wanted) {
                return Err(format!("{info}: {value:#}"));
            }
        }
    }
    Ok(())
}

#[test]
fn every_case_of_the_page_compiles_to_what_it_says_and_together_they_reach_every_code() {
    let page = page();
    let mut reached = BTreeSet::new();
    let mut wrong = Vec::new();
    for case in cases(&page) {
        if let Err(why) = play(&case, &mut reached) {
            wrong.push(format!("### {}\n{why}", case.title));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let missing: Vec<&str> = Code::ALL
        .iter()
        .map(|code| code.as_str())
        .filter(|code| !reached.contains(code) && !page.contains(&format!("| `{code}` |")))
        .collect();
    assert!(missing.is_empty(), "no case reaches {missing:?}");
}

#[test]
fn the_page_speaks_of_every_requirement() {
    let page = page();
    let missing: Vec<String> = LEDGER
        .iter()
        .flat_map(|(section, last)| (1..=*last).map(move |line| format!("{section}.{line:02}")))
        .filter(|id| !page.contains(id.as_str()))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/diagnostics");
    let index = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let mut pages: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .filter_map(|entry| {
            Some(
                entry
                    .unwrap()
                    .file_name()
                    .to_str()?
                    .strip_suffix(".md")?
                    .to_owned(),
            )
        })
        .filter(|page| page != "README")
        .collect();
    pages.sort_unstable();
    let mut codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    codes.sort_unstable();
    assert_eq!(pages, codes);
    for code in codes {
        assert!(
            index.contains(&format!("[`{code}`]({code}.md)")),
            "{code} is not in the index"
        );
        let page = std::fs::read_to_string(folder.join(format!("{code}.md"))).unwrap();
        assert!(page.starts_with(&format!("# {code}\n")), "{code}");
    }
}
