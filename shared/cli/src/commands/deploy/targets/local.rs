//! This machine: a developer's, or a VM that lives long [S.11c]. After migrations and the boot check
//! this very process serves; whoever wants it supervised lets `openeve serve` be started instead.

use serde_json::json;

use crate::commands::deploy::migrations;
use crate::commands::deploy::plan::{Plan, Work};
use crate::commands::deploy::subject::Subject;

/// Plans it.
pub(super) fn plan(subject: &Subject, plan: &mut Plan) {
    migrations::plan(subject, plan);
    plan.step(
        "check that it can be served, as `serve --once` does",
        Work::Check,
    );
    plan.published = json!({
        "artifact": subject.artifact,
        "start": format!("openeve serve {}", subject.folder.display()),
    });
    plan.url = Some(format!("http://127.0.0.1:{}", subject.arguments.port));
    plan.serves = true;
}
