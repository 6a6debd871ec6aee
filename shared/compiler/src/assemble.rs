//! From drafts and bundles to the manifest and what the artifact says beside it.

use std::collections::BTreeMap;

use openeve_domain::canonical::sha256_hex;
use openeve_domain::manifest::{
    CapabilitySpec, Manifest, ModuleRef, PartSpec, SkillSpec, SubagentSpec, ToolSpec, Visibility,
    WarningSpec,
};
use serde_json::{Map, Value, json};

use crate::bundle::Bundles;
use crate::diagnostic::Diagnostic;
use crate::discover::{AgentFiles, Asset, Folder, SourceFile};
use crate::lower::{AgentDrafts, Drafts};
use crate::{Module, revision};

/// The manifest, the modules and the metadata of a folder without errors.
///
/// None if a part is absent; some stage has then reported why.
pub(crate) fn assemble(
    folder: &Folder,
    drafts: &Drafts,
    bundles: &Bundles,
) -> Option<(Manifest, Vec<Module>, BTreeMap<String, Value>)> {
    let mut modules = Vec::new();
    let held = held(&folder.agent, &drafts.agent, bundles, &mut modules)?;
    let mut manifest = Manifest {
        format: Manifest::FORMAT,
        revision: String::new(),
        agent: drafts.agent.definition.as_ref()?.spec()?,
        instructions: folder.agent.instructions.as_ref()?.text.clone(),
        gateway: drafts.gateway.clone(),
        tools: held.tools,
        capabilities: held.capabilities,
        channels: drafts
            .agent
            .channels
            .iter()
            .map(|draft| draft.spec.clone())
            .collect(),
        schedules: drafts
            .agent
            .schedules
            .iter()
            .map(|draft| draft.spec.clone())
            .collect(),
        skills: held.skills,
        parts: held.parts,
        subagents: held.subagents,
        env: drafts.env.keys().cloned().collect(),
        sources: sources(folder, drafts, bundles),
        versions: versions(bundles),
        validation: Vec::new(),
    };
    manifest.revision = revision::revision(&manifest).ok()?;
    let mut metadata = BTreeMap::new();
    if let Some(file) = &folder.gateway {
        note(&mut metadata, "gateway", "gateway", file, None);
    }
    note_agent(&mut metadata, &folder.agent, &drafts.agent);
    Some((manifest, modules, metadata))
}

/// What validation warned of, as the manifest keeps it.
pub(crate) fn warnings(found: &[Diagnostic]) -> Vec<WarningSpec> {
    found
        .iter()
        .map(|found| WarningSpec {
            code: found.code.as_str().to_owned(),
            message: found.message.clone(),
            place: found.place(),
        })
        .collect()
}

/// What an agent and a subagent have alike.
struct Held {
    tools: Vec<ToolSpec>,
    capabilities: BTreeMap<String, CapabilitySpec>,
    skills: Vec<SkillSpec>,
    parts: Vec<PartSpec>,
    subagents: Vec<SubagentSpec>,
}

fn held(
    files: &AgentFiles,
    drafts: &AgentDrafts,
    bundles: &Bundles,
    modules: &mut Vec<Module>,
) -> Option<Held> {
    let mut tools = Vec::with_capacity(drafts.tools.len());
    let mut capabilities = BTreeMap::new();
    let always = drafts.definition.as_ref().map(|own| &own.default_tools);
    for draft in &drafts.tools {
        let mut spec = draft.spec.clone();
        place(&mut spec.module, bundles, modules)?;
        let is_always = always.is_some_and(|names| names.contains(&spec.name));
        let mut capability = draft.capability.clone().unwrap_or_default();
        if is_always {
            capability.visibility = Visibility::Always;
        }
        capabilities.insert(spec.name.clone(), capability);
        tools.push(spec);
    }
    let mut parts = Vec::with_capacity(drafts.parts.len());
    for draft in &drafts.parts {
        let mut spec = draft.spec.clone();
        if let Some(module) = &mut spec.module {
            place(module, bundles, modules)?;
        }
        parts.push(spec);
    }
    let mut subagents = Vec::with_capacity(drafts.subagents.len());
    for (files, drafts) in files.subagents.iter().zip(&drafts.subagents) {
        subagents.push(subagent(files, drafts, bundles, modules)?);
    }
    let skills = drafts.skills.iter().map(|draft| draft.spec.clone());
    Some(Held {
        tools,
        capabilities,
        skills: skills.collect(),
        parts,
        subagents,
    })
}

fn subagent(
    files: &AgentFiles,
    drafts: &AgentDrafts,
    bundles: &Bundles,
    modules: &mut Vec<Module>,
) -> Option<SubagentSpec> {
    let held = held(files, drafts, bundles, modules)?;
    let own = drafts.definition.as_ref()?;
    Some(SubagentSpec {
        name: files.name.clone(),
        description: own.description.clone()?,
        model: own.model.clone(),
        reasoning: own.reasoning,
        default_tools: own.default_tools.clone(),
        harness: own.harness.clone(),
        context: own.context.clone(),
        instructions: files.instructions.as_ref()?.text.clone(),
        tools: held.tools,
        capabilities: held.capabilities,
        skills: held.skills,
        parts: held.parts,
        subagents: held.subagents,
        source: files.agent.as_ref()?.path.clone(),
    })
}

/// Puts a bundled module into the artifact, and its hash into the reference.
fn place(reference: &mut ModuleRef, bundles: &Bundles, modules: &mut Vec<Module>) -> Option<()> {
    let built = bundles.modules.get(&reference.path)?;
    reference.sha256 = sha256_hex(built.code.as_bytes());
    modules.push(Module {
        path: reference.path.clone(),
        code: built.code.clone(),
        map: built.map.clone(),
    });
    Some(())
}

fn sources(folder: &Folder, drafts: &Drafts, bundles: &Bundles) -> BTreeMap<String, String> {
    let mut sources = BTreeMap::new();
    for file in folder
        .sources()
        .chain(&folder.lock)
        .chain(&drafts.neighbours)
        .chain(bundles.sources.values())
    {
        sources.insert(file.path.clone(), file.sha256.clone());
    }
    for agent in folder.agent.all() {
        for Asset { path, bytes } in &agent.seeds {
            sources.insert(path.clone(), sha256_hex(bytes));
        }
    }
    for Asset { path, bytes } in &folder.migrations {
        sources.insert(path.clone(), sha256_hex(bytes));
    }
    for skill in drafts.agent.all().into_iter().flat_map(|each| &each.skills) {
        for file in &skill.spec.files {
            sources.insert(file.path.clone(), file.sha256.clone());
        }
    }
    sources
}

/// The files that go into the artifact as they are, by their path below `assets/`.
pub(crate) fn assets(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    let mut assets = BTreeMap::new();
    for agent in folder.agent.all() {
        for skill in &agent.skills {
            let text = skill.file.text.clone().into_bytes();
            assets.insert(skill.file.path.clone(), text);
            for Asset { path, bytes } in &skill.others {
                assets.insert(path.clone(), bytes.clone());
            }
        }
        for Asset { path, bytes } in &agent.seeds {
            assets.insert(path.clone(), bytes.clone());
        }
    }
    assets
}

fn versions(bundles: &Bundles) -> BTreeMap<String, String> {
    let mut versions: BTreeMap<String, String> = bundles
        .packages
        .iter()
        .map(|(name, versions)| {
            (
                name.clone(),
                versions.iter().cloned().collect::<Vec<_>>().join(", "),
            )
        })
        .collect();
    versions.insert(
        env!("CARGO_PKG_NAME").to_owned(),
        env!("CARGO_PKG_VERSION").to_owned(),
    );
    versions
}

/// Notes of every source of an agent what kind of definition it is, its name, and what the manifest
/// has no field for.
fn note_agent(into: &mut BTreeMap<String, Value>, files: &AgentFiles, drafts: &AgentDrafts) {
    if let Some(file) = &files.instructions {
        note(into, "instructions", "instructions", file, None);
    }
    if let Some(file) = &files.agent {
        let (kind, name) = if files.is_root() {
            ("agent", "agent")
        } else {
            ("subagent", files.name.as_str())
        };
        note(into, kind, name, file, None);
    }
    for source in &files.tools {
        let mut drafts = drafts.tools.iter();
        let draft = drafts.find(|draft| draft.spec.name == source.name);
        let more = draft.map(|draft| &draft.metadata);
        note(into, "tool", &source.name, &source.file, more);
    }
    for source in &files.channels {
        note(into, "channel", &source.name, &source.file, None);
    }
    for source in &files.schedules {
        note(into, "schedule", &source.name, &source.file, None);
    }
    for source in &files.skills {
        note(into, "skill", &source.name, &source.file, None);
    }
    for source in &files.parts {
        note(into, source.part.as_str(), &source.name, &source.file, None);
    }
    for (files, drafts) in files.subagents.iter().zip(&drafts.subagents) {
        note_agent(into, files, drafts);
    }
}

fn note(
    into: &mut BTreeMap<String, Value>,
    kind: &str,
    name: &str,
    file: &SourceFile,
    more: Option<&Value>,
) {
    let more = more.and_then(Value::as_object).cloned();
    let mut map: Map<String, Value> = more.unwrap_or_default();
    map.insert("kind".to_owned(), kind.into());
    map.insert("name".to_owned(), name.into());
    map.insert("bytes".to_owned(), json!(file.text.len()));
    into.insert(file.path.clone(), Value::Object(map));
}
