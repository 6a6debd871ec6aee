//! What is bundled: a definition of the folder, and where its module goes.

use crate::discover::SourceFile;

/// A definition that becomes a module of the artifact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'a> {
    /// The folder below `server/modules`, such as `tools`.
    pub(crate) directory: &'a str,
    /// The definition's name.
    pub(crate) name: &'a str,
    /// The file it stands in.
    pub(crate) file: &'a SourceFile,
    /// What that file exports it as.
    pub(crate) export: &'a str,
}

impl Entry<'_> {
    /// Where its module stands in the artifact.
    pub(crate) fn module_path(&self) -> String {
        module_path(self.directory, self.name)
    }
}

/// Where the module of a definition stands in the artifact.
pub(crate) fn module_path(directory: &str, name: &str) -> String {
    format!("server/modules/{directory}/{name}.js")
}
