//! Imports at run time: `@openeve/core` alone, for a bundle holds everything else.

use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::{Ctx, Exception, Module, Result};

const CORE: &str = "@openeve/core";
const CORE_SOURCE: &str = include_str!("../js/openeve_core.js");

/// Resolves and loads the one module.
pub(crate) struct Imports;

impl Resolver for Imports {
    fn resolve<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        base: &str,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<String> {
        if name == CORE {
            return Ok(name.to_owned());
        }
        Err(Exception::throw_message(
            ctx,
            &format!(
                "{base} imports {name:?} at run time; a bundled tool can import only {CORE}, \
                 so the build must bundle {name:?} or the code must do without it"
            ),
        ))
    }
}

impl Loader for Imports {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<Module<'js>> {
        Module::declare(ctx.clone(), name, CORE_SOURCE)
    }
}
