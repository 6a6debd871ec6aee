//! `schedules/<name>.ts` (ledger G1).

use openeve_domain::manifest::{CatchUp, ScheduleSpec};
use openeve_domain::schedule::{Plan, ScheduleError};

use super::Read;
use super::definition::definition;
use super::fields::{Fields, Reader};
use super::modules::Modules;
use crate::diagnostic::{Code, Span};
use crate::discover::NamedFile;

const KEYS: &[&str] = &[
    "cron",
    "timezone",
    "message",
    "idempotencyKey",
    "channel",
    "conversation",
    "catchUp",
];

/// What one schedule file says, with the place that later checks point at.
#[derive(Debug)]
pub(crate) struct ScheduleDraft {
    pub(crate) spec: ScheduleSpec,
    pub(crate) channel_span: Span,
}

/// Reads one schedule file.
pub(crate) fn schedule(source: &NamedFile, modules: &Modules<'_>) -> Read<ScheduleDraft> {
    let definition = match definition(&source.file, "defineSchedule", modules) {
        Ok(definition) => definition,
        Err(diagnostics) => return Read::failed(diagnostics),
    };
    let mut reader = Reader::new(&source.file);
    let fields = Fields {
        owner: "defineSchedule",
        span: definition.span,
        object: &definition.object,
    };
    reader.known_keys(fields, KEYS);
    reader.require(fields, "cron", "add cron: \"0 8 * * *\"");
    reader.require(
        fields,
        "message",
        "add message: what the agent is told when the schedule fires",
    );
    let plan = plan(&mut reader, fields);
    let message = reader.text(
        fields,
        "message",
        "write what the agent is told when the schedule fires",
    );
    let word = "write a word, or leave the key out to use the file's name";
    let key = reader.text(fields, "idempotencyKey", word);
    let conversation = reader.text(fields, "conversation", word);
    let channel = reader.text(fields, "channel", "write the name of a file in channels/");
    let catch_up = match reader.choice(fields, "catchUp", &["latest", "all", "none"]) {
        Some("all") => CatchUp::All,
        Some("none") => CatchUp::None,
        _ => CatchUp::Latest,
    };
    let name_or = |given: Option<(&str, Span)>| {
        given.map_or_else(|| source.name.clone(), |(text, _)| text.to_owned())
    };
    let draft = match (plan, message) {
        (Some((cron, timezone)), Some((message, _))) => Some(ScheduleDraft {
            spec: ScheduleSpec {
                name: source.name.clone(),
                cron,
                timezone,
                message: message.to_owned(),
                idempotency_key: name_or(key),
                channel: channel.map(|(text, _)| text.to_owned()),
                conversation: name_or(conversation),
                catch_up,
                source: source.file.path.clone(),
            },
            channel_span: channel.map(|(_, span)| span).unwrap_or_default(),
        }),
        _ => None,
    };
    Read {
        draft,
        env: reader.env,
        diagnostics: reader.diagnostics,
    }
}

/// The expression and the zone, if both can be used.
fn plan(reader: &mut Reader<'_>, fields: Fields<'_>) -> Option<(String, String)> {
    let cron_help = "write five fields, such as \"0 8 * * *\" for every day at eight";
    let zone_help =
        "write an IANA zone such as \"Europe/Berlin\", or leave the key out for \"UTC\"";
    let zone = reader.text(fields, "timezone", zone_help);
    let (cron, cron_span) = reader.text(fields, "cron", cron_help)?;
    let (zone, zone_span) = match (zone, fields.object.get("timezone")) {
        (Some((zone, span)), _) => (zone, span),
        (None, None) => ("UTC", Span::default()),
        (None, Some(_)) => return None,
    };
    let parsed = Plan::parse(cron, "UTC").and_then(|_| Plan::parse(cron, zone));
    match parsed {
        Ok(_) => Some((cron.to_owned(), zone.to_owned())),
        Err(error) => {
            let (code, span, help) = match error {
                ScheduleError::Cron { .. } => (Code::BadCron, cron_span, cron_help),
                ScheduleError::Zone { .. } => (Code::BadTimezone, zone_span, zone_help),
            };
            reader.report(code, span, error.to_string(), help);
            None
        }
    }
}
