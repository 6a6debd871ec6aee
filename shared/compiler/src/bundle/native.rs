//! Machine code in packages: files that end in `.node`, which only Node itself can load, and the packages
//! that find and load such files.
//!
//! Each becomes a module that throws with the package's name. A package that asks for it inside
//! of a `try` has another way and takes it; any other is refused when the agent is built.

use std::borrow::Cow;
use std::fs;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use oxc::ast::ast::{Argument, CallExpression, Expression, TryStatement};
use oxc::ast_visit::Visit;
use oxc::ast_visit::walk::{walk_block_statement, walk_call_expression};
use rolldown::plugin::{
    HookLoadArgs, HookLoadOutput, HookLoadReturn, HookResolveIdArgs, HookResolveIdOutput,
    HookResolveIdReturn, HookUsage, Plugin, PluginContext, SharedLoadPluginContext,
};
use rolldown_common::ModuleType;

use super::Imports;
use super::builtins::package_name;
use crate::discover::SourceFile;
use crate::parse::glance;

const ENDING: &str = ".node";
const OWN: &str = "\0openeve:native/";
/// Packages that load machine code for others.
const LOADERS: [&str; 4] = [
    "bindings",
    "node-gyp-build",
    "node-gyp-build-optional-packages",
    "@mapbox/node-pre-gyp",
];

/// What one run saw of machine code.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Unguarded imports by name: importer and specifier.
    asked: Vec<(String, String)>,
    /// Files that packages have for their own main module.
    loaded: Vec<String>,
}

impl Seen {
    /// Every place that asks for machine code without another way: importer and specifier.
    pub(super) fn places(&self, imports: &Imports) -> Vec<(String, String)> {
        let mut places = self.asked.clone();
        for (from, to) in imports.0.iter().filter(|(_, to)| self.loaded.contains(to)) {
            let specifier = package_name(to).unwrap_or_default();
            if !is_guarded(from, &specifier) {
                places.push((from.clone(), specifier));
            }
        }
        places
    }
}

/// The plugin of one run.
#[derive(Debug)]
pub(super) struct Native {
    seen: Arc<Mutex<Seen>>,
}

impl Native {
    pub(super) fn new(seen: Arc<Mutex<Seen>>) -> Self {
        Self { seen }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Plugin for Native {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("openeve:native")
    }

    fn register_hook_usage(&self) -> HookUsage {
        HookUsage::ResolveId | HookUsage::Load
    }

    async fn resolve_id(
        &self,
        _context: &PluginContext,
        args: &HookResolveIdArgs<'_>,
    ) -> HookResolveIdReturn {
        let is_native = args.specifier.ends_with(ENDING) || LOADERS.contains(&args.specifier);
        let Some(importer) = args.importer.filter(|_| is_native) else {
            return Ok(None);
        };
        if !is_guarded(importer, args.specifier) {
            let edge = (importer.to_owned(), args.specifier.to_owned());
            self.seen().asked.push(edge);
        }
        let owner = package_name(importer).unwrap_or_else(|| "the agent folder".to_owned());
        let id = format!("{OWN}{owner}");
        Ok(Some(HookResolveIdOutput::from_id(id)))
    }

    async fn load(
        &self,
        _context: SharedLoadPluginContext,
        args: &HookLoadArgs<'_>,
    ) -> HookLoadReturn {
        let loaded = args.id.ends_with(ENDING).then(|| package_name(args.id));
        if loaded.is_some() {
            self.seen().loaded.push(args.id.to_owned());
        }
        let loaded = loaded.map(Option::unwrap_or_default);
        let owner = args.id.strip_prefix(OWN).or(loaded.as_deref());
        Ok(owner.map(|owner| {
            let why = format!("{owner} has native code, which the engine cannot load");
            let why = serde_json::Value::from(why);
            HookLoadOutput {
                code: format!("module.exports = undefined;\nthrow new Error({why});\n").into(),
                module_type: Some(ModuleType::Js),
                ..HookLoadOutput::default()
            }
        }))
    }
}

/// Whether every `require` of a name in a file stands in a `try`.
fn is_guarded(path: &str, specifier: &str) -> bool {
    let Ok(text) = fs::read_to_string(path) else {
        return false;
    };
    let file = SourceFile::new(path, text);
    let found = glance(&file, |program| {
        let mut found = Requires {
            specifier,
            tries: 0,
            guarded: 0,
            all: 0,
        };
        found.visit_program(program);
        found
    });
    found.is_some_and(|found| found.all > 0 && found.guarded == found.all)
}

struct Requires<'s> {
    specifier: &'s str,
    /// How many `try` blocks are open.
    tries: usize,
    guarded: usize,
    all: usize,
}

impl<'a> Visit<'a> for Requires<'_> {
    fn visit_try_statement(&mut self, statement: &TryStatement<'a>) {
        let is_caught = usize::from(statement.handler.is_some());
        self.tries += is_caught;
        walk_block_statement(self, &statement.block);
        self.tries -= is_caught;
        if let Some(handler) = &statement.handler {
            walk_block_statement(self, &handler.body);
        }
        if let Some(last) = &statement.finalizer {
            walk_block_statement(self, last);
        }
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        let first = call.arguments.first().and_then(Argument::as_expression);
        if let (true, Some(Expression::StringLiteral(name))) =
            (call.callee.is_specific_id("require"), first)
            && name.value == self.specifier
        {
            self.all += 1;
            self.guarded += usize::from(self.tries > 0);
        }
        walk_call_expression(self, call);
    }
}
