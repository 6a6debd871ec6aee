//! Fourth stage: what only shows when the files are seen together (ledger A5).
//!
//! An agent and each of its subagents are looked at alone: names mean what stands beside them.

use crate::diagnostic::{Code, Diagnostic};
use crate::discover::{AgentFiles, Folder, NamedFile, Part, SourceFile, is_core_tool};
use crate::lower::{AgentDrafts, Drafts, Reference, To};
use crate::schemas::{Family, refusals};
use openeve_domain::nearest::nearest;

/// Reports names that lead nowhere and routes that collide.
pub(crate) fn check(folder: &Folder, drafts: &Drafts, diagnostics: &mut Vec<Diagnostic>) {
    agent(&folder.agent, &drafts.agent, diagnostics);
    unused(folder, diagnostics);
}

fn agent(files: &AgentFiles, drafts: &AgentDrafts, diagnostics: &mut Vec<Diagnostic>) {
    core_names(files, diagnostics);
    for (path, reference) in &drafts.references {
        let file = files.sources().find(|file| file.path == *path);
        diagnostics.extend(file.and_then(|file| nowhere(files, file, reference)));
    }
    routes(files, drafts, diagnostics);
    for (files, drafts) in files.subagents.iter().zip(&drafts.subagents) {
        agent(files, drafts, diagnostics);
    }
}

/// What the providers of the models will not take; asked when every schema is known.
pub(crate) fn schemas(folder: &Folder, drafts: &Drafts, diagnostics: &mut Vec<Diagnostic>) {
    schemas_below(&folder.agent, &drafts.agent, None, diagnostics);
}

fn schemas_below(
    files: &AgentFiles,
    drafts: &AgentDrafts,
    above: Option<&str>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let own = drafts.definition.as_ref();
    let model = own.and_then(|own| own.model.as_deref()).or(above);
    if let Some(family) = model.and_then(Family::of) {
        for tool in &drafts.tools {
            let Some(source) = files.tools.iter().find(|file| file.name == tool.spec.name) else {
                continue;
            };
            for refusal in refusals(&tool.schema, family) {
                let found = Diagnostic::new(Code::SchemaRefused, refusal.message);
                diagnostics.push(found.at(&source.file, refusal.span).help(refusal.help));
            }
        }
    }
    for (files, drafts) in files.subagents.iter().zip(&drafts.subagents) {
        schemas_below(files, drafts, model, diagnostics);
    }
}

/// Tools with a name of the framework's. The files are still read, so that everything else about them
/// is said, too.
fn core_names(files: &AgentFiles, diagnostics: &mut Vec<Diagnostic>) {
    for NamedFile { name, file } in files.tools.iter().filter(|tool| is_core_tool(&tool.name)) {
        let message = format!(
            "{} cannot name a tool: {name:?} is a tool of the framework itself",
            file.path
        );
        let help = format!("rename it, such as to {}tools/my_{name}.ts", files.base);
        let found = Diagnostic::new(Code::BadName, message).in_file(file.path.as_str());
        diagnostics.push(found.help(help));
    }
}

/// What there is to say about a name, if it leads nowhere.
fn nowhere(files: &AgentFiles, file: &SourceFile, reference: &Reference) -> Option<Diagnostic> {
    let Reference {
        to,
        name,
        span,
        says,
    } = reference;
    let of = |part: Part| {
        let parts = files.parts.iter().filter(move |one| one.part == part);
        parts.map(|one| one.name.as_str()).collect::<Vec<_>>()
    };
    let named = |files: &'_ [NamedFile]| files.iter().map(|one| one.name.clone()).collect();
    let (known, directory, code): (Vec<String>, &str, Code) = match to {
        To::AnyTool if is_core_tool(name) => return None,
        To::AnyTool if name.contains("__") => {
            return no_connection(files, file, reference, &of(Part::Connection));
        }
        To::OwnTool | To::AnyTool => (named(&files.tools), "tools", Code::UnknownTool),
        To::Channel => (named(&files.channels), "channels", Code::UnknownChannel),
        To::Trigger => {
            let triggers = of(Part::Trigger).into_iter().map(str::to_owned);
            (triggers.collect(), "triggers", Code::UnknownTrigger)
        }
    };
    if known.iter().any(|known| known == name) {
        return None;
    }
    let directory = format!("{}{directory}", files.base);
    let message = format!("{says} {name:?}, but there is no {directory}/{name}.ts");
    let help = if *to == To::OwnTool && is_core_tool(name) {
        format!(
            "{name:?} is a tool of the framework; defaultTools names files in tools/ alone, so remove it"
        )
    } else {
        match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean {near:?}?"),
            None => format!("create {directory}/{name}.ts, or remove the name"),
        }
    };
    let found = Diagnostic::new(code, message).at(file, *span);
    Some(found.help(help))
}

/// An operation of a connection is not known before it is looked up; the connection is.
fn no_connection(
    files: &AgentFiles,
    file: &SourceFile,
    reference: &Reference,
    known: &[&str],
) -> Option<Diagnostic> {
    let (connection, operation) = reference.name.split_once("__")?;
    // A tool's own name may have two of the signs, too.
    let is_tool = files.tools.iter().any(|tool| tool.name == reference.name);
    if is_tool || known.contains(&connection) {
        return None;
    }
    let message = format!(
        "{} {:?}, an operation of the connection {connection:?}, but there is no {}connections/{connection}.ts",
        reference.says, reference.name, files.base
    );
    let help = match nearest(connection, known.iter().copied()) {
        Some(near) => format!("did you mean \"{near}__{operation}\"?"),
        None => format!(
            "create {}connections/{connection}.ts, or remove the name",
            files.base
        ),
    };
    let found = Diagnostic::new(Code::UnknownConnection, message).at(file, reference.span);
    Some(found.help(help))
}

/// What is compiled and not used by this version: each kind once.
fn unused(folder: &Folder, diagnostics: &mut Vec<Diagnostic>) {
    let all = folder.agent.all();
    let mut warn = |file: &SourceFile, message: String| {
        let found = Diagnostic::new(Code::NotYetSupported, message);
        diagnostics.push(found.in_file(file.path.as_str()));
    };
    if let Some(first) = all.iter().find_map(|agent| agent.skills.first()) {
        let message =
            "skills are compiled into the artifact, and this version does not load them yet";
        warn(&first.file, message.to_owned());
    }
    let mut subagents = all.iter().filter(|agent| !agent.is_root());
    if let Some(file) = subagents.find_map(|agent| agent.agent.as_ref()) {
        let message = format!(
            "{} and what lies beside it are compiled into the artifact; this version does not run a folder's subagents yet",
            file.path
        );
        warn(file, message);
    }
    let mut told = Vec::new();
    for part in all.iter().flat_map(|agent| &agent.parts) {
        if told.contains(&part.part) {
            continue;
        }
        told.push(part.part);
        let then = match part.part {
            Part::Trigger => ": a schedule that names one sends its message alone",
            Part::Connection | Part::Context | Part::Instrumentation | Part::Sandbox => "",
        };
        let message = format!(
            "{} is recorded in the manifest; this version does not run a folder's {} yet{then}",
            part.file.path,
            part.part.as_str()
        );
        warn(&part.file, message);
    }
}

fn routes(files: &AgentFiles, drafts: &AgentDrafts, diagnostics: &mut Vec<Diagnostic>) {
    for (index, channel) in drafts.channels.iter().enumerate() {
        let (spec, span) = (&channel.spec, channel.route_span);
        let mut earlier = drafts
            .channels
            .iter()
            .take(index)
            .map(|other| &other.spec)
            .filter(|other| other.route == spec.route);
        let shared = earlier.find_map(|other| {
            let mut methods = other.methods.iter();
            let method = methods.find(|method| spec.methods.contains(method))?;
            Some((other, method))
        });
        let file = files
            .channels
            .iter()
            .find(|source| source.name == spec.name);
        if let (Some((earlier, method)), Some(source)) = (shared, file) {
            let message = format!(
                "{} and {} both serve {} for {}",
                earlier.source, spec.source, spec.route, method
            );
            diagnostics.push(
                Diagnostic::new(Code::DuplicateRoute, message)
                    .at(&source.file, span)
                    .help("give one of them another route, or methods that the other lacks"),
            );
        }
    }
}
