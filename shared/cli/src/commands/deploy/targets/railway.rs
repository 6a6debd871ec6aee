//! Railway: variables through `railway variable set --stdin`, then `railway up --ci`.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::handed_over;
use crate::commands::deploy::plan::Plan;
use crate::commands::deploy::subject::{Subject, variable};
use crate::commands::deploy::tool::{Tool, found};
use crate::commands::deploy::{image, migrations};

/// Plans it.
pub(super) fn plan(subject: &Subject, plan: &mut Plan) {
    let railway = found(&["railway"]);
    if railway.is_none() {
        plan.need(
            "railway",
            "it is not on PATH; https://docs.railway.com/guides/cli says how to install it",
        );
    }
    let token = variable("RAILWAY_TOKEN");
    if token.is_none() {
        plan.need(
            "RAILWAY_TOKEN",
            "it is not set; a project's settings make a token for one of its environments",
        );
    }
    let (project, service) = (
        subject.arguments.railway_project.as_deref(),
        subject.arguments.railway_service.as_deref(),
    );
    where_to(
        subject,
        plan,
        railway.as_deref().filter(|_| token.is_some()),
    );
    image::plan(subject, plan, Some("linux/amd64"), None);
    migrations::plan(subject, plan);
    let railway = railway.unwrap_or_else(|| PathBuf::from("railway"));
    let named: Vec<&str> = service.map_or_else(Vec::new, |service| vec!["--service", service]);
    for (name, value) in handed_over(subject, plan) {
        plan.runs(
            format!("hand over {name}"),
            Tool::new(
                &railway,
                ["variable", "set", &name, "--stdin", "--skip-deploys"],
            )
            .with(named.clone())
            .inside(&subject.folder)
            .reading(value),
        );
    }
    let folder = image::folder(&subject.artifact).display().to_string();
    let mut up = Tool::new(
        &railway,
        ["up", &folder, "--path-as-root", "--no-gitignore", "--ci"],
    );
    if let Some(project) = project {
        // Railway wants the environment with a project.
        up = up.with(["--project", project, "--environment", &subject.environment]);
    }
    plan.runs("publish", up.with(named).inside(&subject.folder));
    plan.published = json!({"project": project, "service": service});
}

/// A project and a service: both named, or a folder that is linked to them [S.11b].
fn where_to(subject: &Subject, plan: &mut Plan, railway: Option<&Path>) {
    let (project, service) = (
        subject.arguments.railway_project.is_some(),
        subject.arguments.railway_service.is_some(),
    );
    match (project, service) {
        (true, true) => {}
        (true, false) => plan.need("--railway-service", "give it with --railway-project"),
        (false, true) => plan.need("--railway-project", "give it with --railway-service"),
        (false, false) => {
            let Some(railway) = railway else {
                let how = "give both, or run `railway link` in the agent folder";
                plan.need("--railway-project and --railway-service", how);
                return;
            };
            let status = Tool::new(railway, ["status"]).inside(&subject.folder);
            if status.answer().is_none() {
                let how =
                    "the folder is linked to no project; run `railway link` in it, or give both";
                plan.need("--railway-project and --railway-service", how);
            }
        }
    }
}
