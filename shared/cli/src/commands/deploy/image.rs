//! The folder a container is built from: the artifact's own files, its Dockerfile, and one program.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use super::plan::{Plan, Work};
use super::subject::Subject;

/// The folder, below the artifact.
const FOLDER: &str = "image";
/// What is copied from the artifact's root.
const PARTS: [&str; 9] = [
    "Dockerfile",
    "agent-revision.json",
    "assets",
    "manifest.json",
    "migrations",
    "preflight.json",
    "route-table.json",
    "schedules.json",
    "server",
];
/// The C library of the image's base.
const GLIBC: (u32, u32) = (2, 41);
/// The part of a program in which its needs are named.
const HEAD_BYTES: u64 = 4 * 1024 * 1024;

/// Where the folder is.
pub(super) fn folder(artifact: &Path) -> PathBuf {
    artifact.join(FOLDER)
}

/// Plans the folder. `only` is the processor that the target runs on, if there is one alone. Returns
/// the program's processor, as containers name it.
pub(super) fn plan(
    subject: &Subject,
    plan: &mut Plan,
    only: Option<&'static str>,
    fly: Option<String>,
) -> &'static str {
    let binary = match (&subject.arguments.binary, std::env::current_exe()) {
        (Some(binary), _) => binary.clone(),
        (None, Ok(own)) => own,
        (None, Err(_)) => PathBuf::from("openeve"),
    };
    let platform = match fits(&binary, only) {
        Ok(platform) => platform,
        Err(why) => {
            let how = format!(
                "{}: {why}; give an openeve program for Linux with --binary",
                binary.display()
            );
            plan.need("--binary", how);
            only.unwrap_or("linux/amd64")
        }
    };
    if subject.arguments.binary.is_none() && cfg!(debug_assertions) {
        let note = "this openeve is a debug build, and goes into the image as it is: large and slow; `cargo build --release` makes a better one for --binary";
        plan.notes.push(note.to_owned());
    }
    plan.step(
        format!(
            "put the artifact and {} into .openeve/{FOLDER}",
            binary.display()
        ),
        Work::Image { binary, fly },
    );
    platform
}

/// Writes the folder anew.
pub(super) fn write(artifact: &Path, binary: &Path, fly: Option<&str>) -> anyhow::Result<()> {
    let folder = folder(artifact);
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("{} cannot be removed", folder.display()))?;
    }
    make(&folder)?;
    for part in PARTS {
        copy(&artifact.join(part), &folder.join(part))?;
    }
    let program = folder.join("openeve");
    fs::copy(binary, &program).with_context(|| format!("{} cannot be copied", binary.display()))?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
    if let Some(fly) = fly {
        fs::write(folder.join("fly.toml"), fly)?;
    }
    Ok(())
}

/// Whoever runs in the container reads them, whatever this machine's mask is.
fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    if !from.is_dir() {
        fs::copy(from, to).with_context(|| format!("{} cannot be copied", from.display()))?;
        fs::set_permissions(to, fs::Permissions::from_mode(0o644))?;
        return Ok(());
    }
    make(to)?;
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        copy(&from.join(&name), &to.join(&name))?;
    }
    Ok(())
}

fn make(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
    Ok(())
}

/// The platform that a program is for, if a container can run it.
fn fits(binary: &Path, only: Option<&str>) -> anyhow::Result<&'static str> {
    let mut head = Vec::new();
    let file = fs::File::open(binary).context("it cannot be read")?;
    file.take(HEAD_BYTES).read_to_end(&mut head)?;
    let platform = match (head.starts_with(b"\x7fELF"), head.get(18)) {
        (true, Some(0x3E)) => "linux/amd64",
        (true, Some(0xB7)) => "linux/arm64",
        (true | false, _) => bail!("it is no Linux program for amd64 or arm64"),
    };
    if only.is_some_and(|only| only != platform) {
        bail!(
            "it is for {platform}, and the target runs {}",
            only.unwrap_or_default()
        );
    }
    let (major, minor) = glibc(&head);
    if (major, minor) > GLIBC {
        bail!(
            "it needs glibc {major}.{minor}, and the image has {}.{}; compile it on an older system, or for musl",
            GLIBC.0,
            GLIBC.1
        );
    }
    Ok(platform)
}

/// The newest version of the C library that a program names; 0.0 for one that is static.
fn glibc(head: &[u8]) -> (u32, u32) {
    let text = String::from_utf8_lossy(head);
    let versions = text.split("GLIBC_").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
        let version = rest.get(..end.unwrap_or(rest.len()))?;
        let mut numbers = version.split('.').map(str::parse::<u32>);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    });
    versions.max().unwrap_or((0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(machine: u8, more: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut bytes = b"\x7fELF".to_vec();
        bytes.resize(18, 0);
        bytes.push(machine);
        bytes.extend_from_slice(more.as_bytes());
        fs::write(file.path(), bytes).unwrap();
        file
    }

    #[test]
    fn a_program_that_the_image_cannot_run_is_refused_with_the_reason() {
        let refused =
            |file: &tempfile::NamedTempFile, only| fits(file.path(), only).unwrap_err().to_string();
        let fine = program(0x3E, "\0GLIBC_2.34\0GLIBC_2.4\0GLIBC_PRIVATE\0");
        assert_eq!(fits(fine.path(), None).unwrap(), "linux/amd64");
        assert_eq!(fits(program(0xB7, "").path(), None).unwrap(), "linux/arm64");
        assert!(refused(&program(0xB7, ""), Some("linux/amd64")).contains("runs linux/amd64"));
        assert!(refused(&program(0x3E, "\0GLIBC_2.99\0"), None).contains("needs glibc 2.99"));
        assert!(refused(&program(0x01, ""), None).contains("no Linux program"));
    }
}
