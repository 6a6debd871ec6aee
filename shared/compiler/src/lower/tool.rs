//! `tools/<name>.ts` (ledger E).
//!
//! Code is not read here: `execute` and `toModelOutput` only have to be there. Approval does not
//! change how a tool runs: `execution` stays what the author wrote. What the manifest has no field
//! for yet (`outputSchema`, `capability`) is checked and kept as source metadata.

use openeve_domain::limits::TOOL_WALL_MS;
use openeve_domain::manifest::{CapabilitySpec, Execution, ModuleRef, ToolSpec};
use openeve_domain::status::SideEffects;
use serde_json::{Map, Value};

use super::approval::approval;
use super::definition::{Definition, definition};
use super::fields::{Fields, Reader};
use super::modules::Modules;
use super::value::Node;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::discover::NamedFile;

const KEYS: &[&str] = &[
    "description",
    "inputSchema",
    "outputSchema",
    "sideEffects",
    "execution",
    "timeoutMs",
    "capability",
    "needsApproval",
    "execute",
    "toModelOutput",
];

/// What one tool file says.
#[derive(Debug)]
pub(crate) struct ToolDraft {
    /// The spec, with the module's hash still to be filled in.
    pub(crate) spec: ToolSpec,
    /// What is known beyond the spec.
    pub(crate) metadata: Value,
    /// What its author says for its discovery.
    pub(crate) capability: Option<CapabilitySpec>,
    /// `inputSchema` with its places.
    pub(crate) schema: Node,
}

/// A schema that is made by code.
#[derive(Debug)]
pub(crate) struct MadeSchema {
    /// `inputSchema` or `outputSchema`.
    pub(crate) key: &'static str,
    /// Where its expression stands.
    pub(crate) span: Span,
    /// The expression.
    pub(crate) expression: String,
    /// The file with its definition taken out.
    pub(crate) rest: String,
    /// The first part that cannot be read without running the code, and why.
    pub(crate) unreadable: (Span, String),
}

impl ToolDraft {
    /// Puts a schema in its place.
    pub(crate) fn set_schema(&mut self, key: &str, span: Span, schema: Value) {
        if key == "inputSchema" {
            self.schema = Node::from_json(span, schema.clone());
            self.spec.input_schema = schema;
        } else if let Some(metadata) = self.metadata.as_object_mut() {
            metadata.insert(key.to_owned(), schema);
        }
    }
}

/// What came of reading one tool file.
#[derive(Debug)]
pub(crate) struct ToolReading {
    /// The export that holds the definition. None: the file cannot be bundled.
    pub(crate) export: Option<String>,
    pub(crate) draft: Option<ToolDraft>,
    /// Schemas that are made by code, still to be evaluated.
    pub(crate) made: Vec<MadeSchema>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Reads one tool file; its module goes into `directory` below the modules.
pub(crate) fn tool(source: &NamedFile, directory: &str, modules: &Modules<'_>) -> ToolReading {
    match definition(&source.file, "defineTool", modules) {
        Ok(definition) => {
            let mut reader = Reader::new(&source.file);
            let mut made = Vec::new();
            let path = crate::bundle::module_path(directory, &source.name);
            let draft = draft(&mut reader, &source.name, path, &definition, &mut made);
            ToolReading {
                export: Some(definition.export),
                draft,
                made,
                diagnostics: reader.diagnostics,
            }
        }
        Err(diagnostics) => ToolReading {
            export: None,
            draft: None,
            made: Vec::new(),
            diagnostics,
        },
    }
}

fn draft(
    reader: &mut Reader<'_>,
    name: &str,
    module: String,
    definition: &Definition,
    made: &mut Vec<MadeSchema>,
) -> Option<ToolDraft> {
    let fields = Fields {
        owner: "defineTool",
        span: definition.span,
        object: &definition.object,
    };
    reader.known_keys(fields, KEYS);
    reader.require(
        fields,
        "description",
        "say what the tool does and when to use it; the model reads this to decide",
    );
    reader.require(
        fields,
        "inputSchema",
        "add inputSchema: { type: \"object\", properties: { … } }",
    );
    reader.require(fields, "execute", "add async execute(input, ctx) { … }");
    let description = reader.text(
        fields,
        "description",
        "say what the tool does and when to use it",
    );
    let input_schema = schema(reader, definition, "inputSchema", made);
    let output_schema = schema(reader, definition, "outputSchema", made);
    let side_effects = reader
        .choice(fields, "sideEffects", &["none", "idempotent", "unsafe"])
        .and_then(|text| SideEffects::parse(text).ok())
        .unwrap_or_default();
    let execution = match reader.choice(fields, "execution", &["parallel", "sequential"]) {
        Some("sequential") => Execution::Sequential,
        _ => Execution::Parallel,
    };
    let timeout_ms = reader.count(fields, "timeoutMs", TOOL_WALL_MS);
    let approval = approval(reader, fields);
    let capability = capability(reader, fields);
    reader.function(fields, "execute", "write async execute(input, ctx) { … }");
    let model_output =
        reader.function(fields, "toModelOutput", "write toModelOutput(result) { … }");
    let mut metadata = Map::new();
    metadata.insert("export".to_owned(), definition.export.clone().into());
    metadata.insert("toModelOutput".to_owned(), model_output.into());
    metadata.extend(output_schema.map(|schema| ("outputSchema".to_owned(), schema)));
    let capability = capability.map(|(value, spec)| {
        metadata.insert("capability".to_owned(), value);
        spec
    });
    Some(ToolDraft {
        spec: ToolSpec {
            name: name.to_owned(),
            description: description?.0.to_owned(),
            input_schema: input_schema?,
            side_effects,
            execution,
            timeout_ms,
            approval,
            module: ModuleRef {
                path: module,
                sha256: String::new(),
            },
            source: reader.file.path.clone(),
        },
        metadata: Value::Object(metadata),
        capability,
        schema: fields.object.get("inputSchema")?.clone(),
    })
}

/// A plain JSON Schema of an object; null if it is made by code, which is then noted.
fn schema(
    reader: &mut Reader<'_>,
    definition: &Definition,
    key: &'static str,
    made: &mut Vec<MadeSchema>,
) -> Option<Value> {
    let fields = Fields {
        owner: "defineTool",
        span: definition.span,
        object: &definition.object,
    };
    let help = "write plain JSON Schema: { type: \"object\", properties: { note: { type: \"string\" } }, required: [\"note\"] }";
    if let Some(node) = fields.object.get(key)
        && let Err(error) = node.to_json()
    {
        let unreadable = (error.span, error.reason);
        if let Some(found) = made_by_code(&reader.file.text, definition, key, node, &unreadable) {
            made.push(found);
            return Some(Value::Null);
        }
        let message = format!(
            "{key} cannot be read without running the code: it is {}",
            unreadable.1
        );
        reader.report(Code::NotStatic, unreadable.0, message, help);
        return None;
    }
    let (value, span) = reader.json(fields, key)?;
    if let Some(problem) = schema_problem(key, &value) {
        reader.report(Code::BadValue, span, format!("{key} {problem}"), help);
        return None;
    }
    Some(value)
}

/// The expression of a schema and the file without its definition. None for a definition that
/// another file holds: its expression stands elsewhere.
fn made_by_code(
    text: &str,
    definition: &Definition,
    key: &'static str,
    node: &Node,
    unreadable: &(Span, String),
) -> Option<MadeSchema> {
    if node.span == definition.span {
        return None;
    }
    let part = |span: Span| text.get(span.start as usize..span.end as usize);
    let before = text.get(..definition.span.start as usize)?;
    let after = text.get(definition.span.end as usize..)?;
    Some(MadeSchema {
        key,
        span: node.span,
        expression: part(node.span).filter(|text| !text.is_empty())?.to_owned(),
        rest: format!("{before}{{}}{after}"),
        unreadable: unreadable.clone(),
    })
}

/// What is wrong with a schema's outermost level, if anything. Arguments are an object; what a tool
/// returns may be any JSON.
pub(crate) fn schema_problem(key: &str, schema: &Value) -> Option<&'static str> {
    if !schema.is_object() && !schema.is_boolean() {
        return Some("must be an object, as every JSON Schema is");
    }
    if key == "inputSchema" && schema.get("type").and_then(Value::as_str) != Some("object") {
        return Some("must be an object with type: \"object\"");
    }
    if schema
        .get("properties")
        .is_some_and(|properties| !properties.is_object())
    {
        return Some("has properties that are no object");
    }
    let required = schema.get("required").map(|required| required.as_array());
    match required {
        Some(Some(names)) if names.iter().all(Value::is_string) => None,
        Some(_) => Some("has a required that is no array of strings"),
        None => None,
    }
}

fn capability(reader: &mut Reader<'_>, fields: Fields<'_>) -> Option<(Value, CapabilitySpec)> {
    let inner = reader.object(
        fields,
        "capability",
        "write an object such as { tags: [\"invoice\"] }",
    )?;
    reader.known_keys(
        inner,
        &["visibility", "execution", "namespace", "tags", "aliases"],
    );
    reader.choice(
        inner,
        "visibility",
        &["always", "deferred", "skill", "hidden"],
    );
    reader.choice(inner, "execution", &["direct", "sandbox", "both"]);
    reader.text(inner, "namespace", "write a word such as \"billing\"");
    for key in ["tags", "aliases"] {
        reader.texts(inner, key, "write an array of words such as [\"invoice\"]");
    }
    let (value, _) = reader.json(fields, "capability")?;
    // What does not fit was reported.
    let spec = serde_json::from_value(value.clone()).unwrap_or_default();
    Some((value, spec))
}
