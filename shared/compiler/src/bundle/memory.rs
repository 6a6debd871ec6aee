//! What was bundled before and is still true, so that a change costs what it touches.
//!
//! A bundle depends on the files it consists of and on where imports lead. It is kept with a stamp
//! of each: the content of the author's files; size, times and inode of files of packages, which are
//! many and change with an installation; the names in the folders that authored files lie in, for a
//! new file may stand before another; and of every folder above them what decides about packages.
//! A bundle with an import that leads nowhere is never kept, nor is one of which a part changed while
//! it was made: nobody knows whether it was read before or after.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use openeve_domain::canonical::sha256_hex;

use super::Imports;

/// What decides, in each folder above a file, where its imports lead.
const DECIDING: [&str; 6] = [
    "package.json",
    "tsconfig.json",
    "node_modules/.package-lock.json",
    "node_modules/.modules.yaml",
    "node_modules/.yarn-integrity",
    "node_modules/.yarn-state.yml",
];

/// The state of a file or folder.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stamp {
    Absent,
    /// SHA-256 of the content, or of a folder's names.
    Content(String),
    /// Size, times of change in nanoseconds, and inode.
    Looks(u64, i128, i128, u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Kind {
    Content,
    Looks,
    Names,
}

type Stamps = Arc<[(PathBuf, Kind, Stamp)]>;

#[derive(Debug)]
struct Kept<T> {
    stamps: Stamps,
    value: T,
}

/// Bundles by what they were made for, and the stamps of this compilation.
#[derive(Debug)]
pub(crate) struct Memory<T> {
    kept: Mutex<HashMap<String, Kept<T>>>,
    now: Mutex<HashMap<PathBuf, Vec<(Kind, Stamp)>>>,
    /// When this compilation began, in nanoseconds of the file system's time.
    begun_ns: AtomicI64,
}

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Self {
            kept: Mutex::default(),
            now: Mutex::default(),
            begun_ns: AtomicI64::new(i64::MAX),
        }
    }
}

impl<T: Clone> Memory<T> {
    /// A compilation begins: what the files looked like before counts no more.
    #[expect(
        clippy::disallowed_methods,
        reason = "it is compared with the times of files, which no replay has"
    )]
    pub(crate) fn begin(&self) {
        lock(&self.now).clear();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).ok();
        let now = since.and_then(|since| i64::try_from(since.as_nanos()).ok());
        // Without a clock nothing is kept.
        self.begun_ns
            .store(now.unwrap_or(i64::MIN), Ordering::Relaxed);
    }

    /// What was made for this key, if nothing that it depends on has changed.
    pub(crate) fn recall(&self, key: &str) -> Option<T> {
        let (stamps, value) = {
            let kept = lock(&self.kept);
            let kept = kept.get(key)?;
            (Arc::clone(&kept.stamps), kept.value.clone())
        };
        let mut each = stamps.iter();
        let holds = each.all(|(path, kind, stamp)| self.is(path, *kind, stamp));
        holds.then_some(value)
    }

    /// Keeps what was made of these imports for this key, if none of its parts has changed since the
    /// compilation began.
    pub(crate) fn keep(
        &self,
        key: String,
        root: &Path,
        source: &Path,
        imports: &Imports,
        value: T,
    ) {
        let parts = depends_on(root, source, imports);
        let begun_ns = self.begun_ns.load(Ordering::Relaxed);
        if parts.iter().any(|(path, _)| changed_since(path, begun_ns)) {
            return;
        }
        let stamps = parts.into_iter().map(|(path, kind)| {
            let stamp = self.stamp(&path, kind);
            (path, kind, stamp)
        });
        let stamps = stamps.collect();
        lock(&self.kept).insert(key, Kept { stamps, value });
    }

    /// Whether a file or folder looks as it did.
    fn is(&self, path: &Path, kind: Kind, stamp: &Stamp) -> bool {
        let known = lock(&self.now).get(path).and_then(|known| {
            let mut known = known.iter();
            known
                .find(|(of, _)| *of == kind)
                .map(|(_, now)| now == stamp)
        });
        known.unwrap_or_else(|| self.stamp(path, kind) == *stamp)
    }

    fn stamp(&self, path: &Path, kind: Kind) -> Stamp {
        let known = lock(&self.now).get(path).and_then(|known| {
            let mut known = known.iter();
            known
                .find(|(of, _)| *of == kind)
                .map(|(_, now)| now.clone())
        });
        known.unwrap_or_else(|| {
            let stamp = read(path, kind);
            let mut now = lock(&self.now);
            now.entry(path.to_owned())
                .or_default()
                .push((kind, stamp.clone()));
            stamp
        })
    }
}

/// Whether a file or folder may have changed since then. The file system's clock moves in steps.
fn changed_since(path: &Path, begun_ns: i64) -> bool {
    const STEP_NS: i64 = 20_000_000;
    fs::symlink_metadata(path).is_ok_and(|found| {
        let at = found.ctime().saturating_mul(1_000_000_000);
        at.saturating_add(found.ctime_nsec()) >= begun_ns.saturating_sub(STEP_NS)
    })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn depends_on(root: &Path, source: &Path, imports: &Imports) -> BTreeSet<(PathBuf, Kind)> {
    let mut parts = BTreeSet::new();
    let mut folders = BTreeSet::from([root.to_owned()]);
    let inputs = imports.0.iter().map(|(_, to)| Path::new(to.as_str()));
    for path in inputs.filter(|path| path.is_absolute()).chain([source]) {
        let packaged = path
            .components()
            .any(|part| part.as_os_str() == "node_modules");
        if packaged {
            parts.insert((path.to_owned(), Kind::Looks));
            // A package may say of each of its folders what its files are.
            let own = path.ancestors().skip(1);
            let own = own.take_while(|folder| !folder.ends_with("node_modules"));
            parts.extend(own.map(|folder| (folder.join("package.json"), Kind::Looks)));
            continue;
        }
        parts.insert((path.to_owned(), Kind::Content));
        if let Some(folder) = path.parent() {
            parts.insert((folder.to_owned(), Kind::Names));
            folders.insert(folder.to_owned());
            // `x/index.ts` gives way to an `x.ts` that appears beside its folder.
            let inside = folder
                .ancestors()
                .take_while(|above| above.starts_with(root));
            parts.extend(inside.map(|above| (above.to_owned(), Kind::Names)));
        }
    }
    let above: BTreeSet<&Path> = folders
        .iter()
        .flat_map(|folder| folder.ancestors())
        .collect();
    for folder in above {
        parts.extend(DECIDING.iter().map(|name| (folder.join(name), Kind::Looks)));
        parts.insert((folder.join("node_modules"), Kind::Names));
    }
    parts
}

fn read(path: &Path, kind: Kind) -> Stamp {
    match kind {
        Kind::Content => {
            fs::read(path).map_or(Stamp::Absent, |bytes| Stamp::Content(sha256_hex(&bytes)))
        }
        Kind::Names => fs::read_dir(path).map_or(Stamp::Absent, |entries| {
            let names: BTreeSet<String> = entries
                .flatten()
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                // The artifact and what editors write on the way come and go.
                .filter(|name| !name.starts_with('.'))
                .collect();
            let names: Vec<String> = names.into_iter().collect();
            Stamp::Content(sha256_hex(names.join("/").as_bytes()))
        }),
        Kind::Looks => fs::metadata(path).map_or(Stamp::Absent, |found| {
            let time = |seconds: i64, nanoseconds: i64| {
                i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds)
            };
            Stamp::Looks(
                found.size(),
                time(found.mtime(), found.mtime_nsec()),
                time(found.ctime(), found.ctime_nsec()),
                found.ino(),
            )
        }),
    }
}
