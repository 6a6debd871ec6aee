//! Last stage: the artifact on disk (ledger A4).
//!
//! `manifest.json` is the mark of a whole artifact: it is the last thing to appear and the first to
//! go (see [`crate::place`]). So a reader sees the old artifact, none, or the new one; a crash in
//! between leaves none, and the next build puts it right. Whoever still holds the old manifest is told
//! by the modules' hashes. What the compiler does not own, such as `dev/`, is never touched.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use openeve_domain::manifest::{Manifest, PartSpec};
use serde::Serialize;
use serde_json::{Value, json};

use crate::Compilation;
use crate::place::place;

/// The mark of a whole artifact.
pub(crate) const MARK: &str = "manifest.json";

/// What the compiler owns at the artifact's root, apart from the mark.
const OWNED: &[&str] = &[
    "Dockerfile",
    "agent-revision.json",
    "assets",
    "migrations",
    "preflight.json",
    "route-table.json",
    "schedules.json",
    "server",
];

/// How the artifact becomes a container, as `infra/` ships it.
const DOCKERFILE: &str = include_str!("../../../infra/docker/Dockerfile");

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
    for (path, bytes) in &compilation.migrations {
        files.insert(path.clone(), bytes.clone());
    }
    files.insert("migrations/.gitkeep".to_owned(), Vec::new());
    files.insert("Dockerfile".to_owned(), DOCKERFILE.as_bytes().to_vec());
    Ok(files)
}

/// Writes the artifact to `out`, which is the `.openeve` directory itself.
///
/// Safe to repeat. Two builds of one folder at a time are not: one of them may fail.
pub fn emit(compilation: &Compilation, out: &Path) -> Result<(), EmitError> {
    place(&artifact(compilation)?, OWNED, out)
}

/// What must be there before the agent runs: variables with the files that ask for them, connections
/// without which it refuses to start, migrations.
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
    let required = |part: &&PartSpec| part.definition.get("required") == Some(&Value::Bool(true));
    let parts = compilation.manifest.iter().flat_map(Manifest::all_parts);
    let connections: Vec<&str> = parts
        .filter(|part| part.kind == "connection")
        .filter(required)
        .map(|part| part.source.as_str())
        .collect();
    let files: Vec<&str> = compilation.migrations.keys().map(String::as_str).collect();
    json!({
        "env": env,
        "connections": connections,
        "migrations": { "database": database, "files": files },
    })
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
