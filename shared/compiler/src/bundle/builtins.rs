//! Where imports of Node's built-in modules lead.
//!
//! One that tools have stays an import, as `node:x`; a `require` of it becomes a module that hands over
//! the default export, which is what `CommonJS` means. One that tools do not have is an error in the
//! author's own files. In a package it is a warning, and a module stands in for it that is harmless until
//! something of it is called: many packages mention `fs` and never use it on the way that a tool takes. A
//! `require` that the package guards with `try` stays what it is and throws, so that its fallback works.
//! What a package's `browser` field says goes before all of this.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use openeve_domain::node::{Builtin, builtin};
use rolldown::plugin::{
    HookLoadArgs, HookLoadOutput, HookLoadReturn, HookResolveIdArgs, HookResolveIdOutput,
    HookResolveIdReturn, HookUsage, Plugin, PluginContext, PluginContextResolveOptions,
    SharedLoadPluginContext,
};
use rolldown_common::side_effects::HookSideEffects;
use rolldown_common::{ImportKind, ModuleType, ResolvedExternal};

/// The helper that makes what stands for an absent module.
const HELPER: &str = include_str!("absent.js");
/// What each module that tools do not have exports, one a line.
const EXPORTS: &str = include_str!("absent_exports.txt");

/// Specifiers of the modules that are made here begin so; their ids have a zero byte before it, which
/// keeps other resolvers away.
const OWN: &str = "openeve:node/";
const HELPER_NAME: &str = "openeve:node/absent";
const MARK: &str = "/node_modules/";

/// An import by a package of a module that tools do not have: importer and specifier.
pub(super) type Absent = BTreeSet<(String, String)>;

/// The plugin of one run.
#[derive(Debug)]
pub(super) struct Builtins {
    /// Unguarded `require`s, known from a run before, that get a stand-in.
    unguarded: Absent,
    seen: Arc<Mutex<Absent>>,
}

impl Builtins {
    pub(super) fn new(unguarded: Absent, seen: Arc<Mutex<Absent>>) -> Self {
        Self { unguarded, seen }
    }

    /// The stand-in for a module that tools do not have; none where the import fails as it is.
    fn stand_in(&self, found: &Builtin, args: &HookResolveIdArgs<'_>) -> Option<String> {
        let importer = args.importer?;
        let package = package_name(importer)?;
        let edge = (importer.to_owned(), args.specifier.to_owned());
        let requires = args.kind == ImportKind::Require;
        if requires && !self.unguarded.contains(&edge) {
            return None;
        }
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(edge);
        let kind = if requires { "require" } else { "import" };
        Some(format!("\0{OWN}{kind}/{package}|{}", found.name))
    }
}

/// Whether an import that leads nowhere is a package's of a module that tools do not have.
pub(super) fn is_absent(importer: &str, specifier: &str) -> bool {
    package_name(importer).is_some() && builtin(specifier).is_some_and(|found| !found.is_offered())
}

/// The package a file belongs to, if it lies in `node_modules`.
pub(super) fn package_name(path: &str) -> Option<String> {
    let (_, inside) = path.rsplit_once(MARK)?;
    let parts = if inside.starts_with('@') { 2 } else { 1 };
    Some(inside.split('/').take(parts).collect::<Vec<_>>().join("/"))
}

impl Plugin for Builtins {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("openeve:node")
    }

    fn register_hook_usage(&self) -> HookUsage {
        HookUsage::ResolveId | HookUsage::Load
    }

    async fn resolve_id(
        &self,
        context: &PluginContext,
        args: &HookResolveIdArgs<'_>,
    ) -> HookResolveIdReturn {
        if args.specifier.starts_with(OWN) {
            return Ok(Some(pure(format!("\0{}", args.specifier))));
        }
        let Some(found) = builtin(args.specifier) else {
            return Ok(None);
        };
        let is_own = args
            .importer
            .is_some_and(|importer| importer.starts_with('\0'));
        if !is_own {
            let options = PluginContextResolveOptions {
                import_kind: args.kind,
                ..PluginContextResolveOptions::default()
            };
            let other = context
                .resolve(args.specifier, args.importer, Some(options))
                .await?;
            // Another module by the `browser` field; a package that has a module's name is none.
            let package = format!("{MARK}{}/", found.name);
            if other.is_ok_and(|other| !other.id.as_str().contains(&package)) {
                return Ok(None);
            }
        }
        if !found.is_offered() {
            return Ok(self.stand_in(found, args).map(pure));
        }
        if args.kind == ImportKind::Require && !is_own {
            return Ok(Some(pure(format!("\0{OWN}require/{}", found.name))));
        }
        Ok(Some(HookResolveIdOutput {
            id: format!("node:{}", found.name).into(),
            external: Some(ResolvedExternal::Bool(true)),
            normalize_external_id: Some(false),
            side_effects: Some(HookSideEffects::False),
            ..HookResolveIdOutput::default()
        }))
    }

    async fn load(
        &self,
        _context: SharedLoadPluginContext,
        args: &HookLoadArgs<'_>,
    ) -> HookLoadReturn {
        let own = args.id.strip_prefix('\0').filter(|id| id.starts_with(OWN));
        Ok(own.map(|id| HookLoadOutput {
            code: source(id).into(),
            module_type: Some(ModuleType::Js),
            side_effects: Some(HookSideEffects::False),
            ..HookLoadOutput::default()
        }))
    }
}

/// A module that is left out if nothing of it is used.
fn pure(id: String) -> HookResolveIdOutput {
    HookResolveIdOutput {
        side_effects: Some(HookSideEffects::False),
        ..HookResolveIdOutput::from_id(id)
    }
}

/// The source of a module that is made here.
fn source(id: &str) -> String {
    if id == HELPER_NAME {
        return HELPER.to_owned();
    }
    let rest = id.strip_prefix(OWN).unwrap_or_default();
    let (kind, what) = rest.split_once('/').unwrap_or_default();
    if kind == "require" {
        let inner = serde_json::Value::from(format!("{OWN}import/{what}"));
        return format!("module.exports = require({inner}).default;");
    }
    match what.split_once('|') {
        None => format!("export {{ default }} from \"node:{what}\";"),
        Some((package, name)) => absent_source(package, name),
    }
}

fn absent_source(package: &str, name: &str) -> String {
    let exports = exports();
    let names = exports.get(name).cloned().unwrap_or_default();
    let (by, list) = (
        serde_json::Value::from(package),
        serde_json::Value::from(names.clone()),
    );
    let mut code = format!(
        "import {{ absent }} from \"{HELPER_NAME}\";\nconst whole = /* @__PURE__ */ absent(\"node:{name}\", {by}, {list});\nexport default whole;\n"
    );
    for (at, export) in names.iter().enumerate() {
        // Writing into a text does not fail.
        let _ = writeln!(
            code,
            "const _{at} = /* @__PURE__ */ absent(\"node:{name}.{export}\", {by});\nexport {{ _{at} as {export} }};"
        );
    }
    code
}

fn exports() -> BTreeMap<&'static str, Vec<&'static str>> {
    let lines = EXPORTS.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, exports)| (name, exports.split_whitespace().collect()))
        .collect()
}

#[cfg(test)]
mod tests {
    use openeve_domain::node::BUILTINS;

    use super::*;

    #[test]
    fn the_exports_of_every_module_that_tools_lack_are_known() {
        let exports = exports();
        let absent: Vec<&str> = BUILTINS
            .iter()
            .filter(|found| !found.is_offered())
            .map(|found| found.name)
            .collect();
        assert_eq!(exports.keys().copied().collect::<Vec<_>>(), absent);
        assert!(exports.values().all(|names| !names.is_empty()));
        assert!(exports["fs"].contains(&"readFileSync") && exports["fs"].contains(&"promises"));
    }

    #[test]
    fn a_package_is_the_innermost_one() {
        assert_eq!(
            package_name("/a/node_modules/x/node_modules/@s/y/z.js").as_deref(),
            Some("@s/y")
        );
        assert_eq!(package_name("/a/lib/b.ts"), None);
    }
}
