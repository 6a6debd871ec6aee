//! `openeve init [DIR] [--template NAME]`: a folder to begin with.
//!
//! Every template is a folder of this crate, whole and valid as it stands; the only thing that
//! changes on the way is the agent's id. What exists already is never written over.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use serde_json::json;

use super::target::quoted;
use super::types;
use crate::output::{self, Usage};

/// The id that stands in the templates.
const PLACEHOLDER: &str = "\"my-agent\"";
/// Letters of an id at most.
const ID_LETTERS_MAX: usize = 64;

/// A template: its name, what it is for, and its files.
struct Template {
    name: &'static str,
    about: &'static str,
    files: &'static [(&'static str, &'static str)],
}

macro_rules! template {
    ($name:literal, $about:literal, [$($path:literal),* $(,)?]) => {
        Template {
            name: $name,
            about: $about,
            files: &[
                // The file is kept without its dot, so that it does not hide files of this crate.
                (".gitignore", include_str!(concat!("../../templates/", $name, "/gitignore"))),
                $(($path, include_str!(concat!("../../templates/", $name, "/", $path)))),*
            ],
        }
    };
}

const TEMPLATES: &[Template] = &[
    template!(
        "minimal",
        "one HTTP channel and one tool",
        [
            "agent.ts",
            "channels/message.ts",
            "gateway.ts",
            "instructions.md",
            "package.json",
            "tools/days_until.ts",
            "tsconfig.json",
        ]
    ),
    template!(
        "scheduled",
        "the same, and a schedule that wakes it every working day at eight",
        [
            "agent.ts",
            "channels/message.ts",
            "gateway.ts",
            "instructions.md",
            "package.json",
            "schedules/morning.ts",
            "tools/days_until.ts",
            "tsconfig.json",
        ]
    ),
];

/// What to make, and where.
#[derive(Args)]
#[command(after_help = "\
Templates:
  minimal    one HTTP channel and one tool
  scheduled  the same, and a schedule that wakes it every working day at eight

Example:
  openeve init my-agent
  openeve dev my-agent --message \"How many days is it until 2030-01-01?\"")]
pub(crate) struct InitArguments {
    /// The new agent's folder; by default this one. It may exist, but none of the files that are
    /// written may.
    #[arg(default_value = ".")]
    dir: PathBuf,
    /// What to begin with.
    #[arg(long, value_name = "NAME", default_value = "minimal")]
    template: String,
    /// Print JSON, for scripts.
    #[arg(long)]
    json: bool,
}

/// Writes the folder. Exits 1 if a file is in the way, and has then written nothing.
pub(crate) fn run(arguments: &InitArguments) -> anyhow::Result<ExitCode> {
    let template = chosen(&arguments.template)?;
    let dir = &arguments.dir;
    let in_the_way: Vec<&str> = template
        .files
        .iter()
        .map(|(path, _)| *path)
        .filter(|path| fs::symlink_metadata(dir.join(path)).is_ok())
        .collect();
    if !in_the_way.is_empty() {
        anyhow::bail!(
            "{} has {} already, and nothing is written over; name a new folder, or move them away",
            dir.display(),
            in_the_way.join(", ")
        );
    }
    let id = id_of(dir)?;
    let own_id = format!("\"{id}\"");
    for (path, text) in template.files {
        create(&dir.join(path), &text.replace(PLACEHOLDER, &own_id))?;
    }
    types::write(dir)?;
    tell(arguments, template, &id);
    Ok(ExitCode::SUCCESS)
}

fn chosen(name: &str) -> anyhow::Result<&'static Template> {
    let found = TEMPLATES.iter().find(|template| template.name == name);
    let Some(found) = found else {
        let names: Vec<&str> = TEMPLATES.iter().map(|template| template.name).collect();
        let why = if name == "slack" {
            "this version has no Slack channel yet, so there is no template \"slack\"".to_owned()
        } else {
            format!("there is no template {name:?}")
        };
        return Err(Usage(format!("{why}; choose one of {}", names.join(", "))).into());
    };
    Ok(found)
}

/// An id from the folder's name: what is no letter, digit, `_` or `-` becomes a hyphen.
fn id_of(dir: &Path) -> anyhow::Result<String> {
    let whole = std::path::absolute(dir)?;
    let name = whole.file_name().unwrap_or_default().to_string_lossy();
    let mut id = String::new();
    for character in name.to_lowercase().chars() {
        let fits = character.is_ascii_alphanumeric() || character == '_';
        if fits && (!id.is_empty() || character.is_ascii_alphabetic()) {
            id.push(character);
        } else if !id.is_empty() && !id.ends_with('-') {
            id.push('-');
        }
    }
    id.truncate(ID_LETTERS_MAX);
    let id = id.trim_end_matches(['-', '_']);
    Ok(if id.is_empty() { "my-agent" } else { id }.to_owned())
}

/// Writes a file that must not be there.
fn create(path: &Path, text: &str) -> anyhow::Result<()> {
    let failed = || format!("{} cannot be written", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(failed)?;
    }
    let mut file = fs::File::create_new(path).with_context(failed)?;
    file.write_all(text.as_bytes()).with_context(failed)
}

fn tell(arguments: &InitArguments, template: &Template, id: &str) {
    let dir = arguments.dir.display().to_string();
    let folder = quoted(&dir);
    let next = [
        format!("openeve validate {folder}"),
        format!("openeve dev {folder} --message \"How many days is it until 2030-01-01?\""),
    ];
    let files: Vec<&str> = template.files.iter().map(|(path, _)| *path).collect();
    if arguments.json {
        output::json(&json!({
            "folder": dir, "template": template.name, "agent": id, "files": files, "next": next,
        }));
        return;
    }
    output::answer(&format!(
        "{dir}: the agent {id}, from the template {} ({})",
        template.name, template.about
    ));
    for file in files {
        output::answer(&format!("  {file}"));
    }
    output::answer("next:");
    for command in next {
        output::answer(&format!("  {command}"));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use openeve_compiler::compile;

    use super::*;

    fn files_below(folder: &Path, prefix: &str, into: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.file_type().unwrap().is_dir() {
                files_below(&entry.path(), &format!("{name}/"), into);
            } else {
                into.insert(name.replace("gitignore", ".gitignore"));
            }
        }
    }

    #[test]
    fn every_template_is_listed_whole_and_valid_as_it_stands() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
        let folders: BTreeSet<String> = fs::read_dir(&root)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        let listed: BTreeSet<String> = TEMPLATES.iter().map(|one| one.name.to_owned()).collect();
        assert_eq!(listed, folders);
        for template in TEMPLATES {
            let folder = root.join(template.name);
            let mut files = BTreeSet::new();
            files_below(&folder, "", &mut files);
            let own: BTreeSet<String> = template
                .files
                .iter()
                .map(|(path, _)| (*path).to_owned())
                .collect();
            assert_eq!(own, files, "{}", template.name);
            let compilation = compile(&folder);
            assert!(compilation.is_ok(), "{}", compilation.render());
            assert_eq!(compilation.diagnostics, [], "{}", template.name);
        }
    }

    #[test]
    fn an_id_is_made_of_the_folders_name() {
        let id = |name: &str| id_of(Path::new(name)).unwrap();
        assert_eq!(id("/tmp/My Agent!"), "my-agent");
        assert_eq!(id("/tmp/2nd_try"), "nd_try");
        assert_eq!(id("/tmp/日本"), "my-agent");
        assert_eq!(id(&format!("/tmp/{}", "a".repeat(80))).len(), 64);
    }
}
