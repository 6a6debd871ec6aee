//! The repository's root and the files in it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a check answers: nothing, or a text that says which rule is broken, where and why.
pub(crate) type Verdict = Result<(), String>;

/// The folder that holds the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap_or(tests).to_path_buf()
}

/// The text of a file, named relative to the root.
pub(crate) fn text(path: &str) -> Result<String, String> {
    let bytes = std::fs::read(root().join(path)).map_err(|error| format!("{path}: {error}"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Every file that is tracked, or would be by `git add --all`, relative to the root.
pub(crate) fn files() -> Result<Vec<String>, String> {
    let listed = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(root())
        .output()
        .map_err(|error| format!("git ls-files cannot run: {error}"))?;
    if !listed.status.success() {
        return Err(format!(
            "git ls-files: {}",
            String::from_utf8_lossy(&listed.stderr)
        ));
    }
    let names = String::from_utf8_lossy(&listed.stdout).into_owned();
    let present = |name: &&str| !name.is_empty() && root().join(name).is_file();
    let mut names: Vec<String> = names
        .split('\0')
        .filter(present)
        .map(str::to_owned)
        .collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// `Ok` if nothing was found, else one text: the rule, then each finding on a line of its own.
pub(crate) fn verdict(rule: &str, findings: &[String]) -> Verdict {
    if findings.is_empty() {
        return Ok(());
    }
    Err(format!("{rule}\n  {}", findings.join("\n  ")))
}

/// Fails the test with the verdict's own words.
#[track_caller]
pub(crate) fn hold(verdict: Verdict) {
    let why = verdict.err().unwrap_or_default();
    assert!(why.is_empty(), "{why}");
}
