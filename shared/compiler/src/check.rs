//! Fourth stage: what only shows when the files are seen together (ledger A5).

use crate::diagnostic::{Code, Diagnostic};
use crate::discover::{Folder, NamedFile, is_core_tool};
use crate::lower::Drafts;
use openeve_domain::nearest::nearest;

/// Reports names that lead nowhere and routes that collide.
pub(crate) fn check(folder: &Folder, drafts: &Drafts, diagnostics: &mut Vec<Diagnostic>) {
    default_tools(folder, drafts, diagnostics);
    routes(folder, drafts, diagnostics);
    schedule_channels(folder, drafts, diagnostics);
    skill_tools(folder, drafts, diagnostics);
}

/// A tool of a connection, `<connection>__<operation>`, is not known before it is looked up.
fn skill_tools(folder: &Folder, drafts: &Drafts, diagnostics: &mut Vec<Diagnostic>) {
    for (skill, source) in drafts.skills.iter().filter_map(|skill| {
        let source = folder
            .skills
            .iter()
            .find(|source| source.name == skill.spec.name);
        Some((skill, source?))
    }) {
        for (name, span) in &skill.tools {
            let exists = folder.tools.iter().any(|tool| tool.name == *name);
            if exists || is_core_tool(name) || name.contains("__") {
                continue;
            }
            let message = format!(
                "the skill {:?} speaks of the tool {name:?}, but there is no tools/{name}.ts",
                skill.spec.name
            );
            diagnostics.push(
                Diagnostic::new(Code::UnknownTool, message)
                    .at(&source.file, *span)
                    .help(help_for(name, &folder.tools, "tools")),
            );
        }
    }
    if let Some(first) = folder.skills.first() {
        let message =
            "skills are compiled into the artifact, and this version does not load them yet";
        diagnostics.push(
            Diagnostic::new(Code::NotYetSupported, message).in_file(first.file.path.as_str()),
        );
    }
}

fn default_tools(folder: &Folder, drafts: &Drafts, diagnostics: &mut Vec<Diagnostic>) {
    let (Some(agent), Some(file)) = (&drafts.agent, &folder.agent) else {
        return;
    };
    for (name, span) in &agent.default_tools {
        if !folder.tools.iter().any(|tool| tool.name == *name) {
            let message = format!("defaultTools names {name:?}, but there is no tools/{name}.ts");
            let help = if is_core_tool(name) {
                format!(
                    "{name:?} is a tool of the framework; defaultTools names files in tools/ alone, so remove it"
                )
            } else {
                help_for(name, &folder.tools, "tools")
            };
            diagnostics.push(
                Diagnostic::new(Code::UnknownTool, message)
                    .at(file, *span)
                    .help(help),
            );
        }
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

fn schedule_channels(folder: &Folder, drafts: &Drafts, diagnostics: &mut Vec<Diagnostic>) {
    for schedule in &drafts.schedules {
        let Some(channel) = &schedule.spec.channel else {
            continue;
        };
        if folder.channels.iter().any(|source| source.name == *channel) {
            continue;
        }
        if let Some(source) = folder
            .schedules
            .iter()
            .find(|source| source.name == schedule.spec.name)
        {
            let message = format!(
                "the schedule replies to {channel:?}, but there is no channels/{channel}.ts"
            );
            let help = help_for(channel, &folder.channels, "channels");
            diagnostics.push(
                Diagnostic::new(Code::UnknownChannel, message)
                    .at(&source.file, schedule.channel_span)
                    .help(help),
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
