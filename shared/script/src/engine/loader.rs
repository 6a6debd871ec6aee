//! Imports at run time: `@openeve/core` and Node's built-in modules, as far as they are offered; a
//! bundle holds everything else.

use openeve_domain::node::{Builtin, builtin};
use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::{Ctx, Exception, Module, Result};

use crate::host::Native;
use crate::node;

const CORE: &str = "@openeve/core";
const CORE_SOURCE: &str = include_str!("../js/openeve_core.js");

/// Resolves and loads what is not in a bundle.
pub(crate) struct Imports;

impl Resolver for Imports {
    fn resolve<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        base: &str,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<String> {
        // What Rust grants, and the shared parts, are for Node's modules alone.
        let is_inner = base.starts_with("node:");
        if name == CORE || (is_inner && (name == node::NATIVE || name.starts_with(node::INTERNAL)))
        {
            return Ok(name.to_owned());
        }
        if let Some(found) = builtin(name).filter(|found| Builtin::is_offered(found)) {
            return Ok(format!("node:{}", found.name));
        }
        Err(Exception::throw_message(
            ctx,
            &format!(
                "{base} imports {name:?} at run time; a bundled tool can import only {CORE} and \
                 the offered modules of Node, so the build must bundle {name:?} or the code must do \
                 without it"
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
        if name == node::NATIVE {
            return Module::declare_def::<Native, _>(ctx.clone(), name);
        }
        let source = node::source(name).unwrap_or(CORE_SOURCE);
        Module::declare(ctx.clone(), name, source)
    }
}
