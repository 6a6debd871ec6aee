//! What is deployed: everything that a publisher is given [S.13].

use std::path::PathBuf;

use openeve_compiler::Compilation;
use openeve_domain::manifest::Manifest;
use openeve_host::environment;

use super::{DeployArguments, Target, configuration, target};
use crate::commands::{compiled_apart, say_findings};
use crate::dev::packages;
use crate::serve::needs::Configuration;

/// The agent, its configuration and where it goes.
pub(super) struct Subject {
    pub(super) arguments: DeployArguments,
    pub(super) target: Target,
    /// The agent folder, absolute.
    pub(super) folder: PathBuf,
    /// Its artifact.
    pub(super) artifact: PathBuf,
    pub(super) compilation: Compilation,
    pub(super) manifest: Manifest,
    pub(super) configuration: Configuration,
    /// Which environment is deployed to, such as `production`.
    pub(super) environment: String,
}

impl Subject {
    /// Compiles the folder in memory. None if it cannot be built; why has been said.
    pub(super) async fn read(arguments: DeployArguments) -> anyhow::Result<Option<Self>> {
        let folder = std::path::absolute(&arguments.folder)?;
        if arguments.dry_run {
            let missing = packages::missing(&folder)?;
            if !missing.is_empty() {
                crate::output::say(&format!(
                    "not installed in {}: {}; a real run installs it, `npm install` does, too",
                    folder.display(),
                    missing.join(", ")
                ));
            }
        } else {
            packages::install(&folder)?;
        }
        let compilation = compiled_apart(&folder, true, &std::sync::Arc::default()).await;
        say_findings(&folder, &compilation);
        let Some(manifest) = compilation.manifest.clone() else {
            return Ok(None);
        };
        let gateway = manifest.gateway.get("deploy").map(|one| one.kind.as_str());
        Ok(Some(Self {
            target: target(arguments.target, gateway)?,
            artifact: folder.join(".openeve"),
            folder,
            compilation,
            manifest,
            configuration: configuration(),
            environment: variable("OPENEVE_DEPLOY_ENV").unwrap_or_else(|| "production".to_owned()),
            arguments,
        }))
    }

    /// The folder's own migrations, by their paths in the artifact.
    pub(super) fn migrations(&self) -> Vec<PathBuf> {
        let paths = self.compilation.migrations();
        paths.map(|path| self.artifact.join(path)).collect()
    }

    /// The agent's name where only small letters, digits, `-` and `_` are taken.
    pub(super) fn name(&self) -> String {
        let id = self.manifest.agent.id.to_lowercase();
        format!("openeve-{}", id.trim_matches(['-', '_']))
    }

    /// The revision, short enough for a tag.
    pub(super) fn short_revision(&self) -> &str {
        let revision = &self.manifest.revision;
        revision.get(..12).unwrap_or(revision)
    }
}

/// One variable; an empty one counts as unset.
pub(super) fn variable(name: &str) -> Option<String> {
    environment::variable(name).filter(|value| !value.trim().is_empty())
}
