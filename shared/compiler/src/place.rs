//! Puts an artifact's files in their place, so that nobody sees half of it.
//!
//! A new artifact is written beside its place and renamed into it. Over an old one, what differs is
//! written beside it; then the mark is taken away, every file that differs is renamed into its place,
//! what is no longer part of it is removed, and the new mark is put in. A file that is as it should be
//! is not touched, so a build that changes nothing writes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fs, io};

use crate::emit::{EmitError, MARK};

/// Puts `files` in place. `owned` are the parts of the place that hold nothing else.
pub(crate) fn place(
    files: &BTreeMap<String, Vec<u8>>,
    owned: &[&str],
    out: &Path,
) -> Result<(), EmitError> {
    let staging = Staging::create(out)?;
    if !out.exists() {
        for (path, bytes) in files {
            staging.write(path, bytes)?;
        }
        if fs::rename(&staging.path, out).is_ok() {
            return Ok(());
        }
    }
    fs::create_dir_all(out).map_err(|source| io_error(out, source))?;
    let differs = |(path, bytes): &(&String, &Vec<u8>)| {
        fs::read(out.join(path)).ok().as_ref() != Some(*bytes)
    };
    let changed: Vec<_> = files.iter().filter(differs).collect();
    let vanished = vanished(files, owned, out)?;
    if changed.is_empty() && vanished.is_empty() {
        return Ok(());
    }
    for (path, bytes) in &changed {
        staging.write(path, bytes)?;
    }
    let Some(mark) = files.get(MARK) else {
        return Ok(());
    };
    staging.write(MARK, mark)?;
    swap(&staging, out, &changed, &vanished)
}

/// Changes the old artifact into the new one, with the mark away meanwhile.
fn swap(
    staging: &Staging,
    out: &Path,
    changed: &[(&String, &Vec<u8>)],
    vanished: &[PathBuf],
) -> Result<(), EmitError> {
    remove(&out.join(MARK))?;
    for path in vanished {
        remove(path)?;
    }
    let parts = changed.iter().map(|(path, _)| path.as_str());
    for path in parts.filter(|path| *path != MARK).chain([MARK]) {
        let target = out.join(path);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(|source| io_error(parent, source))?;
        }
        fs::rename(staging.path.join(path), &target).map_err(|source| io_error(&target, source))?;
    }
    Ok(())
}

/// What stands in the owned parts and is no longer part of the artifact, children before parents.
fn vanished(
    files: &BTreeMap<String, Vec<u8>>,
    owned: &[&str],
    out: &Path,
) -> Result<Vec<PathBuf>, EmitError> {
    let expected: BTreeSet<PathBuf> = files.keys().map(|path| out.join(path)).collect();
    let folders: BTreeSet<&Path> = expected
        .iter()
        .flat_map(|path| path.ancestors().skip(1))
        .collect();
    let mut vanished = Vec::new();
    let mut open: Vec<PathBuf> = owned.iter().map(|part| out.join(part)).collect();
    while let Some(path) = open.pop() {
        let kind = match fs::symlink_metadata(&path) {
            Ok(found) => found.file_type(),
            Err(source) if source.kind() == io::ErrorKind::NotFound => continue,
            Err(source) => return Err(io_error(&path, source)),
        };
        if kind.is_dir() {
            let entries = fs::read_dir(&path).map_err(|source| io_error(&path, source))?;
            open.extend(entries.flatten().map(|entry| entry.path()));
        }
        let stays = if kind.is_dir() {
            folders.contains(path.as_path())
        } else {
            kind.is_file() && expected.contains(&path)
        };
        if !stays {
            vanished.push(path);
        }
    }
    // A folder was found before what is in it.
    vanished.reverse();
    Ok(vanished)
}

/// Removes a file or an empty folder; what is gone already is gone.
fn remove(path: &Path) -> Result<(), EmitError> {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    let removed = if is_folder {
        fs::remove_dir(path)
    } else {
        fs::remove_file(path)
    };
    match removed {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(io_error(path, source)),
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

    fn write(&self, path: &str, bytes: &[u8]) -> Result<(), EmitError> {
        let target = self.path.join(path);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(|source| io_error(parent, source))?;
        }
        fs::write(&target, bytes).map_err(|source| io_error(&target, source))
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // What is left over costs disk space alone.
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn io_error(path: &Path, source: io::Error) -> EmitError {
    EmitError::Io {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    const OWNED: &[&str] = &["server", "plain.json"];

    fn files(of: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
        let own = |(path, text): &(&str, &str)| ((*path).to_owned(), text.as_bytes().to_vec());
        of.iter().map(own).collect()
    }

    #[test]
    fn a_swap_that_stops_half_way_leaves_no_mark() {
        let temporary = tempfile::tempdir().unwrap();
        let out = temporary.path().join("out");
        place(&files(&[(MARK, "1"), ("server/a", "1")]), OWNED, &out).unwrap();
        let staging = Staging::create(&out).unwrap();
        let (path, bytes) = ("server/a".to_owned(), b"2".to_vec());
        // The staged file is not there, as after a full disk.
        let error = swap(&staging, &out, &[(&path, &bytes)], &[]).unwrap_err();
        assert!(
            error.to_string().ends_with("server/a cannot be written"),
            "{error}"
        );
        assert!(!out.join(MARK).exists());
    }

    #[test]
    fn only_what_differs_is_touched_and_what_vanished_is_gone() {
        let temporary = tempfile::tempdir().unwrap();
        let out = temporary.path().join("out");
        let old = files(&[
            (MARK, "1"),
            ("plain.json", "1"),
            ("server/same", "1"),
            ("server/other", "1"),
            ("server/gone/deep/x", "1"),
            ("server/file", "1"),
        ]);
        place(&old, OWNED, &out).unwrap();
        fs::write(out.join("foreign"), "kept").unwrap();
        let inode = |path: &str| fs::metadata(out.join(path)).unwrap().ino();
        let before = inode("server/same");
        let new = files(&[
            (MARK, "2"),
            ("server/same", "1"),
            ("server/other", "2"),
            ("server/gone", "now a file"),
            ("server/file/inside", "now a folder"),
        ]);
        place(&new, OWNED, &out).unwrap();
        for (path, bytes) in &new {
            assert_eq!(fs::read(out.join(path)).unwrap(), *bytes, "{path}");
        }
        assert_eq!(inode("server/same"), before);
        assert!(!out.join("plain.json").exists());
        assert!(out.join("foreign").exists());
        let mark = inode(MARK);
        place(&new, OWNED, &out).unwrap();
        assert_eq!(inode(MARK), mark);
        let left = fs::read_dir(temporary.path()).unwrap().count();
        assert_eq!(left, 1, "nothing is left beside it");
    }
}
