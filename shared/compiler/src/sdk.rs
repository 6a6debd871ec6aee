//! The types that an agent folder imports as `@openeve/core`, as files.
//!
//! They are part of this binary, so that a folder on a machine without the package can be given them
//! and no version of the types can be another one's. This module does not know where they are
//! written.

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../sdk/", $path)))),*]
    };
}

const FILES: &[(&str, &str)] = files![
    "README.md",
    "globals.d.ts",
    "index.d.ts",
    "index.js",
    "package.json",
    "tsconfig.json",
    "types/agent.d.ts",
    "types/channel.d.ts",
    "types/connection.d.ts",
    "types/context.d.ts",
    "types/gateway.d.ts",
    "types/instrumentation.d.ts",
    "types/routine.d.ts",
    "types/sandbox.d.ts",
    "types/schedule.d.ts",
    "types/schema.d.ts",
    "types/tool.d.ts",
    "types/trigger.d.ts",
    "types/values.d.ts",
];

/// Every file of `@openeve/core`: its path below `node_modules/@openeve/core/`, with `/`, and its
/// text. Sorted by path; the same in every build of one version.
pub fn sdk_files() -> &'static [(&'static str, &'static str)] {
    FILES
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::sdk_files;

    /// Paths of files below a folder, with `/`.
    fn files_below(folder: &Path, prefix: &str, into: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.file_type().unwrap().is_dir() {
                files_below(&entry.path(), &format!("{name}/"), into);
            } else {
                into.insert(name);
            }
        }
    }

    #[test]
    fn every_file_of_the_package_is_listed_in_order() {
        let mut there = BTreeSet::new();
        files_below(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("sdk"),
            "",
            &mut there,
        );
        let listed: Vec<&str> = sdk_files().iter().map(|(path, _)| *path).collect();
        assert_eq!(listed, there.iter().map(String::as_str).collect::<Vec<_>>());
    }

    #[test]
    fn every_helper_has_a_type_and_a_value() {
        let text = |wanted: &str| {
            let found = sdk_files().iter().find(|(path, _)| *path == wanted);
            found.map(|(_, text)| *text).unwrap()
        };
        let types: BTreeSet<&str> = sdk_files()
            .iter()
            .filter(|(path, _)| path.starts_with("types/"))
            .flat_map(|(_, text)| text.split("export declare function ").skip(1))
            .map(|rest| rest.split(['(', '<']).next().unwrap())
            .collect();
        let values: BTreeSet<&str> = text("index.js")
            .split("export const ")
            .skip(1)
            .map(|rest| rest.split(' ').next().unwrap())
            .collect();
        assert_eq!(types, values);
        for (path, _) in sdk_files() {
            if let Some(module) = path.strip_suffix(".d.ts").filter(|path| path.contains('/')) {
                let line = format!("\"./{module}.js\"");
                assert!(text("index.d.ts").contains(&line), "{line} in index.d.ts");
            }
        }
    }

    #[test]
    fn the_engine_exports_what_editors_see() {
        let engine = include_str!("../../script/src/js/openeve_core.js");
        let names = |text: &str| -> BTreeSet<String> {
            let each = text.split("export const ").skip(1);
            each.map(|rest| rest.split(' ').next().unwrap().to_owned())
                .collect()
        };
        let index = sdk_files().iter().find(|(path, _)| *path == "index.js");
        assert_eq!(names(engine), names(index.unwrap().1));
    }
}
