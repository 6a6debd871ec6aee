//! Last stage: the artifact on disk (ledger A4).
//!
//! `manifest.json` is the mark of a whole artifact: it is the last thing to appear and the first to
//! go. A new artifact is written beside its place and renamed into it. Over an old one, the mark is
//! taken away, every part the compiler owns is swapped by a rename, and the new mark is put in. So a
//! reader sees the old artifact, none, or the new one; a crash in between leaves none, and the next
//! build puts it right. Whoever still holds the old manifest is told by the modules' hashes. What the
//! compiler does not own, such as `dev/`, is never touched.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fs, io};

use serde::Serialize;
use serde_json::{Value, json};

use crate::Compilation;

/// The mark of a whole artifact.
const MARK: &str = "manifest.json";

/// What the compiler owns at the artifact's root, apart from the mark.
const OWNED: &[&str] = &[
    "agent-revision.json",
    "assets",
    "migrations",
    "preflight.json",
    "route-table.json",
    "schedules.json",
    "server",
];

/// Why an artifact could not be written.
#[derive(Debug, thiserror::Error)]
pub enum EmitError {
    /// The compilation has errors. Show its diagnostics.
    #[error("the agent folder has errors, so there is no artifact to write")]
    NotCompiled,
    /// A part has no JSON. A fault of the compiler.
    #[error("{path} cannot be encoded")]
    Encode {
        /// The part.
        path: String,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// The file system refused. Correct it and build again.
    #[error("{} cannot be written", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// Every file of the artifact, by its path below the root. The same source gives the same bytes.
pub fn artifact(compilation: &Compilation) -> Result<BTreeMap<String, Vec<u8>>, EmitError> {
    let manifest = compilation
        .manifest
        .as_ref()
        .ok_or(EmitError::NotCompiled)?;
    let maps: BTreeMap<&str, String> = compilation
        .modules
        .iter()
        .map(|module| (module.path.as_str(), map_path(&module.path)))
        .collect();
    let mut files = BTreeMap::from([
        json(MARK, manifest)?,
        json(
            "agent-revision.json",
            &json!({ "agentRevision": manifest.revision }),
        )?,
        json("route-table.json", &manifest.routes())?,
        json("schedules.json", &manifest.schedules)?,
        json("preflight.json", &preflight(compilation))?,
        json("server/boot.json", &boot(&manifest.revision))?,
        json("server/sources.json", &manifest.sources)?,
        json("server/source-metadata.json", &compilation.metadata)?,
        json("server/source-map.json", &maps)?,
    ]);
    for module in &compilation.modules {
        files.insert(module.path.clone(), module.code.clone().into_bytes());
        files.insert(map_path(&module.path), module.map.clone().into_bytes());
    }
    for (path, bytes) in &compilation.assets {
        files.insert(format!("assets/{path}"), bytes.clone());
    }
    files.insert("assets/.gitkeep".to_owned(), Vec::new());
    files.insert("migrations/.gitkeep".to_owned(), Vec::new());
    Ok(files)
}

/// Writes the artifact to `out`, which is the `.openeve` directory itself.
///
/// Safe to repeat. Two builds of one folder at a time are not: one of them may fail.
pub fn emit(compilation: &Compilation, out: &Path) -> Result<(), EmitError> {
    let files = artifact(compilation)?;
    let staging = Staging::create(out)?;
    for (path, bytes) in &files {
        let target = staging.path.join(path);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(|source| io_error(parent, source))?;
        }
        fs::write(&target, bytes).map_err(|source| io_error(&target, source))?;
    }
    if !out.exists() && fs::rename(&staging.path, out).is_ok() {
        return Ok(());
    }
    swap(&staging, out)
}

/// Puts the staged parts in the place of the old ones, with the mark away meanwhile.
fn swap(staging: &Staging, out: &Path) -> Result<(), EmitError> {
    fs::create_dir_all(out).map_err(|source| io_error(out, source))?;
    let old = staging.path.join("old");
    fs::create_dir_all(&old).map_err(|source| io_error(&old, source))?;
    for part in [MARK].iter().chain(OWNED) {
        move_if_there(&out.join(part), &old.join(part))?;
    }
    for part in OWNED.iter().chain(&[MARK]) {
        let target = out.join(part);
        fs::rename(staging.path.join(part), &target).map_err(|source| io_error(&target, source))?;
    }
    Ok(())
}

fn move_if_there(from: &Path, to: &Path) -> Result<(), EmitError> {
    match fs::rename(from, to) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(io_error(from, source)),
        _ => Ok(()),
    }
}

/// A directory beside the artifact's place, on the same file system; gone when it is dropped.
struct Staging {
    path: PathBuf,
}

impl Staging {
    fn create(out: &Path) -> Result<Self, EmitError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = out
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = out.with_file_name(format!("{name}.{process}-{count}.tmp"));
        if path.exists() {
            fs::remove_dir_all(&path).map_err(|source| io_error(&path, source))?;
        }
        fs::create_dir_all(&path).map_err(|source| io_error(&path, source))?;
        Ok(Self { path })
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // What is left over costs disk space alone.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// What must be there before the agent runs: variables with the files that ask for them, migrations.
fn preflight(compilation: &Compilation) -> Value {
    let env: Vec<Value> = compilation
        .env
        .iter()
        .map(|(name, files)| json!({ "name": name, "files": files }))
        .collect();
    let state = compilation
        .manifest
        .as_ref()
        .and_then(|manifest| manifest.gateway.get("state"));
    let database = state.is_none_or(|state| state.kind == "postgres");
    json!({ "env": env, "migrations": { "database": database, "files": [] } })
}

/// What a host reads first. Paths are relative to the artifact's root, the root to this file.
fn boot(revision: &str) -> Value {
    json!({
        "format": 1,
        "agentRevision": revision,
        "root": "..",
        "manifest": MARK,
        "sources": "server/sources.json",
        "sourceMap": "server/source-map.json",
    })
}

fn map_path(module: &str) -> String {
    format!("{module}.map")
}

fn io_error(path: &Path, source: io::Error) -> EmitError {
    EmitError::Io {
        path: path.to_owned(),
        source,
    }
}

/// A part as JSON that people can read.
fn json<T: Serialize + ?Sized>(path: &str, value: &T) -> Result<(String, Vec<u8>), EmitError> {
    let encoded = serde_json::to_vec_pretty(value);
    let mut bytes = encoded.map_err(|source| EmitError::Encode {
        path: path.to_owned(),
        source,
    })?;
    bytes.push(b'\n');
    Ok((path.to_owned(), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swap_that_stops_half_way_leaves_no_manifest() {
        let temporary = tempfile::tempdir().unwrap();
        let out = temporary.path().join(".openeve");
        fs::create_dir(&out).unwrap();
        fs::write(out.join(MARK), "old").unwrap();
        let staging = Staging::create(&out).unwrap();
        for part in OWNED
            .iter()
            .chain(&[MARK])
            .filter(|part| **part != "server")
        {
            fs::write(staging.path.join(part), "new").unwrap();
        }
        let error = swap(&staging, &out).unwrap_err();
        assert!(
            error.to_string().ends_with("server cannot be written"),
            "{error}"
        );
        assert!(!out.join(MARK).exists());
    }
}
