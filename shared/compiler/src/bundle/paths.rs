//! Imports by a name that the project gives to its own paths (see [`crate::aliases`]).
//!
//! They are resolved here and not by the bundler's own reading of `tsconfig.json`, which would let the
//! rest of that file change the code. A name of `package.json` is the bundler's own business.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use rolldown::plugin::{
    HookResolveIdArgs, HookResolveIdOutput, HookResolveIdReturn, HookUsage, Plugin, PluginContext,
    PluginContextResolveOptions,
};

use super::builtins::package_name;
use crate::aliases::Aliases;

/// The plugin of one run.
#[derive(Debug)]
pub(super) struct Paths {
    root: PathBuf,
    aliases: Aliases,
}

impl Paths {
    pub(super) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            aliases: Aliases::of(root),
        }
    }
}

impl Plugin for Paths {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("openeve:paths")
    }

    fn register_hook_usage(&self) -> HookUsage {
        HookUsage::ResolveId
    }

    async fn resolve_id(
        &self,
        context: &PluginContext,
        args: &HookResolveIdArgs<'_>,
    ) -> HookResolveIdReturn {
        let is_own = args
            .importer
            .is_some_and(|importer| package_name(importer).is_none());
        if !is_own || args.specifier.starts_with(['.', '/', '#', '\0']) {
            return Ok(None);
        }
        for path in self.aliases.paths(args.specifier) {
            let path = self.root.join(path).to_string_lossy().into_owned();
            let options = PluginContextResolveOptions {
                import_kind: args.kind,
                ..PluginContextResolveOptions::default()
            };
            let found = context.resolve(&path, args.importer, Some(options)).await?;
            if let Ok(found) = found {
                return Ok(Some(HookResolveIdOutput::from_id(found.id.as_str())));
            }
        }
        Ok(None)
    }
}
