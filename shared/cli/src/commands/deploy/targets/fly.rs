//! Fly.io: `fly.toml`, secrets through `flyctl secrets import`'s standard input, `flyctl deploy`.

use std::fmt::Write as _;
use std::path::PathBuf;

use openeve_domain::secret::Secret;
use serde_json::json;

use super::handed_over;
use crate::commands::deploy::plan::Plan;
use crate::commands::deploy::subject::{Subject, variable};
use crate::commands::deploy::tool::{Tool, found};
use crate::commands::deploy::{image, migrations};

/// An author's own configuration of the app, in the agent folder.
const CONFIG: &str = "fly.toml";

/// Plans it.
pub(super) fn plan(subject: &Subject, plan: &mut Plan) {
    let flyctl = found(&["flyctl", "fly"]);
    if flyctl.is_none() {
        plan.need(
            "flyctl",
            "it is not on PATH; https://fly.io/docs/flyctl/install says how to install it",
        );
    }
    if variable("FLY_API_TOKEN").is_none() {
        plan.need(
            "FLY_API_TOKEN",
            "it is not set; `fly tokens create deploy` makes one",
        );
    }
    let given = subject.arguments.fly_app.clone();
    let app = given
        .or_else(|| variable("FLY_APP_NAME"))
        .unwrap_or_else(|| {
            plan.need(
                "--fly-app",
                "which app? Give --fly-app or set FLY_APP_NAME; `fly apps create` makes one",
            );
            "APP".to_owned()
        });
    let own = std::fs::read_to_string(subject.folder.join(CONFIG)).ok();
    if own.is_some() {
        let note = "the folder's own fly.toml is used; let its port be 8080, and let no machine be stopped while a run is under way";
        plan.notes.push(note.to_owned());
    }
    let config = own.unwrap_or_else(|| config(&app));
    image::plan(subject, plan, Some("linux/amd64"), Some(config));
    migrations::plan(subject, plan);
    let flyctl = flyctl.unwrap_or_else(|| PathBuf::from("flyctl"));
    let given = handed_over(subject, plan);
    let lines = lines(&given, plan);
    if !given.is_empty() {
        plan.runs(
            "hand over the variables",
            Tool::new(&flyctl, ["secrets", "import", "--app", &app, "--stage"])
                .reading(Secret::new(lines)),
        );
    }
    let folder = image::folder(&subject.artifact);
    let config = folder.join(CONFIG).display().to_string();
    let folder = folder.display().to_string();
    plan.runs(
        "publish",
        Tool::new(
            &flyctl,
            [
                "deploy", &folder, "--app", &app, "--config", &config, "--yes",
            ],
        ),
    );
    plan.published = json!({"app": app});
    plan.url = Some(format!("https://{app}.fly.dev"));
}

/// Machines are never stopped for want of requests: a run goes on without any.
fn config(app: &str) -> String {
    format!(
        "app = {app:?}\n\
         kill_signal = \"SIGTERM\"\n\
         kill_timeout = 30\n\n\
         [build]\n\
         dockerfile = \"Dockerfile\"\n\n\
         [http_service]\n\
         internal_port = 8080\n\
         force_https = true\n\
         auto_stop_machines = \"off\"\n\
         auto_start_machines = true\n\
         min_machines_running = 1\n\n\
         [[http_service.checks]]\n\
         grace_period = \"20s\"\n\
         interval = \"15s\"\n\
         timeout = \"5s\"\n\
         method = \"GET\"\n\
         path = \"/readyz\"\n"
    )
}

/// `NAME="""value"""` a line: so flyctl keeps quotes and line ends. What it would change anyway is
/// left out and said.
fn lines(given: &[(String, Secret)], plan: &mut Plan) -> String {
    let mut lines = String::new();
    for (name, value) in given {
        let value = value.reveal();
        if value.contains("\"\"\"") || value.contains('\r') || value.contains('#') {
            let how = "flyctl's import would change its value, which has `#`, three quotes or a carriage return; \
                       set it with `fly secrets set` and unset it here";
            plan.need(name, how);
            continue;
        }
        let _ = writeln!(lines, "{name}=\"\"\"{value}\"\"\"");
    }
    lines
}
