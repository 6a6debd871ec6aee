//! The head of `skills/<name>/SKILL.md` (ledger F.01): YAML between two lines of `---`.
//!
//! The form is the open one of Agent Skills: `description` says what the skill is for and when to use
//! it, `name` repeats the directory's, keys that are not ours are left alone. `tools` is ours: the
//! tools that the skill speaks of, which have to exist [F.16]. The body is not looked at; it is
//! loaded when a run asks for it.

use openeve_domain::canonical::sha256_hex;
use openeve_domain::limits::SKILL_DESCRIPTION_CHARS_MAX;
use openeve_domain::manifest::{FileRef, SkillSpec};
use openeve_domain::nearest::nearest;
use serde_norway::{Mapping, Value};

use super::Read;
use super::fields::Reader;
use super::reference::To;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::discover::{Asset, SkillFolder, SourceFile};

const FENCE: &str = "---";
const HEAD_HELP: &str = "begin the file with:\n---\nname: my-skill\ndescription: What it is for, and when to use it.\n---";
const DESCRIPTION_HELP: &str = "say in a sentence or two what the skill is for and when to use it; it is all that a model sees before it loads the skill";
/// Keys that the form has.
const KEYS: [&str; 7] = [
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
    "tools",
];

/// What one skill says.
#[derive(Debug)]
pub(crate) struct SkillDraft {
    pub(crate) spec: SkillSpec,
}

/// Reads the head of a skill.
pub(crate) fn skill(source: &SkillFolder) -> Read<SkillDraft> {
    match head(&source.file) {
        Ok((mapping, head)) => {
            let mut reader = Reader::new(&source.file);
            let draft = draft(source, &mapping, head, &mut reader);
            reader.read(draft)
        }
        Err(problem) => Read::failed(vec![*problem]),
    }
}

/// The mapping between the fences, and where its text begins.
fn head(file: &SourceFile) -> Result<(Mapping, Head<'_>), Box<Diagnostic>> {
    let bad = |message: String, span: Span| {
        let found = Diagnostic::new(Code::BadFrontmatter, message).at(file, span);
        Box::new(found.help(HEAD_HELP))
    };
    let first = file.text.lines().next().unwrap_or_default();
    let start = first.len() + 1;
    let whole = Span {
        start: 0,
        end: offset(first.len()),
    };
    if first.trim_end() != FENCE {
        return Err(bad(format!("{} begins without a head", file.path), whole));
    }
    let rest = file.text.get(start..).unwrap_or_default();
    let mut length = 0;
    let closed = rest.split_inclusive('\n').any(|line| {
        let is_fence = line.trim_end() == FENCE;
        length += if is_fence { 0 } else { line.len() };
        is_fence
    });
    if !closed {
        return Err(bad(
            format!("the head of {} does not end", file.path),
            whole,
        ));
    }
    let head = Head {
        start,
        text: rest.get(..length).unwrap_or_default(),
    };
    match serde_norway::from_str::<Value>(head.text) {
        Ok(Value::Mapping(mapping)) => Ok((mapping, head)),
        Ok(_) => Err(bad(
            format!("the head of {} holds no keys", file.path),
            whole,
        )),
        Err(error) => {
            let at = error.location().map_or(0, |place| place.index());
            let span = Span {
                start: offset(start + at.min(head.text.len())),
                end: offset(start + at.min(head.text.len()) + 1),
            };
            Err(bad(
                format!("the head of {} is no YAML: {error}", file.path),
                span,
            ))
        }
    }
}

/// The text between the fences.
#[derive(Clone, Copy)]
struct Head<'t> {
    /// Where it begins in the file.
    start: usize,
    text: &'t str,
}

impl Head<'_> {
    /// The line of a key; the first line if it is not found.
    fn line_of(self, key: &str) -> Span {
        let mut at = self.start;
        for line in self.text.split_inclusive('\n') {
            let trimmed = line.trim_end();
            if trimmed
                .strip_prefix(key)
                .is_some_and(|rest| rest.trim_start().starts_with(':'))
            {
                return Span {
                    start: offset(at),
                    end: offset(at + trimmed.len()),
                };
            }
            at += line.len();
        }
        Span {
            start: 0,
            end: offset(FENCE.len()),
        }
    }
}

fn draft(
    source: &SkillFolder,
    mapping: &Mapping,
    head: Head<'_>,
    reader: &mut Reader<'_>,
) -> Option<SkillDraft> {
    let file = &source.file;
    let mut keys = Keys {
        reader,
        mapping,
        head,
    };
    keys.name(&source.name);
    let description = keys.description();
    let tools = keys.tools();
    for name in &tools {
        let says = format!("the skill {:?} speaks of the tool", source.name);
        reader.refer(To::AnyTool, name, head.line_of("tools"), says);
    }
    let other = |other: &Asset| FileRef {
        path: other.path.clone(),
        sha256: sha256_hex(&other.bytes),
    };
    Some(SkillDraft {
        spec: SkillSpec {
            name: source.name.clone(),
            description: description?,
            tools,
            sha256: file.sha256.clone(),
            source: file.path.clone(),
            files: source.others.iter().map(other).collect(),
        },
    })
}

/// The keys of one head, with what is wrong about them.
struct Keys<'k, 'f> {
    reader: &'k mut Reader<'f>,
    mapping: &'k Mapping,
    head: Head<'k>,
}

impl Keys<'_, '_> {
    fn report(&mut self, code: Code, key: &str, message: String, help: impl Into<String>) {
        let span = self.head.line_of(key);
        self.reader.report(code, span, message, help);
    }

    fn name(&mut self, directory: &str) {
        let said = self.mapping.get("name");
        if said.is_some_and(|name| name.as_str() != Some(directory)) {
            let message = format!(
                "the name of a skill is its directory's, {directory:?}, and the head says otherwise"
            );
            let help = format!("write name: {directory}, or rename the directory");
            self.report(Code::BadValue, "name", message, help);
        }
    }

    fn description(&mut self) -> Option<String> {
        let Some(value) = self.mapping.get("description") else {
            let mut keys = self.mapping.keys().filter_map(Value::as_str);
            let near =
                keys.find(|key| !KEYS.contains(key) && nearest(key, ["description"]).is_some());
            let help = near.map_or_else(
                || DESCRIPTION_HELP.to_owned(),
                |near| format!("did you mean description where it says {near}?"),
            );
            let message = format!("{} lacks the key \"description\"", self.reader.file.path);
            self.report(Code::MissingKey, near.unwrap_or(FENCE), message, help);
            return None;
        };
        let text = value.as_str().map(str::trim);
        let length = text.map(|text| text.chars().count());
        let message = match length {
            Some(1..=SKILL_DESCRIPTION_CHARS_MAX) => return text.map(str::to_owned),
            Some(length) => format!(
                "description has {length} characters; it needs 1 to {SKILL_DESCRIPTION_CHARS_MAX}"
            ),
            None => "description must be a string".to_owned(),
        };
        self.report(Code::BadValue, "description", message, DESCRIPTION_HELP);
        None
    }

    fn tools(&mut self) -> Vec<String> {
        let Some(value) = self.mapping.get("tools") else {
            return Vec::new();
        };
        names(value).unwrap_or_else(|| {
            let message = "tools must be a list of names".to_owned();
            let help = "write names of files in tools/, such as [book_table, opening_hours]";
            self.report(Code::BadValue, "tools", message, help);
            Vec::new()
        })
    }
}

/// A list of names, or one text with spaces or commas between them.
fn names(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(
            text.split([' ', ','])
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect(),
        ),
        Value::Sequence(items) => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect(),
        Value::Null => Some(Vec::new()),
        Value::Bool(_) | Value::Number(_) | Value::Mapping(_) | Value::Tagged(_) => None,
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
