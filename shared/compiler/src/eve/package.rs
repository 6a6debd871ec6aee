//! The new folder's `package.json`: the packages that its code imports, at the old versions.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::report::Note;

/// Names of Node's own modules, as old code writes them without `node:`.
const BUILTINS: &[&str] = &[
    "assert",
    "buffer",
    "child_process",
    "crypto",
    "dns",
    "events",
    "fs",
    "http",
    "https",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "querystring",
    "readline",
    "stream",
    "string_decoder",
    "timers",
    "tls",
    "url",
    "util",
    "vm",
    "worker_threads",
    "zlib",
];

/// The text of the new `package.json`, and what to see to.
pub(super) fn package_json(
    old: Option<&Value>,
    name: &str,
    packages: &BTreeSet<String>,
) -> (String, Vec<Note>) {
    let mut notes = Vec::new();
    let mut versions: BTreeMap<&str, &Value> = BTreeMap::new();
    for key in ["devDependencies", "dependencies"] {
        let listed = old.and_then(|old| old.get(key)?.as_object());
        for (package, version) in listed.into_iter().flatten() {
            versions.insert(package.as_str(), version);
        }
    }
    let mut dependencies = Map::new();
    for package in packages {
        if BUILTINS.contains(&package.as_str()) {
            continue;
        }
        let version = versions
            .get(package.as_str())
            .map_or_else(|| json!("*"), |version| (*version).clone());
        let is_elsewhere = version
            .as_str()
            .is_some_and(|version| version.contains(':'));
        if is_elsewhere {
            notes.push(Note {
                line: None,
                text: format!("the version {version} of {package} leads out of the folder; name a published one"),
                todo: true,
            });
        }
        dependencies.insert(package.clone(), version);
    }
    let mut made = Map::new();
    made.insert("name".to_owned(), json!(name));
    made.insert(
        "version".to_owned(),
        old.and_then(|old| old.get("version").cloned())
            .unwrap_or_else(|| json!("0.1.0")),
    );
    made.insert("private".to_owned(), json!(true));
    made.insert("type".to_owned(), json!("module"));
    if !dependencies.is_empty() {
        made.insert("dependencies".to_owned(), Value::Object(dependencies));
    }
    let text = serde_json::to_string_pretty(&Value::Object(made)).unwrap_or_default();
    (text + "\n", notes)
}

/// A text as a name: letters, digits, `_` and `-`, a letter first.
pub(super) fn slug(text: &str) -> String {
    let plain = text.rsplit('/').next().unwrap_or_default();
    let words: Vec<&str> = plain
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-')
        .filter(|word| !word.is_empty())
        .collect();
    let joined = words.join("-");
    let start = joined.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    let name: String = start.chars().take(64).collect();
    if name.is_empty() {
        "agent".to_owned()
    } else {
        name
    }
}
