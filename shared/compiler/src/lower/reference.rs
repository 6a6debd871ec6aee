//! Names of other parts of the folder: noted where they are read, looked up when all is read.
//!
//! They are noted even if the rest of their definition is wrong, so that every finding comes at once.

use crate::diagnostic::Span;

/// What a name has to be the name of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum To {
    /// A file in `tools/`.
    OwnTool,
    /// A file in `tools/`, a tool of the framework, or an operation of a connection.
    AnyTool,
    /// A file in `channels/`.
    Channel,
    /// A file in `triggers/`.
    Trigger,
}

/// A name and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Reference {
    pub(crate) to: To,
    pub(crate) name: String,
    pub(crate) span: Span,
    /// Who says it, as in "… names".
    pub(crate) says: String,
}
