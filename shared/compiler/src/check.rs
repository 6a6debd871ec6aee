//! Fourth stage: what only shows when the files are seen together (ledger A5).

use crate::diagnostic::{Code, Diagnostic};
use crate::discover::{Folder, NamedFile, is_core_tool};
use crate::lower::{Drafts, Reference, To};
use crate::schemas::{Family, refusals};
use openeve_domain::nearest::nearest;

/// Reports names that lead nowhere and routes that collide.
pub(crate) fn check(folder: &Folder, drafts: &Drafts, diagnostics: &mut Vec<Diagnostic>) {
    references(folder, drafts, diagnostics);
    routes(folder, drafts, diagnostics);
    unused(folder, diagnostics);
}

/// What the provider of the agent's model will not take; asked when every schema is known.
pub(crate) fn schemas(folder: &Folder, drafts: &Drafts, diagnostics: &mut Vec<Diagnostic>) {
    let model = drafts.agent.as_ref().map(|agent| agent.spec.model.as_str());
    let Some(family) = model.and_then(Family::of) else {
        return;
    };
    for tool in &drafts.tools {
        let Some(file) = folder.file(&tool.spec.source) else {
            continue;
        };
        for refusal in refusals(&tool.schema, family) {
            let found = Diagnostic::new(Code::SchemaRefused, refusal.message);
            diagnostics.push(found.at(file, refusal.span).help(refusal.help));
        }
    }
}

/// Names that lead nowhere.
fn references(folder: &Folder, drafts: &Drafts, diagnostics: &mut Vec<Diagnostic>) {
    for (
        path,
        Reference {
            to,
            name,
            span,
            says,
        },
    ) in &drafts.references
    {
        let (files, directory, code) = match to {
            To::OwnTool | To::AnyTool => (&folder.tools, "tools", Code::UnknownTool),
            To::Channel => (&folder.channels, "channels", Code::UnknownChannel),
        };
        // An operation of a connection is not known before it is looked up.
        let is_elsewhere = *to == To::AnyTool && (is_core_tool(name) || name.contains("__"));
        if is_elsewhere || files.iter().any(|file| file.name == *name) {
            continue;
        }
        let message = format!("{says} {name:?}, but there is no {directory}/{name}.ts");
        let help = if *to == To::OwnTool && is_core_tool(name) {
            format!(
                "{name:?} is a tool of the framework; defaultTools names files in tools/ alone, so remove it"
            )
        } else {
            help_for(name, files, directory)
        };
        if let Some(file) = folder.file(path) {
            let found = Diagnostic::new(code, message).at(file, *span);
            diagnostics.push(found.help(help));
        }
    }
}

/// What is compiled and not used by this version.
fn unused(folder: &Folder, diagnostics: &mut Vec<Diagnostic>) {
    if let Some(first) = folder.skills.first() {
        let message =
            "skills are compiled into the artifact, and this version does not load them yet";
        let found = Diagnostic::new(Code::NotYetSupported, message);
        diagnostics.push(found.in_file(first.file.path.as_str()));
    }
    let mut told = Vec::new();
    for part in &folder.parts.files {
        if told.contains(&part.part) {
            continue;
        }
        told.push(part.part);
        let message = format!(
            "{} is recorded in the manifest; this version does not run a folder's {} yet",
            part.file.path,
            part.part.as_str()
        );
        let found = Diagnostic::new(Code::NotYetSupported, message);
        diagnostics.push(found.in_file(part.file.path.as_str()));
    }
}

fn routes(folder: &Folder, drafts: &Drafts, diagnostics: &mut Vec<Diagnostic>) {
    for (index, channel) in drafts.channels.iter().enumerate() {
        let (spec, span) = (&channel.spec, channel.route_span);
        let earlier = drafts
            .channels
            .iter()
            .take(index)
            .map(|other| &other.spec)
            .find(|other| {
                other.route == spec.route
                    && other
                        .methods
                        .iter()
                        .any(|method| spec.methods.contains(method))
            });
        let file = folder
            .channels
            .iter()
            .find(|source| source.name == spec.name);
        if let (Some(earlier), Some(source)) = (earlier, file) {
            let message = format!(
                "{} and {} both serve {}",
                earlier.source, spec.source, spec.route
            );
            diagnostics.push(
                Diagnostic::new(Code::DuplicateRoute, message)
                    .at(&source.file, span)
                    .help("give one of them another route, or methods that the other lacks"),
            );
        }
    }
}

fn help_for(name: &str, files: &[NamedFile], directory: &str) -> String {
    match nearest(name, files.iter().map(|file| file.name.as_str())) {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("create {directory}/{name}.ts, or remove the name"),
    }
}
