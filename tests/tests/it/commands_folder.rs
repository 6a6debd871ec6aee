//! What is said about a folder without running it: `validate`, `manifest`, `models`.

use std::fs;
use std::path::Path;

use openeve_tests::paths::repository;
use serde_json::{Value, json};

use crate::commands_support::openeve;
use crate::support::{echo, world};

/// A new agent `a` below a folder, with this model.
async fn agent(folder: &Path, model: &str) {
    let made = openeve(&["init", "a"], &[], folder).await;
    assert_eq!(made.code, 0, "{made:?}");
    let path = folder.join("a/agent.ts");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(path, text.replace("openai/gpt-5.4-mini", model)).unwrap();
}

#[tokio::test]
async fn a_model_outside_the_catalogue_is_a_warning_with_the_nearest() {
    let folder = tempfile::tempdir().unwrap();
    agent(folder.path(), "openai/gpt-5.4-mnii").await;
    let said = openeve(&["validate", "a"], &[], folder.path()).await;
    assert_eq!(said.code, 0, "a warning, never an error: {said:?}");
    for wanted in [
        "warning[unknown-model]",
        "agent.ts:6",
        "\"openai/gpt-5.4-mini\"",
    ] {
        assert!(said.err.contains(wanted), "{wanted} is not in {}", said.err);
    }
    let told = openeve(&["validate", "a", "--json"], &[], folder.path()).await;
    let found = &told.json()["diagnostics"][0];
    assert_eq!(
        (&found["code"], &found["severity"]),
        (&json!("unknown-model"), &json!("warning"))
    );
    let quiet = openeve(&["validate", "a", "--no-model-check"], &[], folder.path()).await;
    assert_eq!((quiet.code, quiet.err.as_str()), (0, ""), "{quiet:?}");
}

#[tokio::test]
async fn every_finding_is_told_as_json_and_as_sarif() {
    let folder = tempfile::tempdir().unwrap();
    agent(folder.path(), "openai/gpt-5.4-mini").await;
    fs::write(
        folder.path().join("a/tools/days_until.ts"),
        "export default defineTool({",
    )
    .unwrap();
    let said = openeve(&["validate", "a", "--json"], &[], folder.path()).await;
    let told = said.json();
    assert_eq!((said.code, &told["valid"]), (1, &json!(false)), "{told}");
    assert_eq!(told["revision"], Value::Null);
    let codes: Vec<&Value> = told["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| &found["code"])
        .collect();
    assert!(codes.contains(&&json!("syntax-error")), "{told}");
    let sarif = openeve(&["validate", "a", "--sarif"], &[], folder.path()).await;
    assert_eq!((sarif.code, &sarif.json()["version"]), (1, &json!("2.1.0")));
}

#[tokio::test]
async fn the_manifest_is_printed_or_written() {
    let folder = tempfile::tempdir().unwrap();
    agent(folder.path(), "openai/gpt-5.4-mini").await;
    let printed = openeve(&["manifest", "a"], &[], folder.path()).await;
    assert_eq!(printed.json()["agent"]["id"], "a", "{printed:?}");
    let written = openeve(
        &["manifest", "a", "--out", "m.json", "--json"],
        &[],
        folder.path(),
    )
    .await;
    let text = fs::read_to_string(folder.path().join("m.json")).unwrap();
    assert_eq!(text, printed.out);
    assert_eq!(written.json()["revision"], printed.json()["revision"]);
    assert!(
        !folder.path().join("a/.openeve/manifest.json").exists(),
        "nothing is built"
    );

    fs::remove_file(folder.path().join("a/instructions.md")).unwrap();
    let broken = openeve(&["manifest", "a"], &[], folder.path()).await;
    assert_eq!((broken.code, broken.out.as_str()), (1, ""));
    assert!(broken.err.contains("missing-instructions"), "{broken:?}");
}

#[tokio::test]
async fn the_catalogue_is_listed_by_provider_and_as_json() {
    let root = repository();
    let all = openeve(&["models", "--json"], &[], &root).await.json();
    let one = openeve(&["models", "--provider", "xai", "--json"], &[], &root).await;
    let models = one.json()["models"].as_array().unwrap().clone();
    assert!(!models.is_empty() && models.len() < all["models"].as_array().unwrap().len());
    for model in models {
        assert!(model["id"].as_str().unwrap().starts_with("xai/"), "{model}");
    }
    let wrong = openeve(&["models", "--provider", "openay"], &[], &root).await;
    assert!(
        wrong.code == 2 && wrong.err.contains("did you mean \"openai\"?"),
        "{wrong:?}"
    );
}

#[tokio::test]
async fn what_was_built_is_told_as_json() {
    let folder = tempfile::tempdir().unwrap();
    agent(folder.path(), "openai/gpt-5.4-mini").await;
    let said = openeve(&["build", "a", "--json"], &[], folder.path()).await;
    assert_eq!(said.code, 0, "{said:?}");
    let path = folder.path().join("a/.openeve/agent-revision.json");
    let revision: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    assert_eq!(
        said.json(),
        json!({"artifact": "a/.openeve", "revision": revision["agentRevision"], "written": []})
    );
}

#[tokio::test]
async fn the_state_of_every_migration_is_told_as_json() {
    let world = world(echo()).await;
    let url = world.database.url();
    let env = [("DATABASE_URL", url.as_str())];
    let said = openeve(&["migrate", "--plan", "--json"], &env, &repository()).await;
    assert_eq!(said.code, 0, "{said:?}");
    let told = said.json();
    let migrations = told["migrations"].as_array().unwrap();
    assert!(!migrations.is_empty());
    for one in migrations {
        assert_eq!(one["state"], "applied_before", "{one}");
    }
}
