//! What is made by code and frozen when an agent is built: schemas of tools, keys of sandboxes.

use crate::SchemaEvaluator;
use crate::bundle::{self, Bundles, Unfrozen};
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::{Folder, SourceFile};
use crate::lower::{AgentDrafts, Drafts, MadeSchema};

/// Puts what expressions make in their places, for the agent and every subagent.
pub(crate) fn freeze(
    folder: &Folder,
    drafts: &mut Drafts,
    evaluator: Option<&dyn SchemaEvaluator>,
    memory: Option<&bundle::Memory>,
    bundles: &mut Bundles,
    diagnostics: &mut Vec<Diagnostic>,
) {
    drafts.agent.each(&mut |drafts| {
        schemas(folder, drafts, evaluator, memory, bundles, diagnostics);
        keys(folder, drafts, evaluator, bundles, diagnostics);
    });
}

fn schemas(
    folder: &Folder,
    drafts: &mut AgentDrafts,
    evaluator: Option<&dyn SchemaEvaluator>,
    memory: Option<&bundle::Memory>,
    bundles: &mut Bundles,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let made = std::mem::take(&mut drafts.made);
    let file_of = |name: &str| {
        let mut coded = drafts.coded.iter();
        let coded = coded.find(|one| one.name == name && one.directory.ends_with("tools"));
        coded.and_then(|one| folder.file(&one.source))
    };
    let unfrozen: Vec<_> = made
        .iter()
        .filter_map(|(name, made)| {
            let file = file_of(name)?;
            Some((name, Unfrozen { file, made }))
        })
        .collect();
    let Some(evaluator) = evaluator else {
        let each = unfrozen.iter();
        diagnostics.extend(each.map(|(_, one)| not_evaluated(one.file, one.made)));
        return;
    };
    let work: Vec<_> = unfrozen.iter().map(|(_, one)| *one).collect();
    let frozen = bundle::freeze(folder, &work, evaluator, memory, bundles, diagnostics);
    for ((name, one), schema) in unfrozen.iter().zip(frozen) {
        let mut all = drafts.tools.iter_mut();
        let draft = all.find(|draft| draft.spec.name == **name);
        if let (Some(schema), Some(draft)) = (schema, draft) {
            draft.set_schema(one.made.key, one.made.span, schema);
        }
    }
}

fn not_evaluated(file: &SourceFile, made: &MadeSchema) -> Diagnostic {
    let message = format!(
        "{} is made by code, and evaluating schemas is turned off: it is {}",
        made.key, made.unreadable.1
    );
    Diagnostic::new(Code::NotStatic, message)
        .at(file, made.unreadable.0)
        .help("write plain JSON Schema, such as { type: \"object\", properties: { note: { type: \"string\" } }, required: [\"note\"] }, or let schemas be evaluated")
}

/// Evaluates `revalidationKey` once; the text stands in the manifest from then on [A4.09].
fn keys(
    folder: &Folder,
    drafts: &mut AgentDrafts,
    evaluator: Option<&dyn SchemaEvaluator>,
    bundles: &mut Bundles,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for part in &mut drafts.parts {
        let mut coded = drafts.coded.iter();
        let coded = coded.find(|one| one.source == part.spec.source);
        let (Some(span), Some(coded)) = (part.key, coded) else {
            continue;
        };
        let Some(file) = folder.file(&coded.source) else {
            continue;
        };
        let Some(evaluator) = evaluator else {
            let message = "revalidationKey is a function, and evaluating code is turned off";
            let found = Diagnostic::new(Code::NotStatic, message).at(file, span);
            diagnostics.push(found.help("let the key be evaluated when the agent is built"));
            continue;
        };
        let key = bundle::KeyOf {
            file,
            export: &coded.export,
            span,
        };
        match bundle::freeze_key(folder, &key, evaluator, bundles) {
            Ok(key) => part.set_key(&key),
            Err(found) => diagnostics.extend(found),
        }
    }
}
