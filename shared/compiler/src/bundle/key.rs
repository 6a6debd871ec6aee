//! A sandbox's `revalidationKey`: its definition is bundled with a call of the key, evaluated once by
//! whoever the caller brings, and frozen [A4.09].
//!
//! The engine has no network, time or chance, so a key can say what the folder knows and no more: a
//! constant, a version out of an imported file. Anything else is refused, since two parts of a system
//! that freeze different keys would delete each other's templates.

use crate::SchemaEvaluator;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::discover::{Folder, SourceFile};

use super::schema::without_bare_imports;
use super::{Bundles, failure, rolldown_run};

/// Longest key, in bytes.
const KEY_BYTES_MAX: usize = 4_096;
const HELP: &str = "give a text that the folder knows, such as a constant or the version in a JSON file that is imported; the network, the environment, time and chance are not there when an agent is built";

/// A key that is still to be evaluated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyOf<'a> {
    pub(crate) file: &'a SourceFile,
    /// What the file exports the sandbox as.
    pub(crate) export: &'a str,
    /// Where the key stands.
    pub(crate) span: Span,
}

/// Evaluates a key, or says why there is none.
pub(crate) fn freeze_key(
    folder: &Folder,
    key: &KeyOf<'_>,
    evaluator: &dyn SchemaEvaluator,
    bundles: &mut Bundles,
) -> Result<String, Vec<Diagnostic>> {
    let path = &key.file.path;
    let place = folder.root.join(path).to_string_lossy().into_owned();
    let (place, export) = (
        serde_json::Value::from(place),
        serde_json::Value::from(key.export),
    );
    let code = format!(
        "import {{ {export} as definition }} from {place};\nexport default {{ key: await definition.revalidationKey() }};\n"
    );
    let ran = super::workers::each(&[code], |runtime, code| {
        runtime.block_on(rolldown_run::run_code(&folder.root, path, code.clone()))
    });
    let refused = |why: &str| {
        let message = format!("revalidationKey gives no key: {why}");
        let found = Diagnostic::new(Code::KeyFailed, message).at(key.file, key.span);
        vec![found.help(HELP)]
    };
    let run = match ran.into_iter().next().flatten() {
        Some(Ok(run)) => run,
        // The module itself is bundled, too, so this was reported.
        Some(Err(failed)) => return Err(failure::translate(folder, path, &failed)),
        None => return Err(refused("no thread was to be had")),
    };
    let evaluated = evaluator
        .evaluate(&without_bare_imports(&run.code))
        // What cannot be imported is reported with the module itself, and is why.
        .map_err(|why| match run.unresolved.as_slice() {
            [] => refused(&why),
            _ => Vec::new(),
        })?;
    bundles.note_inputs(&folder.root, &run.imports.inputs().collect());
    match evaluated.get("key").and_then(serde_json::Value::as_str) {
        Some(text) if !text.trim().is_empty() && text.len() <= KEY_BYTES_MAX => Ok(text.to_owned()),
        Some("") => Err(refused("the text is empty")),
        Some(_) => Err(refused("the text is blank or longer than 4096 bytes")),
        None => Err(refused("it gives something that is no string")),
    }
}
