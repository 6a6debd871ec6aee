//! A container of this machine's Docker: `docker build`, the boot check inside the new image, and
//! `docker run` in the place of the container before.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::handed_over;
use crate::commands::deploy::plan::{Plan, Work};
use crate::commands::deploy::subject::Subject;
use crate::commands::deploy::tool::{Tool, found};
use crate::commands::deploy::{image, migrations};

/// The port inside.
const PORT: u16 = 8080;
/// Seconds that Docker waits for a drain, a little more than a drain's default.
const STOP_SECONDS: &str = "30";

/// Plans it.
pub(super) fn plan(subject: &Subject, plan: &mut Plan) {
    let docker = docker(plan);
    let name = subject.name();
    let tag = format!("{name}:{}", subject.short_revision());
    let platform = image::plan(subject, plan, None, None);
    let folder = image::folder(&subject.artifact).display().to_string();
    let docker = docker.unwrap_or_else(|| PathBuf::from("docker"));
    plan.runs(
        "build the image",
        Tool::new(&docker, ["build", "--platform", platform, "--tag", &tag])
            .with([folder.as_str()]),
    );
    migrations::plan(subject, plan);
    let given = handed_over(subject, plan);
    // By name: the values are in the tool's environment, not on its command line.
    let mut options = vec![
        "--add-host".to_owned(),
        "host.docker.internal:host-gateway".to_owned(),
    ];
    if let Some(network) = &subject.arguments.network {
        options.extend(["--network".to_owned(), network.clone()]);
    }
    for name in &plan.variables {
        options.extend(["--env".to_owned(), name.clone()]);
    }
    plan.runs(
        "check in the new image that it can be served",
        Tool::new(&docker, ["run", "--rm"])
            .with(options.clone())
            .with([tag.as_str(), "serve", "--once"])
            .knowing(&given),
    );
    if plan.needs.is_empty() && runs(&docker, &name) {
        plan.step("take back the record of the container before", Work::Forget);
        plan.runs(
            "let the container before finish",
            Tool::new(&docker, ["stop", "-t", STOP_SECONDS, &name]),
        );
        plan.runs("remove it", Tool::new(&docker, ["rm", name.as_str()]));
    }
    let publish = format!("{}:{PORT}", subject.arguments.port);
    plan.runs(
        "start the new one",
        Tool::new(&docker, ["run", "--detach", "--name", &name])
            .with([
                "--restart",
                "unless-stopped",
                "--stop-timeout",
                STOP_SECONDS,
            ])
            .with(["--publish", &publish])
            .with(options)
            .with([tag.as_str()])
            .knowing(&given),
    );
    plan.published = json!({"image": tag, "container": name, "platform": platform});
    plan.url = Some(format!("http://127.0.0.1:{}", subject.arguments.port));
}

/// The tool, if its daemon answers.
fn docker(plan: &mut Plan) -> Option<PathBuf> {
    let Some(docker) = found(&["docker"]) else {
        plan.need(
            "docker",
            "it is not on PATH; install Docker Engine or Docker Desktop",
        );
        return None;
    };
    let asked = Tool::new(&docker, ["version", "--format", "{{.Server.Version}}"]);
    if asked.answer().is_none() {
        plan.need(
            "docker daemon",
            "docker is there and its daemon does not answer; start it, or set DOCKER_HOST",
        );
    }
    Some(docker)
}

/// Whether there is a container of this name, running or not.
fn runs(docker: &Path, name: &str) -> bool {
    Tool::new(docker, ["container", "inspect", name])
        .answer()
        .is_some()
}
