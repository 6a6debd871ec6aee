//! Where files are: what a module's name leads to in the old folder, and where that is in the new one.

use std::collections::BTreeMap;

use serde_json::Value;

/// The files of the old project, by path.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// Endings that a module's name may leave out.
const ENDINGS: [&str; 8] = [
    "",
    ".ts",
    ".tsx",
    ".mts",
    ".js",
    ".json",
    "/index.ts",
    "/index.js",
];
/// What an ending stands for where the file itself is not there.
const STANDS_FOR: [(&str, &[&str]); 3] = [
    (".js", &[".ts", ".tsx"]),
    (".jsx", &[".tsx"]),
    (".mjs", &[".mts"]),
];

/// Where the old project is, and by which other names its files go.
#[derive(Debug)]
pub(super) struct Places<'f> {
    pub(super) files: &'f Files,
    /// The agent's folder in the project, empty or with `/` at its end.
    pub(super) base: String,
    /// The start of a name, what follows it, and the start of a path.
    aliases: Vec<(String, String)>,
}

impl<'f> Places<'f> {
    pub(super) fn new(files: &'f Files, base: String) -> Self {
        let mut aliases = Vec::new();
        let json = |path: &str| {
            let text = files.get(path)?;
            serde_json::from_slice::<Value>(text).ok()
        };
        if let Some(imports) = json("package.json").as_ref().and_then(|p| p.get("imports")) {
            for (name, target) in imports.as_object().into_iter().flatten() {
                let target = target.as_str().or_else(|| target.get("default")?.as_str());
                aliases.extend(target.map(|target| alias(name, target, "")));
            }
        }
        for config in [format!("{base}tsconfig.json"), "tsconfig.json".to_owned()] {
            let Some(config) = json(&config) else {
                continue;
            };
            let options = config.get("compilerOptions");
            let root = options
                .and_then(|options| options.get("baseUrl")?.as_str())
                .unwrap_or_default();
            let paths = options.and_then(|options| options.get("paths")?.as_object());
            for (name, targets) in paths.into_iter().flatten() {
                let first = targets.get(0).and_then(Value::as_str);
                aliases.extend(first.map(|target| alias(name, target, root)));
            }
        }
        Self {
            files,
            base,
            aliases,
        }
    }

    /// The file that a module's name leads to. None: a package, or nothing.
    pub(super) fn resolve(&self, from: &str, specifier: &str) -> Option<String> {
        let paths: Vec<String> = if specifier.starts_with('.') {
            let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
            vec![normal(&format!("{folder}/{specifier}"))?]
        } else {
            self.aliases
                .iter()
                .filter_map(|(start, target)| {
                    let rest = specifier.strip_prefix(start.as_str())?;
                    normal(&format!("{target}{rest}"))
                })
                .collect()
        };
        paths.iter().find_map(|path| self.existing(path))
    }

    fn existing(&self, path: &str) -> Option<String> {
        let mut tried: Vec<String> = ENDINGS.iter().map(|end| format!("{path}{end}")).collect();
        for (end, others) in STANDS_FOR {
            if let Some(stem) = path.strip_suffix(end) {
                tried.extend(others.iter().map(|other| format!("{stem}{other}")));
            }
        }
        tried.into_iter().find(|path| self.files.contains_key(path))
    }

    /// Where a file of the old project is in the new folder, if it is there.
    pub(super) fn place(&self, old: &str) -> String {
        match old.strip_prefix(self.base.as_str()) {
            Some(inside) => inside.to_owned(),
            None => format!("project/{old}"),
        }
    }
}

/// `#lib/*` and `./agent/lib/*` as the starts of a name and of a path.
fn alias(name: &str, target: &str, root: &str) -> (String, String) {
    let start = name.strip_suffix('*').unwrap_or(name).to_owned();
    let target = target.strip_suffix('*').unwrap_or(target);
    (start, format!("{root}/{target}"))
}

/// A path without `.` and `..`. None: it leads out of the project.
fn normal(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// How a file names another one beside it, with its ending.
pub(super) fn relative(from: &str, to: &str) -> String {
    let folder: Vec<&str> = from.split('/').collect();
    let folder = folder.split_last().map_or(&[][..], |(_, folder)| folder);
    let target: Vec<&str> = to.split('/').collect();
    let shared = folder
        .iter()
        .zip(&target)
        .take_while(|(a, b)| a == b)
        .count();
    let up = folder.len() - shared;
    let start = if up == 0 {
        "./".to_owned()
    } else {
        "../".repeat(up)
    };
    let rest: Vec<&str> = target.into_iter().skip(shared).collect();
    start + &rest.join("/")
}

/// Whether a path ends with a dot and this.
pub(super) fn has_ending(path: &str, ending: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| end == ending)
}

/// The package of a module's name. None: it is none, or one of the host's own.
pub(super) fn package_of(specifier: &str) -> Option<String> {
    let is_alias = ["@/", "~", "#"]
        .iter()
        .any(|start| specifier.starts_with(start));
    if is_alias || specifier.starts_with(['.', '/']) || specifier.contains(':') {
        return None;
    }
    let mut parts = specifier.splitn(3, '/');
    let first = parts.next()?;
    if first.starts_with('@') {
        return Some(format!("{first}/{}", parts.next()?));
    }
    Some(first.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_to_its_file_by_any_of_its_spellings() {
        let package =
            r##"{"imports": {"#lib/*": "./agent/lib/*", "#one": {"default": "./src/one.ts"}}}"##;
        let config = r#"{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}"#;
        let files: Files = [
            ("package.json", package),
            ("tsconfig.json", config),
            ("agent/lib/a.ts", ""),
            ("agent/lib/deep/index.ts", ""),
            ("src/one.ts", ""),
            ("src/page.tsx", ""),
        ]
        .into_iter()
        .map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()))
        .collect();
        let places = Places::new(&files, "agent/".to_owned());
        for (specifier, path) in [
            ("../lib/a", Some("agent/lib/a.ts")),
            ("../lib/a.js", Some("agent/lib/a.ts")),
            ("../lib/a.ts", Some("agent/lib/a.ts")),
            ("../lib/deep", Some("agent/lib/deep/index.ts")),
            ("../../src/page.jsx", Some("src/page.tsx")),
            ("#lib/a.js", Some("agent/lib/a.ts")),
            ("#one", Some("src/one.ts")),
            ("@/one", Some("src/one.ts")),
            ("../../../src/one", None),
            ("zod", None),
        ] {
            let found = places.resolve("agent/tools/t.ts", specifier);
            assert_eq!(found.as_deref(), path, "{specifier}");
        }
        assert_eq!(places.place("agent/lib/a.ts"), "lib/a.ts");
        assert_eq!(places.place("src/one.ts"), "project/src/one.ts");
    }

    #[test]
    fn a_file_names_another_one_relative_to_itself() {
        for (from, to, name) in [
            ("tools/t.ts", "lib/a.ts", "../lib/a.ts"),
            ("agent.ts", "lib/a.ts", "./lib/a.ts"),
            ("lib/b.ts", "lib/a.ts", "./a.ts"),
            ("subagents/x/tools/t.ts", "lib/a.ts", "../../../lib/a.ts"),
        ] {
            assert_eq!(relative(from, to), name);
        }
    }

    #[test]
    fn a_package_has_a_name_of_one_or_two_parts() {
        assert_eq!(package_of("zod/v4").as_deref(), Some("zod"));
        assert_eq!(
            package_of("@ai-sdk/openai").as_deref(),
            Some("@ai-sdk/openai")
        );
        assert_eq!(package_of("node:fs"), None);
        assert_eq!(package_of("@/lib/a"), None);
        assert_eq!(package_of("./a"), None);
    }
}
