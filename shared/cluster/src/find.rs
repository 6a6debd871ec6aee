//! Finding Postgres's programs, in a fixed order, always able to say which and why.
//!
//! 1. the folder named explicitly; if that is unusable, nothing else is tried;
//! 2. the folders of PATH; a link is followed, so that programs find their own installation;
//! 3. the folders in which systems install it, newest first;
//! 4. the small package in the cache folder, else installed there;
//! 5. the system's package manager, if that is permitted.

use std::cmp::Reverse;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::POSTGRES_MAJOR_MIN;
use crate::error::ClusterError;
use crate::install;

/// Where to look, and what is permitted.
#[derive(Debug, Clone, Default)]
pub struct FindOptions {
    /// The folder of the knob `OPENEVE_POSTGRES_BIN`.
    pub explicit: Option<PathBuf>,
    /// The value of PATH; also where `python3` and package managers are looked for.
    pub path: OsString,
    /// A folder for the small package; none forbids it.
    pub cache: Option<PathBuf>,
    /// Whether the system's package manager may be run.
    pub may_install: bool,
}

/// A folder with `initdb` and `postgres` that run here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binaries {
    dir: PathBuf,
    major: u32,
}

impl Binaries {
    /// Looks in the order of this module's header and says in one sentence what it does.
    pub fn find(options: &FindOptions, say: &mut dyn FnMut(&str)) -> Result<Self, ClusterError> {
        if let Some(dir) = &options.explicit {
            let found = Self::probe(dir).map_err(|why| ClusterError::Unusable {
                dir: dir.clone(),
                why,
            })?;
            return Ok(found.chosen("named by OPENEVE_POSTGRES_BIN", say));
        }
        let mut tried = Vec::new();
        if let Some(found) = first(path_folders(options), &mut tried) {
            return Ok(found.chosen("found on PATH", say));
        }
        tried.push("PATH has no initdb with postgres beside it".to_owned());
        if let Some(found) = first(usual_folders(), &mut tried) {
            return Ok(found.chosen("found in a usual folder", say));
        }
        tried.push("no usual folder holds it".to_owned());
        if let Some(cache) = &options.cache {
            match install::small_package(cache, &options.path, say) {
                Ok(found) => return Ok(found.chosen("from the small package", say)),
                Err(why) => tried.push(why),
            }
        }
        if options.may_install {
            match install::system_package(&options.path, say) {
                Ok(()) => {
                    if let Some(found) = first(usual_folders(), &mut tried) {
                        return Ok(found.chosen("just installed", say));
                    }
                    tried.push("the package manager installed none in a usual folder".to_owned());
                }
                Err(why) => tried.push(why),
            }
        }
        Err(ClusterError::NotFound { tried })
    }

    /// The folder of the programs.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The major version.
    pub const fn major(&self) -> u32 {
        self.major
    }

    /// The path of one program.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Checks that a folder's programs exist, run and are new enough.
    pub(crate) fn probe(dir: &Path) -> Result<Self, String> {
        for name in ["initdb", "postgres"] {
            if !dir.join(name).is_file() {
                return Err(format!("{} has no {name}", dir.display()));
            }
        }
        let program = dir.join("postgres");
        let output = Command::new(&program)
            .arg("--version")
            .output()
            .map_err(|error| format!("{} does not run: {error}", program.display()))?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let Some(major) = major_version(&text) else {
            return Err(format!("{} --version says {text:?}", program.display()));
        };
        if major < POSTGRES_MAJOR_MIN {
            return Err(format!(
                "{} is version {major}, older than {POSTGRES_MAJOR_MIN}",
                dir.display()
            ));
        }
        Ok(Self {
            dir: dir.to_owned(),
            major,
        })
    }

    fn chosen(self, why: &str, say: &mut dyn FnMut(&str)) -> Self {
        say(&format!(
            "Postgres: using {} (version {}, {why})",
            self.dir.display(),
            self.major
        ));
        self
    }
}

/// The first folder that works; the others' faults are noted unless they just hold nothing.
fn first(folders: Vec<PathBuf>, tried: &mut Vec<String>) -> Option<Binaries> {
    folders
        .into_iter()
        .find_map(|folder| match Binaries::probe(&folder) {
            Ok(found) => Some(found),
            Err(why) => {
                tried.push(why);
                None
            }
        })
}

/// The folders on PATH that have an `initdb`, links followed where `postgres` lies beside the target.
fn path_folders(options: &FindOptions) -> Vec<PathBuf> {
    std::env::split_paths(&options.path)
        .filter(|folder| folder.is_absolute() && folder.join("initdb").is_file())
        .filter_map(|folder| {
            let target = fs::canonicalize(folder.join("initdb"))
                .ok()?
                .parent()?
                .to_owned();
            [target, folder]
                .into_iter()
                .find(|folder| folder.join("postgres").is_file())
        })
        .collect()
}

/// The folders in which systems put Postgres, newest version first.
fn usual_folders() -> Vec<PathBuf> {
    const PATTERNS: [(&str, &str, &str); 6] = [
        ("/usr/lib/postgresql", "", "bin"),
        ("/usr", "pgsql-", "bin"),
        ("/usr/local", "pgsql", "bin"),
        ("/opt/homebrew/opt", "postgresql", "bin"),
        ("/usr/local/opt", "postgresql", "bin"),
        ("/Applications/Postgres.app/Contents/Versions", "", "bin"),
    ];
    let mut folders: Vec<PathBuf> = PATTERNS
        .iter()
        .flat_map(|(root, prefix, tail)| versions(Path::new(root), prefix, tail))
        .collect();
    folders.push(PathBuf::from("/usr/bin"));
    folders.retain(|folder| folder.join("initdb").is_file());
    folders
}

/// The folders `root/<prefix>…/tail`, highest number first.
fn versions(root: &Path, prefix: &str, tail: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(root) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.starts_with(prefix))
        .collect();
    names.sort_by_cached_key(|name| Reverse((first_number(name), name.clone())));
    names
        .into_iter()
        .map(|name| root.join(name).join(tail))
        .collect()
}

/// The major version in `postgres (PostgreSQL) 15.18 (Debian …)` or `… 19beta1`.
fn major_version(text: &str) -> Option<u32> {
    first_number(text.split_once("(PostgreSQL)")?.1)
}

fn first_number(text: &str) -> Option<u32> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let digits: String = text
        .get(start..)?
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// A folder with programs that only know their version.
    fn pretend(dir: &Path, version: &str) {
        fs::create_dir_all(dir).unwrap();
        for name in ["initdb", "postgres"] {
            let script = format!("#!/bin/sh\necho 'postgres (PostgreSQL) {version}'\n");
            fs::write(dir.join(name), script).unwrap();
            fs::set_permissions(dir.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    fn find(options: &FindOptions) -> (Result<Binaries, ClusterError>, Vec<String>) {
        let mut said = Vec::new();
        let found = Binaries::find(options, &mut |line| said.push(line.to_owned()));
        (found, said)
    }

    #[test]
    fn an_explicit_folder_wins_and_is_never_replaced_by_another() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("bin");
        let options = FindOptions {
            explicit: Some(dir.clone()),
            ..FindOptions::default()
        };
        let (found, _) = find(&options);
        assert!(
            matches!(found, Err(ClusterError::Unusable { .. })),
            "{found:?}"
        );
        pretend(&dir, "18.6");
        let (found, said) = find(&options);
        assert_eq!(found.unwrap().major(), 18);
        let expected = format!(
            "Postgres: using {} (version 18, named by OPENEVE_POSTGRES_BIN)",
            dir.display()
        );
        assert_eq!(said, [expected]);
    }

    #[test]
    fn a_path_entry_counts_only_with_both_programs_and_its_links_are_followed() {
        let root = tempfile::tempdir().unwrap();
        let (real, links, half) = (
            root.path().join("real"),
            root.path().join("links"),
            root.path().join("half"),
        );
        pretend(&real, "17.1");
        fs::create_dir_all(&links).unwrap();
        symlink(real.join("initdb"), links.join("initdb")).unwrap();
        fs::create_dir_all(&half).unwrap();
        fs::write(half.join("initdb"), "").unwrap();
        let path = std::env::join_paths([half, links]).unwrap();
        let (found, said) = find(&FindOptions {
            path,
            ..FindOptions::default()
        });
        assert_eq!(found.unwrap().dir(), fs::canonicalize(real).unwrap());
        assert!(said[0].ends_with("(version 17, found on PATH)"), "{said:?}");
    }

    #[test]
    fn a_version_that_is_too_old_is_passed_over() {
        let root = tempfile::tempdir().unwrap();
        pretend(root.path(), "13.4");
        assert!(
            Binaries::probe(root.path())
                .unwrap_err()
                .contains("older than 15")
        );
    }

    #[test]
    fn newer_versions_come_first_by_number_not_by_text() {
        let root = tempfile::tempdir().unwrap();
        for version in ["9.6", "15", "18"] {
            fs::create_dir_all(root.path().join(version)).unwrap();
        }
        let names: Vec<_> = versions(root.path(), "", "bin")
            .iter()
            .map(|path| {
                path.strip_prefix(root.path())
                    .unwrap()
                    .display()
                    .to_string()
            })
            .collect();
        assert_eq!(names, ["18/bin", "15/bin", "9.6/bin"]);
        assert_eq!(major_version("postgres (PostgreSQL) 19beta1"), Some(19));
    }
}
