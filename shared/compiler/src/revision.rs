//! Sixth stage: the revision, a hash over everything that makes the agent what it is [A4.06].
//!
//! The same source gives the same revision on every machine: no clock, no path of the machine and no
//! order of a directory enters it. What is imported from `node_modules` enters through the hash of the
//! modules it was bundled into; `package-lock.json` enters as a source.

use openeve_domain::canonical::PartsHash;
use openeve_domain::manifest::Manifest;

/// The version of what is hashed and how.
const SCHEME: &str = "openeve-agent-revision-1";

/// The revision of a manifest whose own `revision` is not looked at.
pub(crate) fn revision(manifest: &Manifest) -> Result<String, serde_json::Error> {
    let mut hash = PartsHash::default();
    hash.part(SCHEME).part(env!("CARGO_PKG_VERSION"));
    hash.part(manifest.sources.len().to_string());
    for (path, sha256) in &manifest.sources {
        hash.part(path).part(sha256);
    }
    hash.part(manifest.tools.len().to_string());
    for tool in &manifest.tools {
        hash.part(&tool.module.path).part(&tool.module.sha256);
    }
    let config = Manifest {
        revision: String::new(),
        ..manifest.clone()
    };
    hash.part(serde_json::to_vec(&config)?);
    Ok(hash.finish())
}
