//! Schemas that are made by code: bundled alone, evaluated by whoever the caller brings, frozen.
//!
//! The module that is evaluated is the tool's own file with its definition taken out and the schema's
//! expression exported; what the expression does not need is shaken off. So nothing of the tool runs
//! but what its schema consists of.

use std::collections::BTreeSet;
use std::path::Path;

use openeve_domain::canonical::sha256_hex;
use serde_json::Value;

use super::rolldown_run::Run;
use super::{Bundles, Memory, failure, rolldown_run, workers};
use crate::SchemaEvaluator;
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::{Folder, SourceFile};
use crate::lower::{MadeSchema, schema_problem};

/// The name under which the expression is exported.
const EXPORT: &str = "__openeveSchema";
/// The first version of Zod that says itself as JSON Schema.
const ZOD_MAJOR: u64 = 4;

/// A schema of a tool that is still to be evaluated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unfrozen<'a> {
    pub(crate) file: &'a SourceFile,
    pub(crate) made: &'a MadeSchema,
}

/// A schema as the manifest keeps it, and what it was made from.
#[derive(Debug, Clone)]
pub(crate) struct Frozen {
    schema: Value,
    inputs: BTreeSet<String>,
}

/// Evaluates schemas that are made by code; none in the place of one that gave none, which was
/// reported.
pub(crate) fn freeze(
    folder: &Folder,
    unfrozen: &[Unfrozen<'_>],
    evaluator: &dyn SchemaEvaluator,
    memory: Option<&Memory>,
    bundles: &mut Bundles,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Option<Value>> {
    let more = if has_zod(&folder.root) {
        "\nexport { toJSONSchema } from \"zod\";"
    } else {
        ""
    };
    let made = workers::each(unfrozen, |runtime, one| {
        let (path, made) = (&one.file.path, one.made);
        let text = format!(
            "{}\nexport const {EXPORT} = ({});\n",
            made.rest, made.expression
        );
        let (root, text_sha256) = (folder.root.display(), sha256_hex(text.as_bytes()));
        let key = format!("{root}\0{path}\0{}\0{text_sha256}", made.key);
        if let Some(frozen) = memory.and_then(|memory| memory.schemas.recall(&key)) {
            return (Some(frozen), Vec::new());
        }
        let run = rolldown_run::run_text(&folder.root, path, &text, EXPORT, more);
        let run = match runtime.block_on(run) {
            Ok(run) => run,
            Err(failed) => return (None, failure::translate(folder, path, &failed)),
        };
        let (frozen, found) = evaluated(folder, one, evaluator, &run);
        if let (Some(memory), Some(frozen), true) = (memory, &frozen, found.is_empty()) {
            let source = folder.root.join(path);
            let (schemas, imports) = (&memory.schemas, &run.imports);
            schemas.keep(key, &folder.root, &source, imports, frozen.clone());
        }
        (frozen, found)
    });
    let mut inputs = BTreeSet::new();
    let mut schemas = Vec::with_capacity(unfrozen.len());
    for one in made {
        let (frozen, found) = one.unwrap_or_default();
        diagnostics.extend(found);
        schemas.push(frozen.map(|frozen| {
            inputs.extend(frozen.inputs);
            frozen.schema
        }));
    }
    bundles.note_inputs(&folder.root, &inputs);
    schemas
}

/// What a bundled schema comes to, and what there is to say about it.
fn evaluated(
    folder: &Folder,
    one: &Unfrozen<'_>,
    evaluator: &dyn SchemaEvaluator,
    run: &Run,
) -> (Option<Frozen>, Vec<Diagnostic>) {
    let Unfrozen { file, made } = one;
    let mut found = failure::unresolved(folder, &file.path, &run.imports, &run.unresolved);
    let evaluated = evaluator.evaluate(&without_bare_imports(&run.code));
    match evaluated.and_then(|schema| frozen(schema, made)) {
        Ok(schema) => {
            let inputs = run.imports.inputs().collect();
            (Some(Frozen { schema, inputs }), found)
        }
        // What cannot be imported was reported, and is why.
        Err(_) if !found.is_empty() => (None, found),
        Err(why) => {
            let message = format!("{} gives no schema: {why}", made.key);
            let failed = Diagnostic::new(Code::SchemaFailed, message).at(file, made.span);
            found.push(failed.help("correct the schema, or write plain JSON Schema"));
            (None, found)
        }
    }
}

/// A bundle without imports for their effects alone: what the engine lacks was reported already, and
/// a schema that does not use it can do without.
pub(super) fn without_bare_imports(code: &str) -> String {
    let lines = code.lines().filter(|line| {
        let bare = line
            .strip_prefix("import \"")
            .and_then(|rest| rest.strip_suffix("\";"));
        bare.is_none_or(|module| module.contains('"'))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A schema as the manifest keeps it.
fn frozen(mut schema: Value, made: &MadeSchema) -> Result<Value, String> {
    if let Some(map) = schema.as_object_mut() {
        map.remove("$schema");
        map.remove("~standard");
    }
    match schema_problem(made.key, &schema) {
        Some(problem) => Err(format!("what {} makes {problem}", made.key)),
        None => Ok(schema),
    }
}

/// Whether the folder has a Zod that says itself as JSON Schema.
fn has_zod(root: &Path) -> bool {
    let found = root.ancestors().find_map(|folder| {
        let package = folder.join("node_modules/zod/package.json");
        std::fs::read_to_string(package).ok()
    });
    let package: Option<Value> = found.and_then(|text| serde_json::from_str(&text).ok());
    let major = package.and_then(|package| {
        let version = package.get("version")?.as_str()?;
        version.split('.').next()?.parse::<u64>().ok()
    });
    major.is_some_and(|major| major >= ZOD_MAJOR)
}
