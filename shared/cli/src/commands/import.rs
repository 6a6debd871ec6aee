//! `openeve import eve FOLDER`: an agent folder of vercel/eve becomes one of ours, beside it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use openeve_compiler::eve::{Entry, Fate, Moved, Note, move_over};
use serde_json::{Value, json};

use crate::output::{self, Usage};

/// Largest file that is read: a recording or an archive is no part of an agent.
const FILE_BYTES_MAX: u64 = 1024 * 1024;
/// Files read at most.
const FILES_MAX: usize = 50_000;
/// Folders of a project that hold nothing its author wrote.
const SKIPPED: &[&str] = &["build", "coverage", "dist", "node_modules", "out", "target"];

/// Where an agent folder comes from.
#[derive(Args)]
pub(crate) struct ImportArguments {
    #[command(subcommand)]
    from: From,
}

#[derive(Subcommand)]
enum From {
    /// From vercel/eve: the project's folder, or the agent's in it.
    #[command(after_help = "\
Example:
  openeve import eve my-eve-agent --out my-agent")]
    Eve {
        /// The project's folder, which has `agent/` in it, or the agent's own. Nothing in it changes.
        folder: PathBuf,
        /// Where the new folder is made. Default: beside the old one, with `-openeve` after its name.
        #[arg(long)]
        out: Option<PathBuf>,
        /// Print JSON, for scripts.
        #[arg(long)]
        json: bool,
    },
}

/// Moves a folder over; exits 1 if something is left to do by hand.
pub(crate) fn run(arguments: ImportArguments) -> anyhow::Result<ExitCode> {
    let From::Eve { folder, out, json } = arguments.from;
    let project = project_of(&folder)?;
    let out = match out {
        Some(out) => out,
        None => beside(&project)?,
    };
    if fs::symlink_metadata(&out).is_ok() {
        return Err(Usage(format!(
            "{} exists already; name another folder with --out",
            out.display()
        ))
        .into());
    }
    let mut files = BTreeMap::new();
    read(&project, "", &mut files)?;
    let moved = move_over(&files).map_err(|error| Usage(error.to_string()))?;
    write(&out, &moved)?;
    if json {
        output::json(&as_json(&moved.entries, &out));
    } else {
        tell(&moved.entries, &out);
    }
    let open = moved.entries.iter().any(is_open);
    Ok(if open {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// The project of a folder: its parent's if it is only the agent's part of it.
fn project_of(folder: &Path) -> anyhow::Result<PathBuf> {
    let folder = fs::canonicalize(folder)
        .with_context(|| format!("{} cannot be opened", folder.display()))?;
    let parent = folder.parent().unwrap_or(&folder);
    let is_part = folder.ends_with("agent")
        && !folder.join("package.json").exists()
        && parent.join("package.json").exists();
    Ok(if is_part { parent.to_owned() } else { folder })
}

fn beside(project: &Path) -> anyhow::Result<PathBuf> {
    let name = project.file_name().context("name a folder with --out")?;
    let mut name = name.to_owned();
    name.push("-openeve");
    Ok(project.with_file_name(name))
}

/// Reads what a person wrote: no links, nothing hidden, no packages, nothing large.
fn read(root: &Path, below: &str, files: &mut BTreeMap<String, Vec<u8>>) -> anyhow::Result<()> {
    let folder = root.join(below);
    let entries =
        fs::read_dir(&folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else {
            continue;
        };
        let path = if below.is_empty() {
            name.to_owned()
        } else {
            format!("{below}/{name}")
        };
        let kind = entry.file_type()?;
        if kind.is_dir() && !SKIPPED.contains(&name) {
            read(root, &path, files)?;
        } else if kind.is_file() && entry.metadata()?.len() <= FILE_BYTES_MAX {
            if files.len() == FILES_MAX {
                anyhow::bail!(
                    "the project has more than {FILES_MAX} files; name the agent's folder"
                );
            }
            let text = fs::read(entry.path()).with_context(|| format!("{path} cannot be read"))?;
            files.insert(path, text);
        }
    }
    Ok(())
}

fn write(out: &Path, moved: &Moved) -> anyhow::Result<()> {
    for (path, text) in &moved.files {
        let target = out.join(path);
        let made = target
            .parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&target, text));
        made.with_context(|| format!("{} cannot be written", target.display()))?;
    }
    Ok(())
}

fn is_open(entry: &Entry) -> bool {
    entry.fate == Fate::Unsupported || entry.notes.iter().any(|note| note.todo)
}

fn as_json(entries: &[Entry], out: &Path) -> Value {
    let entry = |entry: &Entry| {
        let note = |note: &Note| json!({"line": note.line, "todo": note.todo, "text": note.text});
        let notes: Vec<Value> = entry.notes.iter().map(note).collect();
        json!({"from": entry.from, "to": entry.to, "fate": entry.fate.as_str(), "notes": notes})
    };
    let files: Vec<Value> = entries.iter().map(entry).collect();
    json!({"folder": out.display().to_string(), "files": files})
}

fn tell(entries: &[Entry], out: &Path) {
    let mut left = 0;
    for entry in entries {
        let path = match (&entry.from, &entry.to) {
            (Some(from), Some(to)) if from != to => format!("{from} → {to}"),
            (Some(path), _) | (None, Some(path)) => path.clone(),
            (None, None) => continue,
        };
        output::answer(&format!("{:<12} {path}", entry.fate.as_str()));
        for note in &entry.notes {
            let line = note
                .line
                .map(|line| format!("line {line}: "))
                .unwrap_or_default();
            let mark = if note.todo { "TODO " } else { "" };
            output::answer(&format!("{:<12}   {mark}{line}{}", "", note.text));
        }
        left += usize::from(is_open(entry));
    }
    let out = out.display();
    let todo = match left {
        0 => "nothing is left to do by hand".to_owned(),
        1 => format!("1 file needs your hand: see {out}/IMPORT.md"),
        many => format!("{many} files need your hand: see {out}/IMPORT.md"),
    };
    output::say(&format!("{out} is made; {todo}"));
    output::say(&format!(
        "next: npm install --prefix {out} && openeve validate {out}"
    ));
}
