//! The codes of diagnostics, in one table.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::diagnostic::Severity;

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $text:literal $severity:ident,)+) => {
        /// What kind of finding it is. The texts are stable: scripts and documentation refer to them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $($(#[doc = $doc])+ $variant,)+ }

        impl Code {
            /// Every code, in the order of the stages that report them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable text, such as `not-static`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// What kind of finding it is, in a sentence.
            pub fn about(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+).trim_start(),)+ }
            }

            /// Whether the finding stops the build.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)+ }
            }
        }
    };
}

codes! {
    /// The folder cannot be opened.
    UnreadableFolder = "unreadable-folder" Error,
    /// A file of the folder cannot be read as UTF-8 text.
    UnreadableFile = "unreadable-file" Error,
    /// `instructions.md` is absent or empty.
    MissingInstructions = "missing-instructions" Error,
    /// `agent.ts` is absent.
    MissingAgent = "missing-agent" Error,
    /// A file's name cannot be the name of a tool, channel or schedule, or is a core tool's.
    BadName = "bad-name" Error,
    /// A file that looks meant for the agent, but that nothing reads.
    IgnoredFile = "ignored-file" Warning,
    /// A name that is close to a part of an agent folder and is not one.
    NearName = "near-name" Warning,
    /// A part that only the agent itself has lies in a subagent, or a subagent lies too deep.
    MisplacedPart = "misplaced-part" Error,
    /// A part of the framework that this version recognises and leaves out.
    NotYetSupported = "not-yet-supported" Warning,
    /// The head of a `SKILL.md` is absent or cannot be read.
    BadFrontmatter = "bad-frontmatter" Error,
    /// A file is not TypeScript.
    SyntaxError = "syntax-error" Error,
    /// A file does not export the definition that its place in the folder asks for.
    MissingDefinition = "missing-definition" Error,
    /// Two files define what there can be one of.
    DuplicateDefinition = "duplicate-definition" Error,
    /// A value cannot be read without running the author's code.
    NotStatic = "not-static" Error,
    /// A required key is absent.
    MissingKey = "missing-key" Error,
    /// A key that the definition does not have.
    UnknownKey = "unknown-key" Error,
    /// A value of the wrong type or out of its range.
    BadValue = "bad-value" Error,
    /// `agent.ts` names an engine; agents do not choose one [A2.06].
    HarnessNotConfigurable = "harness-not-configurable" Error,
    /// A gateway slot names an adapter that does not exist.
    UnknownAdapter = "unknown-adapter" Error,
    /// A channel's route cannot be served.
    BadRoute = "bad-route" Error,
    /// Two channels claim one route and method.
    DuplicateRoute = "duplicate-route" Error,
    /// A schedule's expression is not one.
    BadCron = "bad-cron" Error,
    /// A schedule's zone is not in the zone database.
    BadTimezone = "bad-timezone" Error,
    /// A schedule names a channel that the folder lacks.
    UnknownChannel = "unknown-channel" Error,
    /// A schedule names a trigger handler that the folder lacks.
    UnknownTrigger = "unknown-trigger" Error,
    /// A name stands for an operation of a connection that the folder lacks.
    UnknownConnection = "unknown-connection" Error,
    /// `defaultTools` names a tool that the folder lacks.
    UnknownTool = "unknown-tool" Error,
    /// A schema that is made by code could not be evaluated, or is none.
    SchemaFailed = "schema-failed" Error,
    /// A sandbox's `revalidationKey` could not be evaluated when the agent was built.
    KeyFailed = "key-failed" Error,
    /// The provider of the agent's model refuses or ignores a part of a tool's schema.
    SchemaRefused = "schema-refused" Warning,
    /// An import leads nowhere, or to something that the engine does not have.
    UnresolvedImport = "unresolved-import" Error,
    /// A package imports a module of Node that tools do not have.
    AbsentBuiltin = "absent-builtin" Warning,
    /// A package consists of machine code, which the engine cannot load.
    NativeCode = "native-code" Error,
    /// A name is imported that the module does not export.
    MissingExport = "missing-export" Error,
    /// The bundler gave up for a reason that has no code of its own.
    BundleFailed = "bundle-failed" Error,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_written_in_lower_case_with_hyphens_and_only_once() {
        let mut texts: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert!(
            texts
                .iter()
                .all(|text| text.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
        );
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), Code::ALL.len());
    }
}
