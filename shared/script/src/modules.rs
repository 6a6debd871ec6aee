//! Bundled modules: read once, checked against the manifest, then kept in memory.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use openeve_domain::canonical::sha256_hex;
use openeve_domain::manifest::ModuleRef;

use crate::source_map::SourceMap;

/// Why a module may not run. The call fails; no other call is touched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ModuleError {
    /// The manifest names a file outside the artifact.
    #[error("the module path {0:?} leaves the artifact")]
    Outside(String),
    /// The file is missing or unreadable.
    #[error("the module {path} cannot be read: {source}")]
    Unreadable {
        path: String,
        #[source]
        source: std::io::Error,
    },
    /// The file is not the one the manifest was made with.
    #[error("the module {0} does not have the SHA-256 the manifest names; deploy the agent again")]
    Changed(String),
    /// The file is no text.
    #[error("the module {0} is not UTF-8")]
    NotText(String),
}

/// Largest source map that is read for the sake of a message, in bytes.
const SOURCE_MAP_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// A module's path and hash.
type Key = (String, String);

/// The modules of one artifact.
#[derive(Debug)]
pub(crate) struct Modules {
    root: PathBuf,
    verified: Mutex<HashMap<Key, Arc<str>>>,
    /// What this process's engine made of a module.
    compiled: Mutex<HashMap<Key, Arc<[u8]>>>,
}

impl Modules {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self {
            root,
            verified: Mutex::default(),
            compiled: Mutex::default(),
        }
    }

    /// The verified source of a module. Blocks on the file system the first time.
    pub(crate) fn source(&self, module: &ModuleRef) -> Result<Arc<str>, ModuleError> {
        let key = (module.path.clone(), module.sha256.clone());
        let lock = || self.verified.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(source) = lock().get(&key) {
            return Ok(Arc::clone(source));
        }
        let source = self.read(module)?;
        lock().insert(key, Arc::clone(&source));
        Ok(source)
    }

    /// What was [kept](Self::keep_compiled) of a module whose source was verified.
    pub(crate) fn compiled(&self, module: &ModuleRef) -> Option<Arc<[u8]>> {
        let key = (module.path.clone(), module.sha256.clone());
        let compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        compiled.get(&key).map(Arc::clone)
    }

    /// Keeps what the engine made of a module for the next call of this process.
    pub(crate) fn keep_compiled(&self, module: &ModuleRef, code: Vec<u8>) {
        let key = (module.path.clone(), module.sha256.clone());
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        compiled.entry(key).or_insert_with(|| code.into());
    }

    /// A text of the engine's with the places in a module made those of the author's files. It says
    /// the same without the module's source map. Blocks on the file system.
    pub(crate) fn placed(&self, module: &ModuleRef, text: String) -> String {
        if !text.contains(&format!("{}:", module.path)) || !stays_inside(&module.path) {
            return text;
        }
        let path = self.root.join(format!("{}.map", module.path));
        let readable = fs::metadata(&path).is_ok_and(|found| found.len() <= SOURCE_MAP_BYTES_MAX);
        let json = readable.then(|| fs::read_to_string(&path).ok()).flatten();
        match json.and_then(|json| SourceMap::read(&json)) {
            Some(map) => map.place(&text, &module.path),
            None => text,
        }
    }

    fn read(&self, module: &ModuleRef) -> Result<Arc<str>, ModuleError> {
        if !stays_inside(&module.path) {
            return Err(ModuleError::Outside(module.path.clone()));
        }
        let bytes =
            fs::read(self.root.join(&module.path)).map_err(|source| ModuleError::Unreadable {
                path: module.path.clone(),
                source,
            })?;
        if !sha256_hex(&bytes).eq_ignore_ascii_case(&module.sha256) {
            return Err(ModuleError::Changed(module.path.clone()));
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(text.into()),
            Err(_) => Err(ModuleError::NotText(module.path.clone())),
        }
    }
}

fn stays_inside(path: &str) -> bool {
    let inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    Path::new(path).components().all(inside)
}
