//! `openeve run --tool`, through the real binary: one tool alone in the engine.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::commands_support::{Said, openeve};

/// Runs a tool of a new agent that also has this one, `own`.
async fn run(folder: &Path, own: &str, arguments: &[&str]) -> Said {
    let made = openeve(&["init", "a"], &[], folder).await;
    assert_eq!(made.code, 0, "{made:?}");
    fs::write(folder.join("a/tools/own.ts"), own).unwrap();
    openeve(&[&["run", "a"], arguments].concat(), &[], folder).await
}

const PLAIN: &str = r#"import { defineTool } from "@openeve/core";
export default defineTool({
  description: "Fails in its own way.",
  inputSchema: { type: "object", properties: { how: { type: "string" } }, required: ["how"] },
  async execute({ how }, ctx) {
    ctx.emit("own.seen", { how });
    if (how === "ask") {
      return await ctx.askQuestion("Which colour?", { options: ["red", "blue"] });
    }
    throw new Error(`failed because of ${how}`);
  },
});
"#;

#[tokio::test]
async fn a_tool_prints_its_result() {
    let folder = tempfile::tempdir().unwrap();
    let said = run(
        folder.path(),
        PLAIN,
        &[
            "--tool",
            "days_until",
            "--input",
            "{\"date\": \"1970-01-01\"}",
        ],
    )
    .await;
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(said.json()["date"], "1970-01-01");
}

#[tokio::test]
async fn an_error_names_the_place_in_the_source() {
    let folder = tempfile::tempdir().unwrap();
    let input = "{\"how\": \"tiredness\"}";
    let said = run(
        folder.path(),
        PLAIN,
        &["--tool", "own", "--input", input, "--json"],
    )
    .await;
    assert_eq!(said.code, 1, "{said:?}");
    let told = said.json();
    let error = told["error"].as_str().unwrap();
    assert!(
        error.contains("failed because of tiredness") && error.contains("tools/own.ts:10:"),
        "{error}"
    );
    assert_eq!(
        told["emitted"],
        json!([{"kind": "own.seen", "payload": {"how": "tiredness"}}])
    );
}

#[tokio::test]
async fn a_question_is_shown_and_answered_on_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let asked = ["--tool", "own", "--input", "{\"how\": \"ask\"}"];
    let said = run(folder.path(), PLAIN, &asked).await;
    assert!(
        said.code == 1 && said.err.contains("Which colour?"),
        "{said:?}"
    );
    let answered = [&["run", "a"], &asked[..], &["--answer", "red"]].concat();
    let said = openeve(&answered, &[], folder.path()).await;
    assert_eq!((said.code, said.out.as_str()), (0, "\"red\"\n"), "{said:?}");
}

#[tokio::test]
async fn what_cannot_be_run_says_why_and_exits_with_two() {
    let folder = tempfile::tempdir().unwrap();
    let misspelt = run(folder.path(), PLAIN, &["--tool", "days_util"]).await;
    assert!(
        misspelt.code == 2 && misspelt.err.contains("did you mean \"days_until\"?"),
        "{misspelt:?}"
    );
    for (arguments, wanted) in [
        (
            &["--tool", "own", "--input", "{"][..],
            "--input does not fit own",
        ),
        (&["--tool", "own"], "lacks the required property \"how\""),
        (
            &["--tool", "own", "--message", "hello"],
            "cannot be used with",
        ),
        (&[], "--message"),
    ] {
        let arguments = [&["run", "a"], arguments].concat();
        let said = openeve(&arguments, &[], folder.path()).await;
        assert!(said.code == 2 && said.err.contains(wanted), "{said:?}");
    }
}
