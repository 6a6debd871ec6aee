//! `channels/<name>.ts` (ledger I).

use openeve_domain::manifest::{ChannelAuth, ChannelSpec, ReplySpec};

use super::Read;
use super::definition::definition;
use super::fields::{Fields, Reader, quoted};
use super::modules::Modules;
use super::value::Kind;
use crate::diagnostic::{Code, Span};
use crate::discover::NamedFile;

const KEYS: &[&str] = &[
    "transport",
    "route",
    "methods",
    "auth",
    "reply",
    "approvers",
    "judgedReplies",
];

const METHODS: &[&str] = &["GET", "POST", "PUT", "PATCH", "DELETE"];

/// First segments that the host serves itself. A trailing `*` stands for any end.
const HOST_SEGMENTS: &[&str] = &["openeve", "runs", "health*", "readyz", "manifest", "routes"];

/// What one channel file says, with the place that later checks point at.
#[derive(Debug)]
pub(crate) struct ChannelDraft {
    pub(crate) spec: ChannelSpec,
    pub(crate) route_span: Span,
}

/// Reads one channel file.
pub(crate) fn channel(source: &NamedFile, modules: &Modules<'_>) -> Read<ChannelDraft> {
    let definition = match definition(&source.file, "defineChannel", modules) {
        Ok(definition) => definition,
        Err(diagnostics) => return Read::failed(diagnostics),
    };
    let mut reader = Reader::new(&source.file);
    let fields = Fields {
        owner: "defineChannel",
        span: definition.span,
        object: &definition.object,
    };
    reader.known_keys(fields, KEYS);
    reader.require(fields, "route", "add route: \"/message\"");
    let transport = reader
        .choice(fields, "transport", &["http"])
        .unwrap_or("http")
        .to_owned();
    let route = route(&mut reader, fields);
    let methods = methods(&mut reader, fields);
    let auth = auth(&mut reader, fields);
    let reply = reply(&mut reader, fields);
    let approvers = reader.approvers(fields);
    let judged_replies = reader.flag(fields, "judgedReplies").unwrap_or_default();
    let draft = route.map(|(route, route_span)| ChannelDraft {
        spec: ChannelSpec {
            name: source.name.clone(),
            transport,
            route,
            methods,
            auth,
            reply,
            approvers,
            judged_replies,
            source: source.file.path.clone(),
        },
        route_span,
    });
    reader.read(draft)
}

fn route(reader: &mut Reader<'_>, fields: Fields<'_>) -> Option<(String, Span)> {
    let help = "write a path such as \"/message\"";
    let (text, span) = reader.text(fields, "route", help)?;
    match route_problem(text) {
        Some(problem) => {
            reader.report(
                Code::BadRoute,
                span,
                format!("the route {text:?} {problem}"),
                help,
            );
            None
        }
        None => Some((text.to_owned(), span)),
    }
}

/// What is wrong with a route, if anything.
fn route_problem(route: &str) -> Option<String> {
    let Some(path) = route.strip_prefix('/') else {
        return Some("does not begin with /".to_owned());
    };
    if route.contains(['?', '#']) {
        return Some("has a query or a fragment; a route is a path alone".to_owned());
    }
    if !route
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "/-_.~".contains(c))
    {
        return Some("has characters other than letters, digits, /, -, _, . and ~".to_owned());
    }
    if !path.is_empty()
        && path
            .split('/')
            .any(|segment| matches!(segment, "" | "." | ".."))
    {
        return Some("has an empty segment, or one that is only dots".to_owned());
    }
    let first = path
        .split('/')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let taken = HOST_SEGMENTS
        .iter()
        .find(|host| match host.strip_suffix('*') {
            Some(start) => first.starts_with(start),
            None => first == **host,
        })?;
    Some(format!("is under /{taken}, which the host serves itself"))
}

fn methods(reader: &mut Reader<'_>, fields: Fields<'_>) -> Vec<String> {
    let help = "write an array such as [\"POST\"]";
    let Some(given) = reader.texts(fields, "methods", help) else {
        return vec!["POST".to_owned()];
    };
    if given.is_empty()
        && let Some(node) = fields.object.get("methods")
    {
        reader.report(
            Code::BadValue,
            node.span,
            "methods is empty, so nothing could reach the channel",
            help,
        );
    }
    let mut methods = Vec::new();
    for (method, span) in given {
        if !METHODS.contains(&method.as_str()) {
            let message = format!(
                "{method:?} is not a method; it is one of {}",
                quoted(METHODS)
            );
            let upper = method.to_uppercase();
            let help = if METHODS.contains(&upper.as_str()) {
                format!("write {upper:?}")
            } else {
                help.to_owned()
            };
            reader.report(Code::BadValue, span, message, help);
        } else if !methods.contains(&method) {
            methods.push(method);
        }
    }
    methods
}

/// `bearer(env("TOKEN"))`, or the same thing written out: `{ bearer: env("TOKEN") }`.
fn auth(reader: &mut Reader<'_>, fields: Fields<'_>) -> Option<ChannelAuth> {
    let help = "write bearer(env(\"SERVICE_TOKEN\"))";
    let node = reader.get(fields, "auth")?;
    if let Kind::Object(_) = node.kind {
        let inner = reader.object(fields, "auth", help)?;
        reader.known_keys(inner, &["bearer"]);
        reader.require(inner, "bearer", help);
        return Some(ChannelAuth {
            bearer: reader.env(inner, "bearer")?,
        });
    }
    if let Kind::Call(call) = &node.kind
        && call.helper == "bearer"
        && let Some(token) = call.arguments.first()
    {
        return Some(ChannelAuth {
            bearer: reader.env_of("auth", token)?,
        });
    }
    reader.wrong("auth", node, "bearer(env(\"NAME\"))", help)
}

fn reply(reader: &mut Reader<'_>, fields: Fields<'_>) -> Option<ReplySpec> {
    let help = "write { url: env(\"REPLY_URL\"), secret: env(\"REPLY_SECRET\") }";
    let inner = reader.object(fields, "reply", help)?;
    reader.known_keys(inner, &["url", "secret"]);
    reader.require(inner, "url", help);
    let (url, secret) = (reader.env(inner, "url"), reader.env(inner, "secret"));
    Some(ReplySpec { url: url?, secret })
}

#[cfg(test)]
mod tests {
    use super::route_problem;

    #[test]
    fn a_route_is_a_plain_path_that_the_host_does_not_serve() {
        for route in ["/", "/message", "/hooks/v1.2/a-b_c~d", "/runner", "/open"] {
            assert_eq!(route_problem(route), None, "{route}");
        }
        let bad = [
            "",
            "message",
            "/a?b=1",
            "/a#b",
            "/a b",
            "/a//b",
            "/a/",
            "/../a",
            "/é",
            "/:id",
            "/openeve/tick",
            "/runs",
            "/runs/1",
            "/Runs",
            "/healthz",
            "/health",
            "/readyz",
        ];
        for route in bad {
            assert!(route_problem(route).is_some(), "{route}");
        }
    }
}
