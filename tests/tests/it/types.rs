//! The types of `@openeve/core`, checked by the TypeScript compiler: over every agent folder here,
//! and over `tests/types`, which says what is inferred and what must be an error.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use openeve_tests::paths::{repository, test_tool};

/// What checking the example may cost the type checker: the steps it counts, not time, so that a
/// busy machine fails nothing. It needs about a thousand; a second of the slowest checker is a
/// hundred times this.
const INSTANTIATIONS_MAX: u64 = 10_000;

/// Libraries whose schemas follow Standard Schema.
const LIBRARIES: &[&str] = &["arktype", "valibot", "zod"];

/// A copy of a folder that can import `@openeve/core` and the schema libraries.
struct Copy {
    folder: tempfile::TempDir,
}

/// What the type checker said.
#[derive(Debug)]
struct Checked {
    good: bool,
    said: String,
}

impl Copy {
    fn of(source: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy(source, folder.path());
        let modules = folder.path().join("node_modules");
        fs::create_dir_all(modules.join("@openeve")).unwrap();
        let sdk = repository().join("shared/compiler/sdk");
        symlink(&sdk, modules.join("@openeve/core")).unwrap();
        fs::create_dir_all(folder.path().join(".openeve")).unwrap();
        let types = folder.path().join(".openeve/types");
        if !types.exists() {
            symlink(sdk, types).unwrap();
        }
        let command = test_tool("tsc");
        let tools = command.ancestors().nth(2).unwrap();
        for library in LIBRARIES {
            let installed = tools.join("types/node_modules").join(library);
            symlink(installed, modules.join(library)).unwrap();
        }
        // What the folder itself has installed.
        let installed = fs::read_dir(source.join("node_modules"));
        for entry in installed.into_iter().flatten().map(Result::unwrap) {
            let here = modules.join(entry.file_name());
            if !here.exists() {
                symlink(entry.path(), here).unwrap();
            }
        }
        if !folder.path().join("tsconfig.json").exists() {
            let config = r#"{ "extends": "@openeve/core/tsconfig.json", "include": ["**/*.ts"] }"#;
            fs::write(folder.path().join("tsconfig.json"), config).unwrap();
        }
        Self { folder }
    }

    fn with(self, path: &str, text: &str) -> Self {
        fs::write(self.folder.path().join(path), text).unwrap();
        self
    }

    fn check(&self, project: &str) -> Checked {
        let checked = Command::new(test_tool("tsc"))
            .args(["--noEmit", "--strict", "--extendedDiagnostics", "--project"])
            .arg(self.folder.path().join(project))
            .current_dir(self.folder.path())
            .output()
            .unwrap();
        Checked {
            good: checked.status.success(),
            said: String::from_utf8(checked.stdout).unwrap(),
        }
    }
}

impl Checked {
    /// A line of the checker's own figures.
    fn figure(&self, name: &str) -> u64 {
        let line = self.said.lines().find(|line| line.starts_with(name));
        let figure = line.and_then(|line| line.split_whitespace().last());
        figure.unwrap_or_default().parse().unwrap()
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_name().to_str() {
            Some(".openeve" | "node_modules") => {}
            _ if entry.file_type().unwrap().is_dir() => copy(&entry.path(), &target),
            _ => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// Every agent folder directly below a folder of the checkout.
fn agents(below: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(repository().join(below)).unwrap();
    let folders = entries.map(|entry| entry.unwrap().path());
    folders
        .filter(|folder| folder.join("agent.ts").exists())
        .collect()
}

#[test]
fn every_agent_folder_of_this_checkout_type_checks() {
    let folders = [agents("examples"), agents("tests/agents")].concat();
    assert!(folders.len() >= 3, "{folders:?}");
    for folder in folders {
        let checked = Copy::of(&folder).check("tsconfig.json");
        assert!(checked.good, "{}: {}", folder.display(), checked.said);
        assert!(checked.figure("Files:") > 3, "{}", checked.said);
    }
}

#[test]
fn every_definition_infers_what_it_should_and_refuses_what_it_should() {
    let copy = Copy::of(&repository().join("tests/types"));
    for project in ["tsconfig.json", "libraries/tsconfig.json"] {
        let checked = copy.check(project);
        assert!(checked.good, "{project}: {}", checked.said);
    }
}

#[test]
fn a_wrong_word_in_a_folder_is_found_at_its_place() {
    let agent = "import { defineAgent } from \"@openeve/core\";\nexport default defineAgent({ model: \"a/b\", reasonin: \"low\" });\n";
    let checked = Copy::of(&repository().join("examples/concierge"))
        .with("agent.ts", agent)
        .check("tsconfig.json");
    assert!(!checked.good, "{}", checked.said);
    assert!(checked.said.contains("agent.ts(2,44)"), "{}", checked.said);
    assert!(checked.said.contains("'reasoning'"), "{}", checked.said);
}

#[test]
fn checking_the_example_costs_an_editor_nothing_to_speak_of() {
    let checked = Copy::of(&repository().join("examples/concierge")).check("tsconfig.json");
    let cost = checked.figure("Instantiations:");
    assert!(cost < INSTANTIATIONS_MAX, "{cost}: {}", checked.said);
}
