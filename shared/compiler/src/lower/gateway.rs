//! `gateway.ts` (ledger B).
//!
//! Slots are independent: no choice in one forces a choice in another [B.05].

use std::collections::BTreeMap;

use openeve_domain::manifest::AdapterSpec;
use serde_json::Value;

use super::Read;
use super::definition::definition;
use super::fields::{Fields, Reader, quoted};
use super::modules::Modules;
use super::shapes::SANDBOX_KINDS;
use super::value::{Call, Kind, Node};
use crate::diagnostic::Code;
use crate::discover::SourceFile;
use openeve_domain::nearest::nearest;

/// Every slot and the kinds it takes.
const SLOTS: &[(&str, &[&str])] = &[
    ("deploy", &["lambda", "docker", "railway", "fly", "local"]),
    ("runtime", &["lambda", "node"]),
    ("state", &["postgres"]),
    ("blob", &["s3", "r2", "folder"]),
    ("sandbox", SANDBOX_KINDS),
    ("scheduler", &["gateway", "local", "postgres"]),
];

/// Provider helpers: name, the slot it is for, the kind it stands for [B.03].
const HELPERS: &[(&str, &str, &str)] = &[
    ("railwayDeploy", "deploy", "railway"),
    ("dockerDeploy", "deploy", "docker"),
    ("flyDeploy", "deploy", "fly"),
    ("neonPostgres", "state", "postgres"),
    ("supabasePostgres", "state", "postgres"),
    ("localPostgres", "state", "postgres"),
    ("r2Blob", "blob", "r2"),
    ("s3Blob", "blob", "s3"),
    ("minioBlob", "blob", "s3"),
    ("dockerSandbox", "sandbox", "docker"),
    ("daytonaSandbox", "sandbox", "daytona"),
    ("e2bSandbox", "sandbox", "e2b"),
    ("modalSandbox", "sandbox", "modal"),
];

/// Slot → adapter.
pub(crate) type Gateway = BTreeMap<String, AdapterSpec>;

/// Reads `gateway.ts`.
pub(crate) fn gateway(file: &SourceFile, modules: &Modules<'_>) -> Read<Gateway> {
    let definition = match definition(file, "defineGateway", modules) {
        Ok(definition) => definition,
        Err(diagnostics) => return Read::failed(diagnostics),
    };
    let mut reader = Reader::new(file);
    let fields = Fields {
        owner: "defineGateway",
        span: definition.span,
        object: &definition.object,
    };
    let slots: Vec<&str> = SLOTS.iter().map(|(slot, _)| *slot).collect();
    reader.known_keys(fields, &slots);
    let mut gateway = Gateway::new();
    for (slot, kinds) in SLOTS {
        if let Some(adapter) = adapter(&mut reader, fields, slot, kinds) {
            gateway.insert((*slot).to_owned(), adapter);
        }
    }
    reader.read(Some(gateway))
}

fn adapter(
    reader: &mut Reader<'_>,
    fields: Fields<'_>,
    slot: &str,
    kinds: &[&str],
) -> Option<AdapterSpec> {
    let help = format!("write adapter(\"kind\") with one of {}", quoted(kinds));
    let node = reader.get(fields, slot)?;
    let Kind::Call(call) = &node.kind else {
        return reader.wrong(slot, node, "adapter(\"kind\")", &help);
    };
    let (kind, options) = kind_of(reader, slot, node, call, &help)?;
    if !kinds.contains(&kind.as_str()) {
        let message = format!(
            "{slot} has no adapter {kind:?}; it is one of {}",
            quoted(kinds)
        );
        let near = nearest(&kind, kinds.iter().copied());
        let help = near.map_or(help, |near| format!("did you mean adapter({near:?})?"));
        let place = call.arguments.first().map_or(node.span, |first| first.span);
        reader.report(Code::UnknownAdapter, place, message, help);
        return None;
    }
    let Some(options) = options else {
        return Some(AdapterSpec {
            kind,
            options: Value::Null,
        });
    };
    let Kind::Object(_) = options.kind else {
        return reader.wrong(
            slot,
            options,
            "an adapter whose options are an object",
            "write { key: value }",
        );
    };
    let options = reader.json_of(slot, options)?;
    Some(AdapterSpec { kind, options })
}

/// The kind a call stands for, and its options.
fn kind_of<'n>(
    reader: &mut Reader<'_>,
    slot: &str,
    node: &Node,
    call: &'n Call,
    help: &str,
) -> Option<(String, Option<&'n Node>)> {
    if call.helper == "adapter" {
        let first = call.arguments.first();
        return match first.map(|first| &first.kind) {
            Some(Kind::Text(kind)) => Some((kind.clone(), call.arguments.get(1))),
            _ => reader.wrong(
                slot,
                first.unwrap_or(node),
                "adapter(\"kind\") with a string",
                help,
            ),
        };
    }
    match HELPERS.iter().find(|(helper, ..)| *helper == call.helper) {
        Some((_, for_slot, kind)) if *for_slot == slot => {
            Some(((*kind).to_owned(), call.arguments.first()))
        }
        Some((helper, for_slot, _)) => {
            reader.report(
                Code::UnknownAdapter,
                node.span,
                format!("{helper}() is for the slot {for_slot}, not for {slot}"),
                help,
            );
            None
        }
        None => {
            let message = format!("{slot} has no helper {}()", call.helper);
            let of_slot = HELPERS.iter().filter(|(_, of, _)| *of == slot);
            let near = nearest(&call.helper, of_slot.map(|(helper, ..)| *helper));
            let help =
                near.map_or_else(|| help.to_owned(), |near| format!("did you mean {near}()?"));
            reader.report(Code::UnknownAdapter, node.span, message, help);
            None
        }
    }
}
