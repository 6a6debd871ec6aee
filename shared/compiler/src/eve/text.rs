//! Files of eve that are text: instructions, skills, and schedules in Markdown.

use serde_norway::{Mapping, Value};

use super::edit::quoted;
use super::source::{Exported, Kind, Module, Object};

const FENCE: &str = "---";

/// A Markdown file in two parts: the mapping between the fences, if there is one, and the rest.
pub(super) struct Markdown<'t> {
    pub(super) head: Mapping,
    /// The head's text, without the fences.
    head_text: &'t str,
    pub(super) body: &'t str,
}

/// Takes a Markdown file apart. None: its head is no YAML.
pub(super) fn markdown(text: &str) -> Option<Markdown<'_>> {
    let whole = Markdown {
        head: Mapping::new(),
        head_text: "",
        body: text,
    };
    let Some(rest) = text
        .strip_prefix(FENCE)
        .and_then(|rest| rest.trim_start_matches([' ', '\r']).strip_prefix('\n'))
    else {
        return Some(whole);
    };
    let mut length = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == FENCE {
            let head_text = rest.get(..length)?;
            let head = match serde_norway::from_str::<Value>(head_text).ok()? {
                Value::Mapping(head) => head,
                Value::Null => Mapping::new(),
                Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Sequence(_)
                | Value::Tagged(_) => return None,
            };
            return Some(Markdown {
                head,
                head_text,
                body: rest
                    .get(length + line.len()..)?
                    .trim_start_matches(['\r', '\n']),
            });
        }
        length += line.len();
    }
    Some(whole)
}

/// A skill's file with the head that ours needs, and whether anything of it changed.
pub(super) fn skill(name: &str, text: &str) -> Option<String> {
    let Markdown {
        head,
        head_text,
        body,
    } = markdown(text)?;
    let mut lines = vec![FENCE.to_owned()];
    lines.push(format!("name: {name}"));
    if !head.contains_key("description") {
        lines.push(format!("description: {}", quoted(&description(name, body))));
    }
    let others = head_text.lines().filter(|line| !line.starts_with("name:"));
    lines.extend(others.map(str::to_owned));
    lines.push(FENCE.to_owned());
    Some(format!("{}\n\n{body}", lines.join("\n")))
}

/// What eve says of a skill that does not say it itself: its first line.
fn description(name: &str, body: &str) -> String {
    body.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("```"))
        .map(|line| line.trim_start_matches(['#', '>', '*', '-']).trim())
        .find(|line| !line.is_empty())
        .map_or_else(
            || format!("Instructions for the {name} skill."),
            str::to_owned,
        )
}

/// A schedule in Markdown as a definition. None: its head names no time.
pub(super) fn schedule(text: &str) -> Option<String> {
    let Markdown { head, body, .. } = markdown(text)?;
    let cron = head.get("cron")?.as_str()?;
    let message = body.trim();
    Some(format!(
        "import {{ defineSchedule }} from \"@openeve/core\";\n\nexport default defineSchedule({{\n  cron: {},\n  message: {},\n}});\n",
        quoted(cron),
        quoted(message)
    ))
}

/// The text that a module of instructions or of a skill gives, if it is written out.
pub(super) struct Authored {
    pub(super) text: String,
    pub(super) description: Option<String>,
    /// Whether it goes into the conversation and not before it.
    pub(super) is_user: bool,
    /// Files beside it, by path. None among them: one is not written out.
    pub(super) files: Option<Vec<(String, String)>>,
}

/// Reads `defineInstructions({ … })` or `defineSkill({ … })`. The error says why it cannot be read.
pub(super) fn authored(module: &Module, helper: &str) -> Result<Authored, String> {
    let not = |what: &str| Err(format!("{what}; write the text in Markdown"));
    let Exported::Call(call) = &module.default else {
        return not("its text is made while it runs");
    };
    let name = module.origin(&call.callee).map(|(_, name)| name);
    if name == Some("defineDynamic") {
        return not("a text that depends on the session does not exist here");
    }
    if name != Some(helper) {
        return not("its text is made while it runs");
    }
    let Some(Kind::Object(object)) = call.argument.as_ref().map(|value| &value.kind) else {
        return not("its text is made while it runs");
    };
    let Some(text) = text_of(object, "markdown").or_else(|| text_of(object, "content")) else {
        return not("its text is made while it runs");
    };
    Ok(Authored {
        text,
        description: text_of(object, "description"),
        is_user: text_of(object, "role").as_deref() == Some("user"),
        files: files(object),
    })
}

fn text_of(object: &Object, key: &str) -> Option<String> {
    match &object.get(key)?.value.kind {
        Kind::Text(text) => Some(text.clone()),
        Kind::Bool(_)
        | Kind::Call(_)
        | Kind::Function(_)
        | Kind::Or(_)
        | Kind::Env(_)
        | Kind::Prefixed(..)
        | Kind::Object(_)
        | Kind::Other => None,
    }
}

fn files(object: &Object) -> Option<Vec<(String, String)>> {
    let Some(property) = object.get("files") else {
        return Some(Vec::new());
    };
    let Kind::Object(files) = &property.value.kind else {
        return None;
    };
    let mut read = Vec::new();
    for file in &files.properties {
        let path = file.key.clone()?;
        let text = text_of(files, &path)?;
        read.push((path, text));
    }
    Some(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_gets_the_head_that_ours_needs() {
        let flat = skill("forecast", "# Ask the weather tool\n\nBefore you answer.\n").unwrap();
        assert_eq!(
            flat,
            "---\nname: forecast\ndescription: \"Ask the weather tool\"\n---\n\n# Ask the weather tool\n\nBefore you answer.\n"
        );
        let packaged = skill(
            "pdf-forms",
            "---\nname: PDF Forms\ndescription: Fills forms.\nlicense: MIT\n---\nFill.\n",
        );
        assert_eq!(
            packaged.unwrap(),
            "---\nname: pdf-forms\ndescription: Fills forms.\nlicense: MIT\n---\n\nFill.\n"
        );
        assert!(skill("a", "---\n: [\n---\n").is_none());
        assert!(
            skill("a", "")
                .unwrap()
                .contains("Instructions for the a skill.")
        );
    }

    #[test]
    fn a_schedule_in_markdown_becomes_a_definition() {
        let text = schedule("---\ncron: \"0 0 * * 0\"\n---\n\nSweep \"stale\" state.\n").unwrap();
        assert!(text.contains("cron: \"0 0 * * 0\","), "{text}");
        assert!(
            text.contains(r#"message: "Sweep \"stale\" state.","#),
            "{text}"
        );
        assert!(schedule("Sweep.\n").is_none());
    }
}
