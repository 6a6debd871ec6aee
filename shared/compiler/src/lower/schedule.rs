//! `schedules/<name>.ts` (ledger G1).

use openeve_domain::manifest::{CatchUp, ScheduleSpec, TriggerRef};

use openeve_domain::schedule::{Plan, nearest_zone};

use super::Read;
use super::definition::definition;
use super::fields::{Fields, Reader};
use super::modules::Modules;
use super::reference::To;
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
    "trigger",
];

/// What one schedule file says.
#[derive(Debug)]
pub(crate) struct ScheduleDraft {
    pub(crate) spec: ScheduleSpec,
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
    let trigger = trigger(&mut reader, fields);
    if fields.object.get("trigger").is_none() {
        reader.require(
            fields,
            "message",
            "add message: what the agent is told when the schedule fires",
        );
    }
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
    if let Some((name, span)) = channel {
        reader.refer(To::Channel, name, span, "the schedule replies to");
    }
    let catch_up = match reader.choice(fields, "catchUp", &["latest", "all", "none"]) {
        Some("all") => CatchUp::All,
        Some("none") => CatchUp::None,
        _ => CatchUp::Latest,
    };
    let name_or = |given: Option<(&str, Span)>| {
        given.map_or_else(|| source.name.clone(), |(text, _)| text.to_owned())
    };
    let message = match (message, &trigger) {
        (Some((message, _)), _) => Some(message.to_owned()),
        (None, Some(_)) => Some(format!("The schedule {} fired.", source.name)),
        (None, None) => None,
    };
    let draft = match (plan, message) {
        (Some((cron, timezone)), Some(message)) => Some(ScheduleDraft {
            spec: ScheduleSpec {
                name: source.name.clone(),
                cron,
                timezone,
                message,
                idempotency_key: name_or(key),
                channel: channel.map(|(text, _)| text.to_owned()),
                conversation: name_or(conversation),
                catch_up,
                trigger,
                source: source.file.path.clone(),
            },
        }),
        _ => None,
    };
    reader.read(draft)
}

/// The handler that a schedule names [G3.01].
fn trigger(reader: &mut Reader<'_>, fields: Fields<'_>) -> Option<TriggerRef> {
    let help = "write { handler: \"nightly\" } with the name of a file in triggers/";
    let inner = reader.object(fields, "trigger", help)?;
    reader.known_keys(inner, &["handler", "input"]);
    reader.require(inner, "handler", help);
    let input = reader.json(inner, "input").map(|(input, _)| input);
    let (handler, span) = reader.text(inner, "handler", help)?;
    reader.refer(
        To::Trigger,
        handler,
        span,
        "the schedule names the trigger handler",
    );
    Some(TriggerRef {
        handler: handler.to_owned(),
        input: input.unwrap_or_default(),
    })
}

/// An expression that is right, to look at a zone alone.
const ANY_CRON: &str = "* * * * *";

/// The expression and the zone, if both can be used.
fn plan(reader: &mut Reader<'_>, fields: Fields<'_>) -> Option<(String, String)> {
    let cron_help = "write five fields, such as \"0 8 * * *\" for every day at eight";
    let zone_help =
        "write an IANA zone such as \"Europe/Berlin\", or leave the key out for \"UTC\"";
    let zone = match (
        reader.text(fields, "timezone", zone_help),
        fields.object.get("timezone"),
    ) {
        (Some((zone, span)), _) => match Plan::parse(ANY_CRON, zone) {
            Ok(_) => Some(zone),
            Err(error) => {
                let near = nearest_zone(zone);
                let help = near.map_or_else(
                    || zone_help.to_owned(),
                    |near| format!("did you mean {near:?}?"),
                );
                reader.report(Code::BadTimezone, span, error.to_string(), help);
                None
            }
        },
        (None, None) => Some("UTC"),
        (None, Some(_)) => None,
    };
    let (cron, span) = reader.text(fields, "cron", cron_help)?;
    if let Err(error) = Plan::parse(cron, "UTC") {
        reader.report(Code::BadCron, span, error.to_string(), cron_help);
        return None;
    }
    Some((cron.to_owned(), zone?.to_owned()))
}
