//! Imports at run time: `@openeve/core` and Node's built-in modules, as far as they are offered; a
//! bundle holds everything else.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use openeve_domain::node::{Builtin, builtin};
use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::{Declared, WriteOptions};
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
        match node::source(name) {
            Some(source) => declare_builtin(ctx, name, source),
            None => Module::declare(ctx.clone(), name, CORE_SOURCE),
        }
    }
}

/// What this process's engine made of Node's modules; there are a few dozen.
static COMPILED: Mutex<BTreeMap<String, Arc<[u8]>>> = Mutex::new(BTreeMap::new());

/// A module of Node, parsed once in this process.
pub(crate) fn declare_builtin<'js>(
    ctx: &Ctx<'js>,
    name: &str,
    source: &str,
) -> Result<Module<'js, Declared>> {
    let lock = || COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let compiled = lock().get(name).map(Arc::clone);
    if let Some(compiled) = compiled {
        #[expect(
            unsafe_code,
            reason = "the engine has no safe way to take compiled code"
        )]
        // SAFETY: `write` below made it, in this process, of a source that is compiled in.
        return unsafe { Module::load(ctx.clone(), &compiled) };
    }
    let module = Module::declare(ctx.clone(), name, source)?;
    match module.write(WriteOptions::default()) {
        Ok(compiled) => drop(lock().insert(name.to_owned(), compiled.into())),
        // The next call parses it again.
        Err(_) => drop(ctx.catch()),
    }
    Ok(module)
}
