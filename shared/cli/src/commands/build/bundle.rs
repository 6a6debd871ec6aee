//! The Lambda bundle: one archive a function, the artifact inside, byte for byte reproducible.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::Architecture;
use crate::output;

/// The five functions.
pub(crate) const FUNCTIONS: [&str; 5] = ["ingress", "tick", "step", "delivery", "sweep"];

/// The deployable template, as `infra/` ships it.
const TEMPLATE: &str = include_str!("../../../../../infra/template.yaml");

/// An archive that was written.
pub(crate) struct Written {
    /// Where.
    pub(crate) path: PathBuf,
    /// How large.
    pub(crate) bytes: u64,
}

/// Compiles the functions with cargo-lambda and returns the folder that holds them.
pub(crate) fn compile_functions(arch: Architecture) -> anyhow::Result<PathBuf> {
    let workspace = workspace()?;
    let target = workspace.join("target/lambda-functions").join(arch.name());
    output::say(
        "compiling the five functions with cargo-lambda; the first time takes some minutes",
    );
    let mut command = Command::new("cargo");
    command
        .current_dir(&workspace)
        .args(["lambda", "build", "--release"]);
    command.args(["--compiler", "cargo-zigbuild"]);
    command.arg("--lambda-dir").arg(&target);
    command.arg(match arch {
        Architecture::Arm64 => "--arm64",
        Architecture::X86_64 => "--x86-64",
    });
    for name in FUNCTIONS {
        command.args(["--package", &format!("openeve-{name}")]);
    }
    // cargo-lambda's own profile aborts on panic, which would take a whole batch down.
    command.env("CARGO_PROFILE_RELEASE_PANIC", "unwind");
    let status = command.status().context(
        "cargo could not be run; install Rust and cargo-lambda, or give compiled functions with --functions",
    )?;
    if !status.success() {
        bail!(
            "cargo lambda did not build the functions; install it with `pip install cargo-lambda ziglang`, \
             or give compiled functions with --functions"
        );
    }
    Ok(target)
}

/// The checkout this command was built from; a deployer without it passes `--functions`.
pub(crate) fn workspace() -> anyhow::Result<PathBuf> {
    let mut folder = std::env::current_dir()?;
    loop {
        if folder.join("functions/step/Cargo.toml").exists() {
            return Ok(folder);
        }
        if !folder.pop() {
            bail!(
                "the functions' sources are not here; run this inside the OpenEve checkout, or give compiled functions with --functions FOLDER"
            );
        }
    }
}

/// Writes the archives and the template into `out`.
pub(crate) fn write(
    functions: &Path,
    artifact: &Path,
    out: &Path,
    arch: Architecture,
) -> anyhow::Result<Vec<Written>> {
    fs::create_dir_all(out)?;
    let files = artifact_files(artifact)?;
    let mut written = Vec::new();
    for name in FUNCTIONS {
        let bootstrap = bootstrap(functions, name)?;
        check_machine(&bootstrap, arch)?;
        let path = out.join(format!("{name}.zip"));
        let part = out.join(format!("{name}.zip.part"));
        archive(&part, &bootstrap, artifact, &files)
            .with_context(|| format!("cannot write {}", path.display()))?;
        fs::rename(&part, &path)?;
        let bytes = fs::metadata(&path)?.len();
        written.push(Written { path, bytes });
    }
    // The template's default architecture follows the archives beside it.
    let template = match arch {
        Architecture::Arm64 => TEMPLATE.to_owned(),
        Architecture::X86_64 => TEMPLATE.replace("Default: arm64", "Default: x86_64"),
    };
    fs::write(out.join("template.yaml"), template)?;
    Ok(written)
}

pub(crate) fn bootstrap(functions: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let candidates = [functions.join(name).join("bootstrap"), functions.join(name)];
    candidates.iter().find(|path| path.is_file()).cloned().with_context(|| {
        format!("there is no compiled function {name} in {}; looked for {name}/bootstrap and {name}", functions.display())
    })
}

/// Refuses a binary of another processor, which would fail only once it runs on AWS.
fn check_machine(bootstrap: &Path, arch: Architecture) -> anyhow::Result<()> {
    let machine = match arch {
        Architecture::Arm64 => 0xB7,
        Architecture::X86_64 => 0x3E,
    };
    let header = fs::read(bootstrap)?;
    // ELF: the magic, and the processor at byte 18.
    if header.starts_with(b"\x7fELF") && header.get(18) == Some(&machine) {
        return Ok(());
    }
    bail!(
        "{} is no Linux program for {}; give the right --arch, or functions compiled for it",
        bootstrap.display(),
        arch.name()
    )
}

fn archive(
    path: &Path,
    bootstrap: &Path,
    artifact: &Path,
    files: &[PathBuf],
) -> anyhow::Result<()> {
    let mut zip = ZipWriter::new(BufWriter::new(File::create(path)?));
    // A fixed time keeps an unchanged agent's archive the same bytes, and its function undeployed.
    let plain = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    zip.start_file("bootstrap", plain.unix_permissions(0o755))?;
    zip.write_all(&fs::read(bootstrap)?)?;
    for file in files {
        zip.start_file(format!(".openeve/{}", file.display()), plain)?;
        zip.write_all(&fs::read(artifact.join(file))?)?;
    }
    zip.finish()?.flush()?;
    Ok(())
}

/// The artifact's files, sorted: the functions read the manifest and the modules.
fn artifact_files(artifact: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::from("server"), PathBuf::from("assets")];
    for name in [
        "manifest.json",
        "agent-revision.json",
        "route-table.json",
        "schedules.json",
    ] {
        files.push(PathBuf::from(name));
    }
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(artifact.join(&folder)) else {
            continue;
        };
        for entry in entries {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}
