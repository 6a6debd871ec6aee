//! Names that a project gives to its own paths: `compilerOptions.paths` of `tsconfig.json`, and
//! `imports` of `package.json`.
//!
//! The folder's own `tsconfig.json` counts, else the one beside the nearest `package.json` at or above
//! the folder: that is the project. One that lies anywhere else would make the artifact depend on
//! where the folder is. `extends` is not followed. Nothing else of a `tsconfig.json` is looked at.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use crate::bundle::relative;

/// Conditions of `package.json` that count, as the bundler has them.
const CONDITIONS: [&str; 5] = ["worker", "browser", "module", "import", "default"];

/// The names that a project gives to its paths.
#[derive(Debug, Default, Clone)]
pub(crate) struct Aliases(Vec<Alias>);

#[derive(Debug, Clone)]
struct Alias {
    /// What comes before the star, and what comes behind it; without a star the whole name.
    before: String,
    after: Option<String>,
    /// Where it may lead, relative to the agent folder, with a star where the rest goes.
    targets: Vec<String>,
}

impl Aliases {
    /// The names that a folder may use.
    pub(crate) fn of(root: &Path) -> Self {
        let mut found = Vec::new();
        let project = root
            .ancestors()
            .find(|folder| folder.join("package.json").is_file());
        let own = [Some(root), project].into_iter().flatten();
        let config = own
            .filter(|folder| folder.join("tsconfig.json").is_file())
            .find_map(|folder| Some((folder, read(&folder.join("tsconfig.json"))?)));
        if let Some((folder, config)) = config {
            found.extend(paths(root, folder, &config));
        }
        if let Some(folder) = project
            && let Some(package) = read(&folder.join("package.json"))
            && let Some(Value::Object(imports)) = package.get("imports")
        {
            found.extend(imports_of(root, folder, imports));
        }
        // The longest beginning wins, a whole name before any.
        found.sort_by_key(|alias| {
            let is_pattern = alias.after.is_some();
            (is_pattern, std::cmp::Reverse(alias.before.len()))
        });
        Self(found)
    }

    /// The paths, relative to the agent folder, that a name may stand for, in order.
    pub(crate) fn paths(&self, name: &str) -> Vec<String> {
        let found = self.0.iter().find_map(|alias| {
            let rest = alias.rest(name)?;
            let targets = alias.targets.iter();
            Some(
                targets
                    .map(|target| target.replacen('*', rest, 1))
                    .collect(),
            )
        });
        found.unwrap_or_default()
    }
}

impl Alias {
    fn new(name: &str, targets: Vec<String>) -> Self {
        let (before, after) = match name.split_once('*') {
            Some((before, after)) => (before.to_owned(), Some(after.to_owned())),
            None => (name.to_owned(), None),
        };
        Self {
            before,
            after,
            targets,
        }
    }

    /// What the star stands for in a name, if it is this alias.
    fn rest<'n>(&self, name: &'n str) -> Option<&'n str> {
        let rest = name.strip_prefix(self.before.as_str())?;
        match &self.after {
            Some(after) => rest.strip_suffix(after.as_str()),
            None => rest.is_empty().then_some(rest),
        }
    }
}

/// Whether a name has the form that projects give to their aliases, and that no package has.
pub(crate) fn looks_like_one(name: &str) -> bool {
    ["@/", "~/", "#", "$/", "~~/"]
        .iter()
        .any(|start| name.starts_with(start))
}

fn paths(root: &Path, folder: &Path, config: &Value) -> Vec<Alias> {
    let options = config.get("compilerOptions");
    let base = options.and_then(|options| options.get("baseUrl"));
    let base = folder.join(base.and_then(Value::as_str).unwrap_or("."));
    let paths = options.and_then(|options| options.get("paths"));
    let Some(Value::Object(paths)) = paths else {
        return Vec::new();
    };
    let each = paths.iter().filter_map(|(name, targets)| {
        let targets = targets.as_array()?.iter().filter_map(Value::as_str);
        let targets = targets.map(|target| placed(root, &base, target));
        Some(Alias::new(name, targets.collect()))
    });
    each.collect()
}

fn imports_of(root: &Path, folder: &Path, imports: &Map<String, Value>) -> Vec<Alias> {
    let each = imports.iter().filter_map(|(name, target)| {
        let target = target_of(target).filter(|target| target.starts_with("./"))?;
        let target = placed(root, folder, target);
        name.starts_with('#')
            .then(|| Alias::new(name, vec![target]))
    });
    each.collect()
}

/// Where a name of `package.json` leads, under our conditions.
fn target_of(target: &Value) -> Option<&str> {
    match target {
        Value::String(path) => Some(path),
        Value::Array(targets) => targets.iter().find_map(target_of),
        Value::Object(by) => CONDITIONS
            .iter()
            .find_map(|condition| target_of(by.get(*condition)?)),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// A path as seen from the agent folder.
fn placed(root: &Path, base: &Path, target: &str) -> String {
    let mut whole = std::path::PathBuf::new();
    for part in base.join(target).components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => drop(whole.pop()),
            std::path::Component::Prefix(_)
            | std::path::Component::RootDir
            | std::path::Component::Normal(_) => whole.push(part),
        }
    }
    relative(root, &whole)
}

/// JSON with comments and commas before a closing bracket, as `tsconfig.json` may have them.
fn read(path: &Path) -> Option<Value> {
    let text = fs::read_to_string(path).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    serde_json::from_str(&plain(text)).ok()
}

fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        match (letter, rest.peek()) {
            ('"', _) => {
                plain.push(letter);
                while let Some(inside) = rest.next() {
                    plain.push(inside);
                    match inside {
                        '\\' => plain.extend(rest.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            ('/', Some('/')) => while rest.next_if(|letter| *letter != '\n').is_some() {},
            ('/', Some('*')) => {
                let mut last = rest.next();
                for inside in rest.by_ref() {
                    if last == Some('*') && inside == '/' {
                        break;
                    }
                    last = Some(inside);
                }
                // `/*/` does not end what it begins, since the star was taken above.
            }
            (']' | '}', _) => {
                let kept = plain.trim_end();
                let kept = kept.strip_suffix(',').map_or(plain.len(), str::len);
                plain.truncate(kept);
                plain.push(letter);
            }
            _ => plain.push(letter),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_last_commas_are_left_out_and_texts_are_kept() {
        let text = "{ // one\n \"a//b\": [1, /* two, */ 2,\n ], \"c\": \"\\\" /* x */ ,]\", }";
        let value: Value = serde_json::from_str(&plain(text)).unwrap();
        let expected = serde_json::json!({ "a//b": [1, 2], "c": "\" /* x */ ,]" });
        assert_eq!(value, expected);
    }

    #[test]
    fn the_longest_beginning_wins_and_a_whole_name_goes_first() {
        let alias = |name: &str, target: &str| Alias::new(name, vec![target.to_owned()]);
        let mut all = vec![
            alias("@/*", "*"),
            alias("@/lib/*", "other/*"),
            alias("@/lib/a", "exact.ts"),
            alias("x/*/y", "z/*"),
        ];
        all.sort_by_key(|alias| (alias.after.is_some(), std::cmp::Reverse(alias.before.len())));
        let all = Aliases(all);
        for (name, expected) in [
            ("@/tools/a", vec!["tools/a"]),
            ("@/lib/b", vec!["other/b"]),
            ("@/lib/a", vec!["exact.ts"]),
            ("x/1/y", vec!["z/1"]),
            ("x/1/z", vec![]),
            ("@scope/name", vec![]),
        ] {
            assert_eq!(all.paths(name), expected, "{name}");
        }
    }
}
