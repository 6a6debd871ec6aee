//! `openeve serve --once`: what a start depends on is looked at, and nothing is started.

use std::path::{Path, PathBuf};

use openeve_testkit::database::{TestDatabase, TestServer};
use openeve_tests::migrated_database;

use crate::commands_support::openeve;

const FILES: [(&str, &str); 5] = [
    ("instructions.md", "Echo.\n"),
    (
        "agent.ts",
        "import { defineAgent } from \"@openeve/core\";\nexport default defineAgent({ id: \"echo\", model: \"openai/gpt-5.4-mini\", defaultTools: [\"echo\"] });\n",
    ),
    (
        "gateway.ts",
        "import { adapter, defineGateway } from \"@openeve/core\";\nexport default defineGateway({ deploy: adapter(\"docker\"), runtime: adapter(\"node\"), state: adapter(\"postgres\"), scheduler: adapter(\"postgres\") });\n",
    ),
    (
        "channels/message.ts",
        "import { bearer, defineChannel, env } from \"@openeve/core\";\nexport default defineChannel({ transport: \"http\", route: \"/message\", methods: [\"POST\"], auth: bearer(env(\"DOOR_TOKEN\")) });\n",
    ),
    (
        "tools/echo.ts",
        "import { defineTool } from \"@openeve/core\";\nexport default defineTool({ description: \"Echoes.\", inputSchema: { type: \"object\", properties: { text: { type: \"string\" } } }, async execute({ text }) { return { text, key: process.env.ECHO_KEY }; } });\n",
    ),
];

/// A folder that answers with what it is told; for the tests of `deploy`, too.
pub(crate) fn echo_folder(folder: &Path) -> PathBuf {
    let agent = folder.join("echo");
    for (path, text) in FILES {
        let path = agent.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    agent
}

async fn built(folder: &Path) -> PathBuf {
    let agent = echo_folder(folder);
    let said = openeve(&["build", agent.to_str().unwrap()], &[], folder).await;
    assert_eq!(said.code, 0, "{said:?}");
    agent
}

#[tokio::test]
async fn everything_that_is_right_is_said_and_the_exit_code_is_zero() {
    let folder = tempfile::tempdir().unwrap();
    let agent = built(folder.path()).await;
    let database = migrated_database(TestServer::shared()).await;
    let url = database.url();
    let env = [
        ("DATABASE_URL", url.as_str()),
        ("OPENEVE_MODEL_API_KEY", "sk-hunter22"),
        ("DOOR_TOKEN", "door-hunter22"),
    ];
    let once = ["serve", agent.to_str().unwrap(), "--once"];
    let said = openeve(&once, &env, folder.path()).await;
    assert_eq!(said.code, 0, "{said:?}");
    for wanted in [
        "ok       artifact: echo at revision ",
        "ok       modules: 1 module",
        "ok       tools: 1 tool",
        "ok       configuration:",
        "ok       database: it answers",
        "ok       schema: it is this build's",
        "note     OPENEVE_ADMIN_TOKEN is not set",
        "note     tools may read ECHO_KEY, which is not set",
    ] {
        assert!(
            said.out.contains(wanted),
            "{wanted} is not in\n{}",
            said.out
        );
    }
    // The artifact may be named by a variable, as in a container.
    let root = agent.join(".openeve");
    let mut env = env.to_vec();
    env.push(("OPENEVE_ARTIFACT_ROOT", root.to_str().unwrap()));
    let said = openeve(&["serve", "--once", "--json"], &env, Path::new("/")).await;
    assert_eq!(said.code, 0, "{said:?}");
    let told = said.json();
    assert_eq!(
        (&told["ready"], &told["agent"]),
        (&true.into(), &"echo".into())
    );
    assert!(
        told["checks"]
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["state"] == "ok")
    );
    assert!(!format!("{said:?}").contains("hunter22"), "{said:?}");
}

#[tokio::test]
async fn what_is_not_given_exits_with_two_and_what_is_wrong_with_one() {
    let folder = tempfile::tempdir().unwrap();
    let nothing = openeve(&["serve", "--once"], &[], folder.path()).await;
    assert_eq!(nothing.code, 2, "{nothing:?}");
    assert!(nothing.out.contains("openeve build"), "{nothing:?}");
    let nothing = openeve(&["serve"], &[], folder.path()).await;
    assert_eq!(nothing.code, 2, "{nothing:?}");

    let agent = built(folder.path()).await;
    let once = ["serve", agent.to_str().unwrap(), "--once"];
    let said = openeve(&once, &[], folder.path()).await;
    assert_eq!(said.code, 2, "{said:?}");
    for wanted in [
        "missing  configuration: DATABASE_URL",
        "missing  configuration: OPENEVE_MODEL_API_KEY",
        "missing  configuration: DOOR_TOKEN: it is not set; channels/message.ts",
        "skipped  database",
    ] {
        assert!(
            said.out.contains(wanted),
            "{wanted} is not in\n{}",
            said.out
        );
    }

    let empty = TestDatabase::create("template0").await;
    let url = empty.url();
    let mut env = vec![
        ("DATABASE_URL", url.as_str()),
        ("OPENEVE_MODEL_API_KEY", "k"),
        ("DOOR_TOKEN", "t"),
    ];
    let said = openeve(&once, &env, folder.path()).await;
    assert_eq!(said.code, 0, "the start would apply it: {said:?}");
    assert!(said.out.contains("0001_init") && said.out.contains("applied at the start"));
    env.push(("OPENEVE_AUTO_MIGRATE", "false"));
    let said = openeve(&once, &env, folder.path()).await;
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.out.contains("failed   schema") && said.out.contains("openeve migrate"));
    let client = empty.connect().await;
    let made: bool = client
        .query_one("SELECT to_regnamespace('openeve') IS NOT NULL", &[])
        .await
        .unwrap()
        .get(0);
    assert!(!made, "checking changes nothing");
}

#[tokio::test]
async fn a_module_that_was_changed_and_one_that_does_not_load_are_found_before_a_start() {
    let folder = tempfile::tempdir().unwrap();
    let agent = built(folder.path()).await;
    let database = migrated_database(TestServer::shared()).await;
    let url = database.url();
    let env = [
        ("DATABASE_URL", url.as_str()),
        ("OPENEVE_MODEL_API_KEY", "k"),
        ("DOOR_TOKEN", "t"),
    ];
    let once = ["serve", agent.to_str().unwrap(), "--once"];
    let tool = agent.join("tools/echo.ts");
    let text = std::fs::read_to_string(&tool).unwrap();
    std::fs::write(
        &tool,
        format!("{text}\nthrow new Error(\"no book here\");\n"),
    )
    .unwrap();
    let build = openeve(&["build", agent.to_str().unwrap()], &[], folder.path()).await;
    assert_eq!(build.code, 0, "{build:?}");
    let said = openeve(&once, &env, folder.path()).await;
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.out.contains("failed   tools: echo: ") && said.out.contains("no book here"));

    let module = agent.join(".openeve/server/modules/tools/echo.js");
    std::fs::write(&module, "export default {};").unwrap();
    let said = openeve(&once, &env, folder.path()).await;
    assert_eq!(said.code, 1, "{said:?}");
    assert!(
        said.out
            .contains("failed   modules: server/modules/tools/echo.js is not")
    );
    let started = openeve(&["serve", agent.to_str().unwrap()], &env, folder.path()).await;
    assert_eq!(started.code, 1, "{started:?}");
    assert!(started.err.contains("openeve build"), "{started:?}");
}

#[tokio::test]
async fn a_port_in_use_is_said_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let agent = built(folder.path()).await;
    let database = migrated_database(TestServer::shared()).await;
    let url = database.url();
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let env = [
        ("DATABASE_URL", url.as_str()),
        ("OPENEVE_MODEL_API_KEY", "k"),
        ("DOOR_TOKEN", "t"),
        ("PORT", port.as_str()),
    ];
    let serve = ["serve", agent.to_str().unwrap(), "--host", "127.0.0.1"];
    let said = openeve(&serve, &env, folder.path()).await;
    assert_eq!(said.code, 1, "{said:?}");
    assert!(
        said.err.contains(&port) && said.err.contains("--port"),
        "{said:?}"
    );
}
