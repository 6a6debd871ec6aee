//! What a deployment says: its plan, its steps as they begin, what came of it.

use serde_json::{Value, json};

use super::plan::{Plan, Step, Work};
use super::subject::Subject;
use crate::output;

/// Shows a plan that is not carried out, and what is missing for it.
pub(super) fn plan(subject: &Subject, plan: &Plan) {
    if subject.arguments.json {
        output::json(&told(subject, plan));
        return;
    }
    output::answer(&format!(
        "{} at revision {} to {}:",
        subject.manifest.agent.id,
        subject.short_revision(),
        subject.target.name()
    ));
    for (index, step) in plan.steps.iter().enumerate() {
        output::answer(&format!("  {}. {}", index + 1, line(step)));
    }
    output::answer(&format!(
        "  {}. record it in .openeve/{}",
        plan.steps.len() + 1,
        super::record::NAME
    ));
    if plan.serves && !subject.arguments.no_start {
        output::answer(&format!("  {}. serve it", plan.steps.len() + 2));
    }
    if !plan.variables.is_empty() {
        output::answer(&format!("handed over: {}", plan.variables.join(", ")));
    }
    for note in &plan.notes {
        output::answer(&format!("note: {note}"));
    }
    for need in &plan.needs {
        output::answer(&format!("missing: {}: {}", need.what, need.how));
    }
    if plan.needs.is_empty() {
        output::answer("nothing is missing");
    } else if !subject.arguments.dry_run {
        let missing = output::counted(plan.needs.len(), "thing");
        output::say(&format!("{missing} missing; nothing was changed"));
    }
}

/// A step begins.
pub(super) fn begins(number: usize, count: usize, step: &Step) {
    output::say(&format!("{number}/{count} {}", line(step)));
}

/// Everything is done.
pub(super) fn done(subject: &Subject, plan: &Plan, recorded: &Value) {
    if subject.arguments.json {
        let mut told = told(subject, plan);
        if let Some(fields) = told.as_object_mut() {
            fields.insert("deployment".to_owned(), recorded.clone());
        }
        output::json(&told);
        return;
    }
    for note in &plan.notes {
        output::say(&format!("note: {note}"));
    }
    let url = recorded.get("url").and_then(Value::as_str);
    let at = url.map_or(String::new(), |url| format!(" at {url}"));
    output::answer(&format!(
        "{} at revision {} is deployed to {}{at}",
        subject.manifest.agent.id,
        subject.short_revision(),
        subject.target.name()
    ));
}

fn line(step: &Step) -> String {
    match command(step) {
        Some(command) => format!("{}: {command}", step.what),
        None => step.what.clone(),
    }
}

fn command(step: &Step) -> Option<String> {
    match &step.work {
        Work::Run(tool) => Some(tool.shown()),
        Work::Build
        | Work::Functions
        | Work::Image { .. }
        | Work::Schema
        | Work::Check
        | Work::Forget => None,
    }
}

fn told(subject: &Subject, plan: &Plan) -> Value {
    let step = |step: &Step| json!({"what": step.what, "command": command(step)});
    let needs = plan.needs.iter();
    let missing = needs.map(|need| json!({"what": need.what, "how": need.how}));
    json!({
        "target": subject.target.name(),
        "environment": subject.environment,
        "agent": subject.manifest.agent.id,
        "revision": subject.manifest.revision,
        "dry_run": subject.arguments.dry_run,
        "steps": plan.steps.iter().map(step).collect::<Vec<_>>(),
        "variables": plan.variables,
        "notes": plan.notes,
        "missing": missing.collect::<Vec<_>>(),
    })
}
