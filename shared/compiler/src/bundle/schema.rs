//! Schemas that are made by code: bundled alone, evaluated by whoever the caller brings, frozen.
//!
//! The module that is evaluated is the tool's own file with its definition taken out and the schema's
//! expression exported; what the expression does not need is shaken off. So nothing of the tool runs
//! but what its schema consists of.

use std::path::Path;

use serde_json::Value;

use super::{Bundles, failure, rolldown_run};
use crate::SchemaEvaluator;
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::{Folder, SourceFile};
use crate::lower::{MadeSchema, schema_problem};

/// The name under which the expression is exported.
const EXPORT: &str = "__openeveSchema";
/// The first version of Zod that says itself as JSON Schema.
const ZOD_MAJOR: u64 = 4;

/// Evaluates a schema that is made by code; none if that was reported.
pub(crate) async fn freeze(
    folder: &Folder,
    file: &SourceFile,
    made: &MadeSchema,
    evaluator: &dyn SchemaEvaluator,
    bundles: &mut Bundles,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Value> {
    let more = if has_zod(&folder.root) {
        "\nexport { toJSONSchema } from \"zod\";"
    } else {
        ""
    };
    let text = format!(
        "{}\nexport const {EXPORT} = ({});\n",
        made.rest, made.expression
    );
    let run = rolldown_run::run_text(&folder.root, &file.path, &text, EXPORT, more).await;
    let run = match run {
        Ok(run) => run,
        Err(failed) => {
            diagnostics.extend(failure::translate(folder, &file.path, &failed));
            return None;
        }
    };
    diagnostics.extend(failure::unresolved(
        folder,
        &file.path,
        &run.imports,
        &run.unresolved,
    ));
    bundles.note_inputs(&folder.root, &run.imports);
    let evaluated = evaluator.evaluate(&without_bare_imports(&run.code));
    match evaluated.and_then(|schema| frozen(schema, made)) {
        Ok(schema) => Some(schema),
        // What cannot be imported was reported, and is why.
        Err(_) if !run.unresolved.is_empty() => None,
        Err(why) => {
            let message = format!("{} gives no schema: {why}", made.key);
            let found = Diagnostic::new(Code::SchemaFailed, message).at(file, made.span);
            diagnostics.push(found.help("correct the schema, or write plain JSON Schema"));
            None
        }
    }
}

/// A bundle without imports for their effects alone: what the engine lacks was reported already, and
/// a schema that does not use it can do without.
fn without_bare_imports(code: &str) -> String {
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
