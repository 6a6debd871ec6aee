//! `openeve deploy` against tools that record what they are told and refuse what the real ones
//! refuse: their words are in `fake_tools/tool.sh`.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use openeve_testkit::database::TestDatabase;
use serde_json::{Value, json};

use crate::commands_serve::echo_folder;
use crate::commands_support::{Said, openeve};

const TOOL: &str = include_str!("fake_tools/tool.sh");
const KEY: &str = "sk-hunter22-model";
const DOOR: &str = "door-hunter22";

/// An agent folder, tools on a `PATH` of its own, and an empty database.
struct Bench {
    folder: tempfile::TempDir,
    agent: PathBuf,
    database: TestDatabase,
    env: BTreeMap<&'static str, String>,
}

impl Bench {
    async fn new(tools: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let agent = echo_folder(folder.path());
        let bin = folder.path().join("bin");
        std::fs::create_dir(&bin).unwrap();
        for name in ["sh", "cat", "rm"] {
            let known = ["/bin", "/usr/bin"].map(|folder| Path::new(folder).join(name));
            let real = known.iter().find(|path| path.exists()).unwrap();
            std::os::unix::fs::symlink(real, bin.join(name)).unwrap();
        }
        for name in tools {
            executable(&bin.join(name), TOOL.as_bytes());
        }
        let database = TestDatabase::create("template0").await;
        let binary = folder.path().join("openeve-for-linux");
        executable(&binary, &elf());
        let env = BTreeMap::from([
            ("PATH", bin.display().to_string()),
            ("FAKE_LOG", folder.path().join("log").display().to_string()),
            ("DATABASE_URL", database.url()),
            ("OPENAI_API_KEY", KEY.to_owned()),
            ("DOOR_TOKEN", DOOR.to_owned()),
        ]);
        Self {
            folder,
            agent,
            database,
            env,
        }
    }

    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.env.insert(name, value.to_owned());
        self
    }

    /// Puts a file into the agent folder.
    fn file(self, path: &str, text: &str) -> Self {
        let path = self.agent.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    async fn deploy(&self, more: &[&str]) -> Said {
        let binary = self.folder.path().join("openeve-for-linux");
        let arguments = ["deploy", self.agent.to_str().unwrap()];
        let binary = ["--binary", binary.to_str().unwrap()];
        let arguments = [&arguments[..], &binary[..], more].concat();
        let env: Vec<(&str, &str)> = self.env.iter().map(|(n, v)| (*n, v.as_str())).collect();
        openeve(&arguments, &env, self.folder.path()).await
    }

    fn recorded(&self, of: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(format!("log{of}"))).unwrap_or_default()
    }

    /// What was run, without what only looked; the folder's own paths are shortened.
    fn runs(&self) -> Vec<String> {
        let looks = [
            "<version>",
            "<inspect>",
            "<status>",
            "<list>",
            "<describe-stacks>",
        ];
        let log = self.recorded("");
        log.lines()
            .filter(|line| !looks.iter().any(|look| line.contains(look)))
            .map(|line| line.replace(self.agent.to_str().unwrap(), "AGENT"))
            .collect()
    }

    fn record(&self) -> Option<Value> {
        let text = std::fs::read(self.agent.join(".openeve/deployment.json")).ok()?;
        Some(serde_json::from_slice(&text).unwrap())
    }

    fn revision(&self) -> String {
        let path = self.agent.join(".openeve/agent-revision.json");
        let text = std::fs::read(path).unwrap();
        let value: Value = serde_json::from_slice(&text).unwrap();
        value["agentRevision"].as_str().unwrap()[..12].to_owned()
    }

    async fn is_migrated(&self) -> bool {
        let client = self.database.connect().await;
        let sql = "SELECT to_regclass('openeve.runs') IS NOT NULL";
        client.query_one(sql, &[]).await.unwrap().get(0)
    }

    /// No secret on a command line, in what is said, or in the record.
    fn holds_no_secret(&self, said: &Said) {
        let record = self.record().map(|record| record.to_string());
        for text in [
            self.recorded(""),
            said.out.clone(),
            said.err.clone(),
            record.unwrap_or_default(),
        ] {
            assert!(!text.contains("hunter22"), "{text}");
            assert!(!text.contains(&self.database.url()), "{text}");
        }
    }
}

fn executable(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// The head of a program for Linux on amd64.
fn elf() -> Vec<u8> {
    let mut bytes = b"\x7fELF".to_vec();
    bytes.resize(18, 0);
    bytes.push(0x3E);
    bytes
}

/// Every file below a folder with its bytes and its time of change.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let changed = path.symlink_metadata().unwrap().modified().unwrap();
            if path.is_dir() {
                found.insert(path.clone(), (Vec::new(), changed));
                open.push(path);
            } else {
                found.insert(
                    path.clone(),
                    (std::fs::read(&path).unwrap_or_default(), changed),
                );
            }
        }
    }
    found
}

#[tokio::test]
async fn docker_is_built_checked_and_started_in_the_place_of_the_container_before() {
    let bench = Bench::new(&["docker"]).await;
    let said = bench
        .deploy(&["--port", "9090", "--network", "inner"])
        .await;
    assert_eq!(said.code, 0, "{said:?}");
    let tag = format!("openeve-echo:{}", bench.revision());
    let handed = "<--env> <DATABASE_URL> <--env> <DOOR_TOKEN> <--env> <OPENEVE_MODEL_API_KEY>";
    let options =
        format!("<--add-host> <host.docker.internal:host-gateway> <--network> <inner> {handed}");
    let build = format!(
        "run docker <build> <--platform> <linux/amd64> <--tag> <{tag}> <AGENT/.openeve/image>"
    );
    let check = format!("run docker <run> <--rm> {options} <{tag}> <serve> <--once>");
    let start = format!(
        "run docker <run> <--detach> <--name> <openeve-echo> <--restart> <unless-stopped> \
         <--stop-timeout> <30> <--publish> <9090:8080> {options} <{tag}>"
    );
    assert_eq!(bench.runs(), [build.clone(), check.clone(), start.clone()]);
    assert!(
        bench.recorded(".env").contains(KEY),
        "the values are in its environment"
    );
    bench.holds_no_secret(&said);
    assert!(bench.is_migrated().await);
    let record = bench.record().unwrap();
    assert_eq!(
        (&record["target"], &record["url"], &record["published"]),
        (
            &json!("docker"),
            &json!("http://127.0.0.1:9090"),
            &json!({"image": tag, "container": "openeve-echo", "platform": "linux/amd64"})
        )
    );
    assert!(
        record["agentRevision"]
            .as_str()
            .unwrap()
            .starts_with(&bench.revision())
    );

    let again = bench
        .deploy(&["--port", "9090", "--network", "inner"])
        .await;
    assert_eq!(again.code, 0, "{again:?}");
    assert_eq!(
        bench.runs()[3..],
        [
            build,
            check,
            "run docker <stop> <-t> <30> <openeve-echo>".to_owned(),
            "run docker <rm> <openeve-echo>".to_owned(),
            start
        ]
    );
    assert_eq!(
        bench.record().unwrap()["agentRevision"],
        record["agentRevision"]
    );
}

#[tokio::test]
async fn fly_gets_its_configuration_and_its_secrets_on_standard_input() {
    let bench = Bench::new(&["flyctl"])
        .await
        .with("FLY_API_TOKEN", "fly-hunter22")
        .with("FLY_APP_NAME", "not-this-one");
    let said = bench
        .deploy(&["--target", "fly", "--fly-app", "echo-app"])
        .await;
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(
        bench.runs(),
        [
            "run flyctl <secrets> <import> <--app> <echo-app> <--stage>",
            "run flyctl <deploy> <AGENT/.openeve/image> <--app> <echo-app> <--config> <AGENT/.openeve/image/fly.toml> <--yes>",
        ]
    );
    let url = bench.database.url();
    assert_eq!(
        bench.recorded(".stdin"),
        format!(
            "DATABASE_URL=\"\"\"{url}\"\"\"\nDOOR_TOKEN=\"\"\"{DOOR}\"\"\"\nOPENEVE_MODEL_API_KEY=\"\"\"{KEY}\"\"\"\n"
        )
    );
    let config = std::fs::read_to_string(bench.agent.join(".openeve/image/fly.toml")).unwrap();
    for wanted in [
        "app = \"echo-app\"",
        "internal_port = 8080",
        "/readyz",
        "auto_stop_machines = \"off\"",
    ] {
        assert!(config.contains(wanted), "{config}");
    }
    bench.holds_no_secret(&said);
    assert_eq!(bench.record().unwrap()["url"], "https://echo-app.fly.dev");
    // What the import would change is not handed over in silence.
    let bench = bench.with("DOOR_TOKEN", "a#b-hunter22");
    let refused = bench.deploy(&["--target", "fly"]).await;
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(
        refused.out.contains("missing: DOOR_TOKEN: flyctl's import"),
        "{refused:?}"
    );
    bench.holds_no_secret(&refused);
}

#[tokio::test]
async fn railway_gets_each_variable_on_standard_input_and_a_project_with_its_environment() {
    let bench = Bench::new(&["railway"])
        .await
        .with("RAILWAY_TOKEN", "rail-hunter22")
        .with("OPENEVE_DEPLOY_ENV", "staging");
    let to = [
        "--target",
        "railway",
        "--railway-project",
        "p1",
        "--railway-service",
        "s1",
    ];
    let said = bench.deploy(&to).await;
    assert_eq!(said.code, 0, "{said:?}");
    let set = |name: &str| {
        format!("run railway <variable> <set> <{name}> <--stdin> <--skip-deploys> <--service> <s1>")
    };
    assert_eq!(
        bench.runs(),
        [
            set("DATABASE_URL"),
            set("DOOR_TOKEN"),
            set("OPENEVE_MODEL_API_KEY"),
            "run railway <up> <AGENT/.openeve/image> <--path-as-root> <--no-gitignore> <--ci> \
             <--project> <p1> <--environment> <staging> <--service> <s1>"
                .to_owned(),
        ]
    );
    let url = bench.database.url();
    assert_eq!(
        bench.recorded(".stdin"),
        format!("DATABASE_URL={url}\nDOOR_TOKEN={DOOR}\nOPENEVE_MODEL_API_KEY={KEY}\n")
    );
    bench.holds_no_secret(&said);
    assert_eq!(bench.record().unwrap()["environment"], "staging");
}

#[tokio::test]
async fn railway_needs_a_linked_folder_or_both_names() {
    let bench = Bench::new(&["railway"]).await.with("RAILWAY_TOKEN", "t");
    let one = bench
        .deploy(&["--target", "railway", "--railway-project", "p1"])
        .await;
    assert_eq!(one.code, 2, "{one:?}");
    assert!(one.out.contains("missing: --railway-service"), "{one:?}");
    let unlinked = bench.deploy(&["--target", "railway"]).await;
    assert_eq!(unlinked.code, 2, "{unlinked:?}");
    assert!(unlinked.out.contains("railway link"), "{unlinked:?}");
    assert_eq!(bench.runs(), Vec::<String>::new());
    let bench = bench.with("FAKE_LINKED", "yes");
    let linked = bench.deploy(&["--target", "railway"]).await;
    assert_eq!(linked.code, 0, "{linked:?}");
    let up = "run railway <up> <AGENT/.openeve/image> <--path-as-root> <--no-gitignore> <--ci>";
    assert_eq!(bench.runs().last().unwrap(), up);
}

/// A folder of compiled functions that are only the head of one.
fn functions(bench: &Bench) -> String {
    let folder = bench.folder.path().join("functions");
    std::fs::create_dir(&folder).unwrap();
    for name in ["ingress", "tick", "step", "delivery", "sweep"] {
        std::fs::write(folder.join(name), elf()).unwrap();
    }
    folder.display().to_string()
}

const ARNS: [&str; 6] = [
    "--parameter",
    "DatabaseUrl=arn:aws:secretsmanager:eu-west-1:1:secret:db",
    "--parameter",
    "ModelApiKey=arn:aws:secretsmanager:eu-west-1:1:secret:key",
    "--parameter",
    "AdminToken=arn:aws:secretsmanager:eu-west-1:1:secret:admin",
];

#[tokio::test]
async fn lambda_is_published_with_sam_and_its_url_is_recorded() {
    let bench = Bench::new(&["sam", "aws"]).await;
    let functions = functions(&bench);
    let to = [
        "--target",
        "lambda",
        "--arch",
        "x86_64",
        "--functions",
        &functions,
    ];
    let said = bench.deploy(&[&to[..], &ARNS].concat()).await;
    assert_eq!(said.code, 0, "{said:?}");
    let overrides = ARNS.iter().filter(|word| word.contains('='));
    let overrides: Vec<String> = overrides.map(|word| format!("<{word}>")).collect();
    assert_eq!(
        bench.runs(),
        [format!(
            "run sam <deploy> <--template-file> <AGENT/.openeve/lambda/template.yaml> <--capabilities> <CAPABILITY_IAM> \
             <--no-confirm-changeset> <--no-fail-on-empty-changeset> <--stack-name> <echo> <--resolve-s3> \
             <--parameter-overrides> {}",
            overrides.join(" ")
        )]
    );
    assert!(bench.agent.join(".openeve/lambda/step.zip").exists());
    assert!(
        bench.is_migrated().await,
        "no function migrates when it starts"
    );
    let record = bench.record().unwrap();
    assert_eq!(record["url"], "https://abc.lambda-url.example/");
    bench.holds_no_secret(&said);
    // A stack that is there keeps its parameters.
    let again = bench.deploy(&to).await;
    assert_eq!(again.code, 0, "{again:?}");
}

#[tokio::test]
async fn lambda_is_published_with_the_aws_command_line_where_there_is_no_sam() {
    let bench = Bench::new(&["aws"]).await;
    let functions = functions(&bench);
    let to = [
        "--target",
        "lambda",
        "--arch",
        "x86_64",
        "--functions",
        &functions,
    ];
    let without = bench.deploy(&[&to[..], &ARNS].concat()).await;
    assert_eq!(without.code, 2, "{without:?}");
    assert!(without.out.contains("missing: --bucket"), "{without:?}");
    let more = ["--bucket", "archives", "--stack", "echo-prod"];
    let said = bench.deploy(&[&to[..], &ARNS, &more].concat()).await;
    assert_eq!(said.code, 0, "{said:?}");
    let runs = bench.runs();
    assert_eq!(
        runs[0],
        "run aws <cloudformation> <package> <--template-file> <AGENT/.openeve/lambda/template.yaml> \
         <--s3-bucket> <archives> <--output-template-file> <AGENT/.openeve/lambda/packaged.yaml>"
    );
    assert!(
        runs[1].starts_with(
            "run aws <cloudformation> <deploy> <--template-file> <AGENT/.openeve/lambda/packaged.yaml> \
             <--stack-name> <echo-prod> <--capabilities> <CAPABILITY_IAM> <CAPABILITY_AUTO_EXPAND> \
             <--no-fail-on-empty-changeset> <--parameter-overrides> <DatabaseUrl=arn:"
        ),
        "{runs:?}"
    );
    assert_eq!(bench.record().unwrap()["published"]["stack"], "echo-prod");
}

#[tokio::test]
async fn a_secret_is_no_parameter() {
    let bench = Bench::new(&["sam"]).await;
    let functions = functions(&bench);
    let to = [
        "--target",
        "lambda",
        "--arch",
        "x86_64",
        "--functions",
        &functions,
    ];
    let plain = ["--parameter", "ModelApiKey=sk-hunter22"];
    let said = bench.deploy(&[&to[..], &plain].concat()).await;
    assert_eq!(said.code, 2, "{said:?}");
    for wanted in [
        "missing: --parameter ModelApiKey: its value would be seen",
        "missing: --parameter DatabaseUrl",
        "missing: --parameter AdminToken",
    ] {
        assert!(said.out.contains(wanted), "{said:?}");
    }
    // Neither is it shown by the plan that says so.
    assert!(
        !said.out.contains("hunter22") && !said.err.contains("hunter22"),
        "{said:?}"
    );
    assert!(bench.record().is_none());
}

#[tokio::test]
async fn migrations_run_after_our_schema_and_before_anything_is_published() {
    let bench = Bench::new(&["flyctl"])
        .await
        .with("FLY_API_TOKEN", "t")
        .with("FLY_APP_NAME", "echo-app")
        .file("migrations/0001_first.sql", "SELECT 1;")
        .file("migrations/0002_more.sql", "SELECT 2;");
    let without = bench.deploy(&["--target", "fly"]).await;
    assert_eq!(without.code, 2, "{without:?}");
    assert!(
        without.out.contains("missing: OPENEVE_MIGRATION_COMMAND"),
        "{without:?}"
    );
    assert!(!bench.is_migrated().await, "nothing was done");

    let command = "echo run migrate >>\"$FAKE_LOG\"; for file in $OPENEVE_MIGRATION_FILES; do cat \"$file\" >>\"$FAKE_LOG.sql\"; done; \
                   echo \"$PWD $OPENEVE_ARTIFACT_ROOT $OPENEVE_AGENT_REVISION $OPENEVE_DEPLOY_ENV\" >>\"$FAKE_LOG.told\" # hunter22";
    let bench = bench.with("OPENEVE_MIGRATION_COMMAND", command);
    let said = bench.deploy(&["--target", "fly"]).await;
    assert_eq!(said.code, 0, "{said:?}");
    let runs = bench.runs();
    assert_eq!(runs[0], "run migrate");
    assert!(
        runs[1].starts_with("run flyctl <secrets>") && runs[2].starts_with("run flyctl <deploy>")
    );
    assert_eq!(bench.recorded(".sql"), "SELECT 1;SELECT 2;");
    let told = bench.recorded(".told");
    let told: Vec<&str> = told.split_whitespace().collect();
    let agent = std::fs::canonicalize(&bench.agent).unwrap();
    assert_eq!(Path::new(told[0]), agent);
    assert_eq!(Path::new(told[1]), bench.agent.join(".openeve"));
    assert!(told[2].starts_with(&bench.revision()) && told[3] == "production");
    assert!(bench.is_migrated().await);
    bench.holds_no_secret(&said);

    // The flag is nearer than the variable, and what fails is not followed by anything.
    let failing = [
        "--target",
        "fly",
        "--migration-command",
        "echo no such table >&2; exit 7",
    ];
    let failed = bench.deploy(&failing).await;
    assert_eq!(failed.code, 1, "{failed:?}");
    assert!(failed.err.contains("no such table") && failed.err.contains("exit status: 7"));
    assert_eq!(bench.runs().len(), 3, "nothing more was published");
    let without = bench.deploy(&["--target", "fly", "--no-migrate"]).await;
    assert_eq!(without.code, 0, "{without:?}");
    assert_eq!(bench.runs().len(), 5);
}

#[tokio::test]
async fn a_tool_that_fails_ends_it_with_its_own_words_and_without_a_record() {
    for (target, failing) in [
        ("docker", "docker build"),
        ("docker", "docker run --rm"),
        ("docker", "docker run --detach"),
        ("fly", "flyctl secrets"),
        ("fly", "flyctl deploy"),
        ("railway", "railway variable"),
        ("railway", "railway up"),
        ("lambda", "sam deploy"),
    ] {
        let bench = Bench::new(&["docker", "flyctl", "railway", "sam"])
            .await
            .with("FAKE_FAIL", failing)
            .with("FAKE_LINKED", "yes")
            .with("RAILWAY_TOKEN", "t")
            .with("FLY_API_TOKEN", "t")
            .with("FLY_APP_NAME", "echo-app");
        let functions = functions(&bench);
        let mut arguments = vec!["--target", target];
        if target == "lambda" {
            arguments.extend(["--arch", "x86_64", "--functions", &functions]);
            arguments.extend(ARNS);
        }
        let said = bench.deploy(&arguments).await;
        assert_eq!(said.code, 1, "{failing}: {said:?}");
        assert!(
            said.err.contains("the quota is used up"),
            "{failing}: {said:?}"
        );
        assert!(said.err.contains(failing), "{failing}: {said:?}");
        assert!(bench.record().is_none(), "{failing}");
        bench.holds_no_secret(&said);
    }
}

#[tokio::test]
async fn a_dry_run_says_every_step_and_changes_no_byte() {
    let bench = Bench::new(&["docker", "flyctl", "railway", "sam"])
        .await
        .with("FAKE_LINKED", "yes")
        .with("RAILWAY_TOKEN", "t")
        .with("FLY_API_TOKEN", "t")
        .with("FLY_APP_NAME", "echo-app");
    let functions = functions(&bench);
    for target in ["local", "docker", "fly", "railway", "lambda"] {
        let mut arguments = vec!["--target", target, "--dry-run", "--json"];
        if target == "lambda" {
            arguments.extend(["--arch", "x86_64", "--functions", &functions]);
            arguments.extend(ARNS);
        }
        let before = snapshot(&bench.agent);
        let said = bench.deploy(&arguments).await;
        assert_eq!(said.code, 0, "{target}: {said:?}");
        assert_eq!(snapshot(&bench.agent), before, "{target}");
        let told = said.json();
        assert_eq!(
            (&told["target"], &told["missing"]),
            (&json!(target), &json!([]))
        );
        assert_eq!(told["dry_run"], true);
        assert!(told["steps"].as_array().unwrap().len() > 2, "{told}");
        bench.holds_no_secret(&said);
    }
    assert_eq!(
        bench.runs(),
        Vec::<String>::new(),
        "the tools were only looked at"
    );
    assert!(!bench.is_migrated().await);
}

#[tokio::test]
async fn everything_that_is_missing_is_said_at_once_and_nothing_is_changed() {
    for (target, wanted) in [
        (
            "docker",
            vec![
                "DATABASE_URL",
                "OPENEVE_MODEL_API_KEY",
                "DOOR_TOKEN",
                "docker",
            ],
        ),
        (
            "local",
            vec!["DATABASE_URL", "OPENEVE_MODEL_API_KEY", "DOOR_TOKEN"],
        ),
        (
            "fly",
            vec!["DATABASE_URL", "flyctl", "FLY_API_TOKEN", "--fly-app"],
        ),
        (
            "railway",
            vec![
                "DATABASE_URL",
                "railway",
                "RAILWAY_TOKEN",
                "--railway-project and --railway-service",
            ],
        ),
        (
            "lambda",
            vec![
                "DATABASE_URL",
                "sam",
                "--functions",
                "--parameter DatabaseUrl",
                "--parameter AdminToken",
            ],
        ),
    ] {
        let mut bench = Bench::new(&[]).await;
        for name in ["DATABASE_URL", "OPENAI_API_KEY", "DOOR_TOKEN"] {
            bench.env.remove(name);
        }
        let before = snapshot(&bench.agent);
        for more in [&["--dry-run"][..], &[]] {
            let said = bench.deploy(&[&["--target", target], more].concat()).await;
            assert_eq!(said.code, 2, "{target}: {said:?}");
            for what in &wanted {
                let line = format!("missing: {what}: ");
                assert!(said.out.contains(&line), "{target} {line}: {}", said.out);
            }
        }
        assert_eq!(snapshot(&bench.agent), before, "{target}");
    }
    let bench = Bench::new(&["docker"]).await.with("FAKE_NO_DAEMON", "yes");
    let said = bench.deploy(&[]).await;
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.out.contains("missing: docker daemon: "), "{said:?}");
}

#[tokio::test]
async fn the_gateway_says_where_to_and_without_it_the_targets_are_named() {
    let bench = Bench::new(&["docker"]).await;
    let said = bench.deploy(&["--dry-run"]).await;
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.contains("to docker:"), "{said:?}");
    let gateway =
        "import { defineGateway } from \"@openeve/core\";\nexport default defineGateway({});\n";
    let bench = bench.file("gateway.ts", gateway);
    let said = bench.deploy(&["--dry-run"]).await;
    assert_eq!(said.code, 2, "{said:?}");
    assert!(
        said.err.contains("local, lambda, docker, fly, railway"),
        "{said:?}"
    );
}

#[tokio::test]
async fn a_local_deployment_migrates_checks_and_records_and_needs_no_tool() {
    let bench = Bench::new(&[]).await;
    let said = bench
        .deploy(&["--target", "local", "--no-start", "--json"])
        .await;
    assert_eq!(said.code, 0, "{said:?}");
    assert!(bench.is_migrated().await);
    let told = said.json();
    assert_eq!(told["deployment"], bench.record().unwrap());
    assert_eq!(told["deployment"]["target"], "local");
    bench.holds_no_secret(&said);
    let bench = bench.file(
        "tools/echo.ts",
        "import { defineTool } from \"@openeve/core\";\nthrow new Error(\"no book here\");\nexport default defineTool({ description: \"Echoes.\", inputSchema: { type: \"object\" }, async execute() { return {}; } });\n",
    );
    let said = bench.deploy(&["--target", "local", "--no-start"]).await;
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.err.contains("no book here"), "{said:?}");
}
