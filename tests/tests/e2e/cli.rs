//! The command line as somebody new meets it.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use openeve_tests::paths::binary;

/// Runs `openeve` without a database and without a model's key.
fn openeve(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(binary("openeve"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("DATABASE_URL")
        .env_remove("OPENEVE_MODEL_API_KEY")
        .env_remove("OPENAI_API_KEY")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn what_init_makes_answers_under_dev() {
    let folder = tempfile::tempdir().unwrap();
    for template in ["minimal", "scheduled"] {
        let made = openeve(folder.path(), &["init", template, "--template", template]);
        assert!(made.status.success(), "{made:?}");
        let question = "How many days is it until 2030-01-01?";
        let asked = [
            "dev",
            template,
            "--once",
            "--port",
            "7570",
            "--message",
            question,
        ];
        let answered = openeve(folder.path(), &asked);
        let said = String::from_utf8_lossy(&answered.stdout);
        assert!(
            answered.status.success() && said.starts_with("[demo model] "),
            "{said}\n{}",
            String::from_utf8_lossy(&answered.stderr)
        );
        assert!(said.contains("days"), "the tool was used: {said}");
    }
}

#[test]
fn one_run_prints_its_answer_and_ends() {
    let folder = tempfile::tempdir().unwrap();
    let made = openeve(folder.path(), &["init", "a"]);
    assert!(made.status.success(), "{made:?}");
    let question = "How many days is it until 2030-01-01?";
    let ran = openeve(
        folder.path(),
        &["run", "a", "--json", "--message", question],
    );
    let err = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{err}");
    let told: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(told["status"], "completed", "{told}");
    assert!(told["reply"].as_str().unwrap().starts_with("[demo model] "));

    // The tool now waits for a person, whom a single run does not have.
    let path = folder.path().join("a/tools/days_until.ts");
    let tool = std::fs::read_to_string(&path).unwrap();
    let tool = tool.replace("sideEffects:", "needsApproval: true,\n  sideEffects:");
    std::fs::write(&path, tool).unwrap();
    let ran = openeve(folder.path(), &["run", "a", "--message", question]);
    let err = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(1), "{err}");
    assert!(
        err.contains("is waiting_approval") && err.contains("days_until: approval"),
        "{err}"
    );
}
