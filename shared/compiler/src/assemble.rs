//! From drafts and bundles to the manifest and what the artifact says beside it.

use std::collections::BTreeMap;

use openeve_domain::canonical::sha256_hex;
use openeve_domain::manifest::Manifest;
use serde_json::{Map, Value, json};

use crate::bundle::Bundles;
use crate::discover::{Asset, Folder, SourceFile};
use crate::lower::Drafts;
use crate::{Module, revision};

/// The manifest, the modules and the metadata of a folder without errors.
///
/// None if a part is absent; some stage has then reported why.
pub(crate) fn assemble(
    folder: &Folder,
    drafts: &Drafts,
    bundles: &Bundles,
) -> Option<(Manifest, Vec<Module>, BTreeMap<String, Value>)> {
    let agent = drafts.agent.as_ref()?;
    let instructions = folder.instructions.as_ref()?;
    let mut tools = Vec::with_capacity(drafts.tools.len());
    let mut modules = Vec::with_capacity(drafts.tools.len());
    for draft in &drafts.tools {
        let built = bundles.modules.get(&draft.spec.module.path)?;
        let mut spec = draft.spec.clone();
        spec.module.sha256 = sha256_hex(built.code.as_bytes());
        modules.push(Module {
            path: spec.module.path.clone(),
            code: built.code.clone(),
            map: built.map.clone(),
        });
        tools.push(spec);
    }
    let mut manifest = Manifest {
        format: Manifest::FORMAT,
        revision: String::new(),
        agent: agent.spec.clone(),
        instructions: instructions.text.clone(),
        gateway: drafts.gateway.clone(),
        tools,
        channels: drafts
            .channels
            .iter()
            .map(|draft| draft.spec.clone())
            .collect(),
        schedules: drafts
            .schedules
            .iter()
            .map(|draft| draft.spec.clone())
            .collect(),
        skills: drafts
            .skills
            .iter()
            .map(|draft| draft.spec.clone())
            .collect(),
        parts: drafts.parts.clone(),
        env: drafts.env.keys().cloned().collect(),
        sources: sources(folder, drafts, bundles),
        versions: versions(bundles),
    };
    manifest.revision = revision::revision(&manifest).ok()?;
    let metadata = metadata(folder, drafts);
    Some((manifest, modules, metadata))
}

fn sources(folder: &Folder, drafts: &Drafts, bundles: &Bundles) -> BTreeMap<String, String> {
    let mut sources = BTreeMap::new();
    let single = [
        &folder.instructions,
        &folder.agent,
        &folder.gateway,
        &folder.lock,
    ];
    let named = folder
        .tools
        .iter()
        .chain(&folder.channels)
        .chain(&folder.schedules)
        .map(|named| &named.file);
    for file in single
        .into_iter()
        .flatten()
        .chain(named)
        .chain(&drafts.neighbours)
        .chain(bundles.sources.values())
    {
        sources.insert(file.path.clone(), file.sha256.clone());
    }
    for part in &folder.parts.files {
        for file in [Some(&part.file), part.instructions.as_ref()]
            .into_iter()
            .flatten()
        {
            sources.insert(file.path.clone(), file.sha256.clone());
        }
    }
    for Asset { path, bytes } in folder.parts.seeds.iter().chain(&folder.migrations) {
        sources.insert(path.clone(), sha256_hex(bytes));
    }
    for skill in &drafts.skills {
        sources.insert(skill.spec.source.clone(), skill.spec.sha256.clone());
        for file in &skill.spec.files {
            sources.insert(file.path.clone(), file.sha256.clone());
        }
    }
    sources
}

/// The files that go into the artifact as they are, by their path below `assets/`.
pub(crate) fn assets(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    let mut assets = BTreeMap::new();
    for skill in &folder.skills {
        let text = skill.file.text.clone().into_bytes();
        assets.insert(skill.file.path.clone(), text);
        for Asset { path, bytes } in &skill.others {
            assets.insert(path.clone(), bytes.clone());
        }
    }
    for Asset { path, bytes } in &folder.parts.seeds {
        assets.insert(path.clone(), bytes.clone());
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

/// Source path → what kind of definition it is, its name, and what the manifest has no field for.
fn metadata(folder: &Folder, drafts: &Drafts) -> BTreeMap<String, Value> {
    let mut metadata = BTreeMap::new();
    let mut add = |kind: &str, name: &str, file: &SourceFile, more: Option<&Value>| {
        let mut map = Map::new();
        map.extend(
            more.and_then(Value::as_object)
                .cloned()
                .into_iter()
                .flatten(),
        );
        map.insert("kind".to_owned(), kind.into());
        map.insert("name".to_owned(), name.into());
        map.insert("bytes".to_owned(), json!(file.text.len()));
        metadata.insert(file.path.clone(), Value::Object(map));
    };
    for (kind, file) in [
        ("instructions", &folder.instructions),
        ("agent", &folder.agent),
        ("gateway", &folder.gateway),
    ] {
        if let Some(file) = file {
            add(kind, kind, file, None);
        }
    }
    for source in &folder.tools {
        let draft = drafts
            .tools
            .iter()
            .find(|draft| draft.spec.name == source.name);
        add(
            "tool",
            &source.name,
            &source.file,
            draft.map(|draft| &draft.metadata),
        );
    }
    for source in &folder.channels {
        add("channel", &source.name, &source.file, None);
    }
    for source in &folder.schedules {
        add("schedule", &source.name, &source.file, None);
    }
    for source in &folder.skills {
        add("skill", &source.name, &source.file, None);
    }
    for source in &folder.parts.files {
        add(source.part.as_str(), &source.name, &source.file, None);
    }
    metadata
}
