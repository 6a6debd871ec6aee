//! The artifact folder: loaded once, checked, and handed around read-only.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use openeve_domain::manifest::Manifest;

/// A loaded artifact.
#[derive(Debug, Clone)]
pub struct Artifact {
    /// The folder.
    pub root: PathBuf,
    /// The manifest.
    pub manifest: Arc<Manifest>,
}

/// An artifact that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// There is none.
    #[error(
        "there is no artifact at {path}: {source}; run `openeve build FOLDER`, or set OPENEVE_ARTIFACT_ROOT"
    )]
    Missing {
        /// The manifest's path.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The manifest is not one.
    #[error("{path} is not a manifest: {source}; run `openeve build` again")]
    Unreadable {
        /// The manifest's path.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// Written by a later compiler.
    #[error("{path} has format {found}, this build reads format {known}; deploy newer functions")]
    Format {
        /// The manifest's path.
        path: PathBuf,
        /// What was found.
        found: u32,
        /// What can be read.
        known: u32,
    },
}

impl Artifact {
    /// Loads `manifest.json` below a folder. Modules are checked when they are first run.
    pub fn load(root: &Path) -> Result<Self, ArtifactError> {
        let path = root.join("manifest.json");
        let bytes = std::fs::read(&path).map_err(|source| ArtifactError::Missing {
            path: path.clone(),
            source,
        })?;
        let manifest: Manifest =
            serde_json::from_slice(&bytes).map_err(|source| ArtifactError::Unreadable {
                path: path.clone(),
                source,
            })?;
        if manifest.format > Manifest::FORMAT {
            let (found, known) = (manifest.format, Manifest::FORMAT);
            return Err(ArtifactError::Format { path, found, known });
        }
        Ok(Self {
            root: root.to_owned(),
            manifest: Arc::new(manifest),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_artifact_names_its_path_and_the_remedy() {
        let error = Artifact::load(Path::new("/nowhere/.openeve"))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("/nowhere/.openeve/manifest.json") && error.contains("openeve build")
        );
    }

    #[test]
    fn a_manifest_that_is_not_one_says_so() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("manifest.json"), "{").unwrap();
        assert!(matches!(
            Artifact::load(folder.path()),
            Err(ArtifactError::Unreadable { .. })
        ));
    }
}
