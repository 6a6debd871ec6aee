//! `openeve validate FOLDER`.

use std::path::Path;
use std::process::ExitCode;

use super::compiled;
use crate::output;

/// Says everything that is wrong; exits 1 if the folder cannot be built.
pub(crate) async fn run(folder: &Path) -> anyhow::Result<ExitCode> {
    let Some(compilation) = compiled(folder).await else {
        return Ok(ExitCode::FAILURE);
    };
    if let Some(manifest) = &compilation.manifest {
        output::answer(&format!(
            "{} is valid: {} tools, {} channels, {} schedules, revision {}",
            folder.display(),
            manifest.tools.len(),
            manifest.channels.len(),
            manifest.schedules.len(),
            manifest.revision.get(..12).unwrap_or(&manifest.revision),
        ));
    }
    Ok(ExitCode::SUCCESS)
}
