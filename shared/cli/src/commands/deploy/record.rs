//! `deployment.json` in the artifact: what was published last, where and when [S.13]. It holds no
//! secret and is no part of the revision.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context as _;
use serde_json::{Value, json};

use super::plan::Plan;
use super::subject::Subject;

/// The file's name.
pub(super) const NAME: &str = "deployment.json";

/// Writes the record of a deployment that has succeeded.
pub(super) fn write(subject: &Subject, plan: &Plan) -> anyhow::Result<Value> {
    let asked = plan.asks_url.as_ref().and_then(|tool| {
        let answer = tool.answer()?;
        super::targets::lambda::url(&answer)
    });
    let recorded = json!({
        "format": 1,
        "target": subject.target.name(),
        "environment": subject.environment,
        "agent": subject.manifest.agent.id,
        "agentRevision": subject.manifest.revision,
        "deployedAt": jiff::Timestamp::now().to_string(),
        "published": plan.published,
        "url": plan.url.clone().or(asked),
    });
    let mut text = serde_json::to_string_pretty(&recorded)?;
    text.push('\n');
    let part = plan.record.with_extension("json.part");
    let written = std::fs::write(&part, text).and_then(|()| std::fs::rename(&part, &plan.record));
    written.with_context(|| {
        format!(
            "it is deployed, but {} cannot be written",
            plan.record.display()
        )
    })?;
    Ok(recorded)
}

/// Takes the record away.
pub(super) fn remove(record: &Path) -> anyhow::Result<()> {
    match std::fs::remove_file(record) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", record.display()))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The target that the record names, if there is one.
pub(super) fn target(record: &Path) -> Option<String> {
    let recorded: Value = serde_json::from_slice(&std::fs::read(record).ok()?).ok()?;
    Some(recorded.get("target")?.as_str()?.to_owned())
}
