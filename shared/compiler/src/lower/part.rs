//! The parts that this version records in the manifest and does not run yet: context,
//! instrumentation, triggers, connections and sandboxes, by the tables of `shapes`.
//!
//! What is wrong with them is an error now, so that a folder that builds goes on to build once they
//! run. Code is recorded as being there, as `{"$code": true}`, and its definition is bundled.

use openeve_domain::manifest::{ModuleRef, PartSpec};
use openeve_domain::nearest::nearest;
use serde_json::{Map, Value, json};

use super::Read;
use super::approval::approval;
use super::definition::definition;
use super::fields::{Fields, Reader, quoted};
use super::modules::Modules;
use super::shapes::{self, Form, Key};
use super::value::{Kind, Node};
use crate::bundle::module_path;
use crate::diagnostic::{Code, Span};
use crate::discover::{Part, PartFile};

const CONTEXT_HELP: &str =
    "write defaultContext(), or defaultContext({ recentHistory: { maxMessages: 5 } })";
const AUTH_HELP: &str =
    "write bearer(env(\"SERVICE_TOKEN\")), { oauth: { … } } or { async getToken() { … } }";

/// What one part says.
#[derive(Debug)]
pub(crate) struct PartDraft {
    /// The spec, with its module's hash still to be filled in.
    pub(crate) spec: PartSpec,
    /// Where `revalidationKey` stands, if it is code that is still to be evaluated.
    pub(crate) key: Option<Span>,
}

impl PartDraft {
    /// Puts the key in its place.
    pub(crate) fn set_key(&mut self, key: &str) {
        if let Some(definition) = self.spec.definition.as_object_mut() {
            definition.insert("revalidationKey".to_owned(), json!({ "$frozen": key }));
        }
    }
}

/// Reads one part; its module goes into `directory` below the modules. The second is the export that
/// holds its definition, if there is code in it.
pub(crate) fn part(
    source: &PartFile,
    directory: &str,
    modules: &Modules<'_>,
) -> (Read<PartDraft>, Option<String>) {
    let helper = source.part.helper();
    let definition = match definition(&source.file, helper, modules) {
        Ok(definition) => definition,
        Err(diagnostics) => return (Read::failed(diagnostics), None),
    };
    let mut reader = Reader::new(&source.file);
    let fields = Fields {
        owner: helper,
        span: definition.span,
        object: &definition.object,
    };
    let shape = shape(&mut reader, source.part, fields);
    let read = shape.map(|shape| reader.shaped(fields, shape));
    rules(&mut reader, source.part, fields);
    let module = reader.has_code.then(|| ModuleRef {
        path: module_path(directory, &source.name),
        sha256: String::new(),
    });
    let key = fields
        .object
        .get("revalidationKey")
        .filter(|_| source.part == Part::Sandbox)
        .map(|node| node.span);
    let export = module.is_some().then_some(definition.export);
    let draft = read.map(|read| PartDraft {
        spec: PartSpec {
            kind: source.part.as_str().to_owned(),
            name: source.name.clone(),
            definition: Value::Object(read),
            module,
            source: source.file.path.clone(),
        },
        key,
    });
    (reader.read(draft), export)
}

/// The keys of a part; of a connection, those of its kind.
fn shape(
    reader: &mut Reader<'_>,
    part: Part,
    fields: Fields<'_>,
) -> Option<&'static [&'static [Key]]> {
    Some(match part {
        Part::Context => &[shapes::CONTEXT],
        Part::Instrumentation => &[shapes::INSTRUMENTATION],
        Part::Sandbox => &[shapes::SANDBOX],
        Part::Trigger => &[shapes::TRIGGER],
        Part::Connection => {
            reader.require(fields, "kind", "add kind: \"mcp\", \"openapi\" or \"http\"");
            match reader.choice(fields, "kind", shapes::CONNECTION_KINDS)? {
                "mcp" => &[shapes::CONNECTION, shapes::MCP],
                "openapi" => &[shapes::CONNECTION, shapes::OPENAPI],
                _ => &[shapes::CONNECTION, shapes::HTTP],
            }
        }
    })
}

/// What a table cannot say.
fn rules(reader: &mut Reader<'_>, part: Part, fields: Fields<'_>) {
    let place = |key: &str| fields.object.get(key).map(|node| node.span);
    if part == Part::Sandbox
        && place("bootstrap").is_none()
        && let Some(span) = place("revalidationKey")
    {
        let message = "revalidationKey has a meaning only beside bootstrap: it says when its template is stale";
        reader.report(
            Code::BadValue,
            span,
            message,
            "add bootstrap({ use }) { … }, or remove the key",
        );
    }
    if part == Part::Sandbox
        && let (Some(_), Some(span)) = (place("adapter"), place("backend"))
    {
        let message = "adapter and backend both say what runs the sandbox";
        reader.report(Code::BadValue, span, message, "keep one of them");
    }
    for key in ["tools", "operations"] {
        if part == Part::Connection
            && let Some(Node {
                span,
                kind: Kind::Object(filter),
            }) = fields.object.get(key)
            && filter.get("allow").is_some()
            && filter.get("block").is_some()
        {
            let message = format!("{key} has allow and block, and one of them would say nothing");
            reader.report(Code::BadValue, *span, message, "keep one of them");
        }
    }
}

impl Reader<'_> {
    /// An object by its table.
    pub(super) fn shaped(
        &mut self,
        fields: Fields<'_>,
        shapes: &[&'static [Key]],
    ) -> Map<String, Value> {
        let keys = || shapes.iter().copied().flatten();
        let names: Vec<&str> = keys().map(|key| key.name).collect();
        self.known_keys(fields, &names);
        let mut map = Map::new();
        for key in keys() {
            if let Some(help) = key.required {
                self.require(fields, key.name, help);
            }
            let value = self.formed(fields, key);
            map.extend(value.map(|value| (key.name.to_owned(), value)));
        }
        map
    }

    fn formed(&mut self, fields: Fields<'_>, key: &Key) -> Option<Value> {
        let name = key.name;
        let help = key
            .required
            .unwrap_or("correct the value, or leave the key out");
        match key.form {
            Form::Text => self.text(fields, name, help).map(|(text, _)| text.into()),
            Form::Flag => self.flag(fields, name).map(Value::from),
            Form::Count(max) => self.count(fields, name, max).map(Value::from),
            Form::Choice(choices) => self.choice(fields, name, choices).map(Value::from),
            Form::Texts => {
                let texts = self.texts(fields, name, "write an array of strings")?;
                Some(texts.into_iter().map(|(text, _)| text).collect())
            }
            Form::Code => self.function(fields, name, help).then(|| self.code()),
            Form::Json => self.json(fields, name).map(|(value, _)| value),
            Form::ObjectOrCode(_) | Form::AdapterOrCode(_) if is_function(fields, name) => {
                Some(self.code())
            }
            Form::Object(shape) | Form::ObjectOrCode(shape) => {
                let inner = self.object(fields, name, help)?;
                Some(Value::Object(self.shaped(inner, &[shape])))
            }
            Form::Env => self.env(fields, name).map(|env| json!(env)),
            Form::TextOrEnv => {
                if let Kind::Call(_) = &fields.object.get(name)?.kind {
                    return self.env(fields, name).map(|env| json!(env));
                }
                self.text(fields, name, help).map(|(text, _)| text.into())
            }
            Form::AdapterOrCode(kinds) => self.adapter(fields, name, kinds),
            Form::Auth => self.auth(fields, name),
            Form::Approval => {
                let approval = approval(self, fields)?;
                self.has_code |= approval.predicate;
                Some(json!(approval))
            }
            Form::Context => {
                let node = self.get(fields, name)?;
                self.context(name, node)
            }
        }
    }

    /// `adapter("kind")`, with options or without.
    pub(super) fn adapter(
        &mut self,
        fields: Fields<'_>,
        name: &str,
        kinds: &[&str],
    ) -> Option<Value> {
        let help = format!("write adapter(\"kind\") with one of {}", quoted(kinds));
        let node = self.get(fields, name)?;
        let Kind::Call(call) = &node.kind else {
            return self.wrong(name, node, "adapter(\"kind\")", &help);
        };
        let kind = call.arguments.first().and_then(Node::text);
        let known = kind.filter(|kind| call.helper == "adapter" && kinds.contains(kind));
        let Some(kind) = known else {
            let message = format!("{name} has no such adapter; it is one of {}", quoted(kinds));
            let near = kind.and_then(|kind| nearest(kind, kinds.iter().copied()));
            let help = near.map_or(help, |near| format!("did you mean adapter({near:?})?"));
            self.report(Code::UnknownAdapter, node.span, message, help);
            return None;
        };
        let options = match call.arguments.get(1) {
            Some(options) => self.json_of(name, options)?,
            None => Value::Null,
        };
        Some(json!({ "kind": kind, "options": options }))
    }

    fn auth(&mut self, fields: Fields<'_>, name: &'static str) -> Option<Value> {
        let node = self.get(fields, name)?;
        if let Kind::Object(object) = &node.kind {
            let inner = self.object(fields, name, AUTH_HELP)?;
            if object.entries.len() != 1 && object.holes.is_empty() {
                let message = format!("{name} says one way to prove who is asking, and no more");
                self.report(Code::BadValue, node.span, message, AUTH_HELP);
            }
            return Some(Value::Object(self.shaped(inner, &[shapes::AUTH])));
        }
        if let Kind::Call(call) = &node.kind
            && call.helper == "bearer"
            && let Some(token) = call.arguments.first()
        {
            return self.env_of(name, token).map(|env| json!({ "bearer": env }));
        }
        self.wrong(name, node, "bearer(env(\"NAME\"))", AUTH_HELP)
    }

    /// `defaultContext(…)`, or a custom context that extends one.
    pub(super) fn context(&mut self, name: &str, node: &Node) -> Option<Value> {
        let Kind::Call(call) = &node.kind else {
            return self.wrong(name, node, "defaultContext(…)", CONTEXT_HELP);
        };
        let (kind, shape) = match call.helper.as_str() {
            "defaultContext" => ("default", shapes::DEFAULT_CONTEXT),
            "defineContext" => ("custom", shapes::CONTEXT),
            _ => return self.wrong(name, node, "defaultContext(…)", CONTEXT_HELP),
        };
        let mut map = match call.arguments.first() {
            None => Map::new(),
            Some(Node {
                span,
                kind: Kind::Object(object),
            }) => {
                let fields = Fields {
                    owner: "context",
                    span: *span,
                    object,
                };
                self.shaped(fields, &[shape])
            }
            Some(other) => return self.wrong(name, other, "an object", CONTEXT_HELP),
        };
        map.insert("kind".to_owned(), kind.into());
        Some(Value::Object(map))
    }

    /// Notes code, which is in the module and not in the manifest.
    fn code(&mut self) -> Value {
        self.has_code = true;
        json!({ "$code": true })
    }
}

fn is_function(fields: Fields<'_>, name: &str) -> bool {
    let node = fields.object.get(name);
    node.is_some_and(|node| matches!(node.kind, Kind::Function))
}
