//! AWS Lambda: the archives of `build --target lambda`, then `sam deploy`, or where SAM is not
//! installed `aws cloudformation package` and `deploy`.

use std::path::Path;

use serde_json::{Value, json};

use crate::commands::build::{bundle, lambda};
use crate::commands::deploy::plan::{Plan, Work};
use crate::commands::deploy::subject::Subject;
use crate::commands::deploy::tool::{Tool, found};
use crate::commands::deploy::{migrations, record};

/// SAM's own memory of a deployment, in the agent folder.
const CONFIG: &str = "samconfig.toml";
/// Parameters of the template that have no default: each the ARN of a secret.
const REQUIRED: [&str; 3] = ["DatabaseUrl", "ModelApiKey", "AdminToken"];
/// The output that says where channels send their messages.
const URL: &str = "MessageUrl";

/// Plans it.
pub(super) fn plan(subject: &Subject, plan: &mut Plan) {
    functions(subject, plan);
    parameters(subject, plan);
    plan.step(
        "write the functions' archives to .openeve/lambda",
        Work::Functions,
    );
    migrations::plan(subject, plan);
    let given = subject.arguments.stack.clone();
    let stack = given.unwrap_or_else(|| subject.manifest.agent.id.replace('_', "-"));
    let template = subject.artifact.join("lambda/template.yaml");
    match (found(&["sam"]), found(&["aws"])) {
        (Some(sam), _) => with_sam(subject, plan, &sam, &stack, &template),
        (None, Some(aws)) => with_aws(subject, plan, &aws, &stack, &template),
        (None, None) => {
            let how = "neither sam nor aws is on PATH; `pip install aws-sam-cli` installs one, `pip install awscli` the other";
            plan.need("sam", how);
            with_sam(subject, plan, Path::new("sam"), &stack, &template);
        }
    }
    plan.published = json!({"stack": stack, "architecture": subject.arguments.arch.name()});
}

fn with_sam(subject: &Subject, plan: &mut Plan, sam: &Path, stack: &str, template: &Path) {
    let template = template.display().to_string();
    let mut deploy = Tool::new(sam, ["deploy", "--template-file", &template])
        .with(["--capabilities", "CAPABILITY_IAM"])
        .with(["--no-confirm-changeset", "--no-fail-on-empty-changeset"]);
    let config = subject.folder.join(CONFIG);
    if config.exists() {
        deploy = deploy.with(["--config-file".to_owned(), config.display().to_string()]);
    }
    // SAM's own memory names a stack and a bucket, unless they are named here.
    if !config.exists() || subject.arguments.stack.is_some() {
        deploy = deploy.with(["--stack-name", stack]);
    }
    match &subject.arguments.bucket {
        Some(bucket) => deploy = deploy.with(["--s3-bucket", bucket.as_str()]),
        None if config.exists() => {}
        None => deploy = deploy.with(["--resolve-s3"]),
    }
    let given = given(subject);
    if !given.is_empty() {
        deploy = deploy.with(["--parameter-overrides"]).with(given);
    }
    plan.runs("publish", deploy);
    plan.asks_url = Some(Tool::new(
        sam,
        [
            "list",
            "stack-outputs",
            "--stack-name",
            stack,
            "--output",
            "json",
        ],
    ));
}

fn with_aws(subject: &Subject, plan: &mut Plan, aws: &Path, stack: &str, template: &Path) {
    let bucket = subject.arguments.bucket.clone().unwrap_or_else(|| {
        let how = "without SAM the archives need a bucket to be uploaded to: give its name, or install sam";
        plan.need("--bucket", how);
        "BUCKET".to_owned()
    });
    let packaged = template
        .with_file_name("packaged.yaml")
        .display()
        .to_string();
    let template = template.display().to_string();
    plan.runs(
        "upload the archives",
        Tool::new(
            aws,
            ["cloudformation", "package", "--template-file", &template],
        )
        .with(["--s3-bucket", &bucket, "--output-template-file", &packaged]),
    );
    let mut deploy = Tool::new(
        aws,
        ["cloudformation", "deploy", "--template-file", &packaged],
    )
    .with(["--stack-name", stack])
    .with(["--capabilities", "CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"])
    .with(["--no-fail-on-empty-changeset"]);
    let given = given(subject);
    if !given.is_empty() {
        deploy = deploy.with(["--parameter-overrides"]).with(given);
    }
    plan.runs("publish", deploy);
    plan.asks_url = Some(
        Tool::new(
            aws,
            ["cloudformation", "describe-stacks", "--stack-name", stack],
        )
        .with(["--query", "Stacks[0].Outputs", "--output", "json"]),
    );
}

/// Archives, with functions that are given or compiled now.
pub(in crate::commands::deploy) fn archives(subject: &Subject) -> anyhow::Result<()> {
    let arguments = &subject.arguments;
    let functions = arguments.functions.as_deref();
    lambda(functions, arguments.arch, &subject.artifact).map(drop)
}

/// Where the functions come from.
fn functions(subject: &Subject, plan: &mut Plan) {
    if let Some(folder) = &subject.arguments.functions {
        for name in bundle::FUNCTIONS {
            if let Err(why) = bundle::bootstrap(folder, name) {
                plan.need("--functions", why.to_string());
            }
        }
        return;
    }
    if bundle::workspace().is_err() {
        let how = "the functions' sources are not here; run this inside the OpenEve checkout, or give compiled functions";
        plan.need("--functions", how);
    } else if found(&["cargo-lambda"]).is_none() {
        let how = "it is not on PATH; `pip install cargo-lambda ziglang` installs it, or give compiled functions with --functions";
        plan.need("cargo-lambda", how);
    }
}

/// The parameters that a command line may hold.
fn given(subject: &Subject) -> Vec<String> {
    let all = subject.arguments.parameters.iter();
    let fine = all.filter(|one| {
        let pair = one.split_once('=');
        pair.is_some_and(|(name, value)| !is_bare(name, value))
    });
    fine.cloned().collect()
}

/// Whether a value is a secret itself, and not the name of one.
fn is_bare(name: &str, value: &str) -> bool {
    REQUIRED.contains(&name) && !value.starts_with("arn:")
}

/// The template's parameters: each a name and a value, secrets by their ARN alone.
fn parameters(subject: &Subject, plan: &mut Plan) {
    let mut named = Vec::new();
    for parameter in &subject.arguments.parameters {
        match parameter.split_once('=') {
            None => plan.need("--parameter", "write NAME=VALUE"),
            Some((name, value)) => {
                if is_bare(name, value) {
                    let how = "its value would be seen on a command line; store it in Secrets Manager and give the secret's ARN";
                    plan.need(format!("--parameter {name}"), how);
                }
                named.push(name);
            }
        }
    }
    // A stack that is there keeps what is not given again.
    let known = subject.folder.join(CONFIG).exists()
        || record::target(&plan.record).is_some_and(|target| target == "lambda");
    for name in REQUIRED.into_iter().filter(|name| !named.contains(name)) {
        if !known {
            let how = format!(
                "store it with `aws secretsmanager create-secret` and give --parameter {name}=ARN; or keep SAM's answers in {CONFIG}"
            );
            plan.need(format!("--parameter {name}"), how);
        }
    }
}

/// Where the stack answers, from what a tool lists of its outputs.
pub(in crate::commands::deploy) fn url(outputs: &str) -> Option<String> {
    let outputs: Value = serde_json::from_str(outputs).ok()?;
    let found = outputs.as_array()?.iter().find(|one| {
        let key = one.get("OutputKey").and_then(Value::as_str);
        key == Some(URL)
    });
    Some(found?.get("OutputValue")?.as_str()?.to_owned())
}
