//! `openeve import eve`, through the real binary.

use std::fs;
use std::path::Path;

use crate::commands_support::openeve;

const AGENT: &str = "import { defineAgent } from \"eve\";\nexport default defineAgent({ model: \"openai/gpt-5.5\" });\n";
const TOOL: &str = "import { defineTool } from \"eve/tools\";\nimport { say } from \"../lib/say.js\";\nexport default defineTool({\n  description: \"Echo.\",\n  inputSchema: { type: \"object\" },\n  execute: () => say(\"hi\"),\n});\n";

fn write(root: &Path, path: &str, text: &str) {
    let target = root.join(path);
    fs::create_dir_all(target.parent().unwrap()).unwrap();
    fs::write(target, text).unwrap();
}

/// An eve project in a folder named `desk`.
fn project(root: &Path) {
    write(root, "desk/package.json", "{ \"name\": \"desk\" }");
    write(root, "desk/agent/agent.ts", AGENT);
    write(root, "desk/agent/instructions.md", "Be kind.\n");
    write(root, "desk/agent/tools/echo.ts", TOOL);
    write(
        root,
        "desk/agent/lib/say.ts",
        "export const say = (text: string) => ({ text });\n",
    );
    write(
        root,
        "desk/node_modules/eve/index.js",
        "throw new Error();\n",
    );
    write(root, "desk/.env.local", "SECRET=1\n");
}

#[tokio::test]
async fn a_moved_folder_validates_at_once_and_the_old_one_stays_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    project(folder.path());
    let said = openeve(&["import", "eve", "desk"], &[], folder.path()).await;
    assert_eq!(said.code, 0, "{said:?}");
    assert!(
        said.out
            .contains("rewritten    agent/tools/echo.ts → tools/echo.ts"),
        "{said:?}"
    );
    let made = folder.path().join("desk-openeve");
    let valid = openeve(&["validate", "desk-openeve"], &[], folder.path()).await;
    assert_eq!(valid.code, 0, "{valid:?}");
    assert!(made.join("IMPORT.md").exists());
    assert!(!made.join("node_modules").exists());
    assert!(!made.join(".env.local").exists());
    let old = fs::read_to_string(folder.path().join("desk/agent/tools/echo.ts")).unwrap();
    assert_eq!(old, TOOL);
}

#[tokio::test]
async fn what_is_left_to_do_is_told_with_its_line_and_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    project(folder.path());
    let tool = TOOL.replace("execute: () =>", "execute: (_, ctx) => ctx.getSandbox() ??");
    write(folder.path(), "desk/agent/tools/echo.ts", &tool);
    let arguments = ["import", "eve", "desk/agent", "--out", "new"];
    let said = openeve(&arguments, &[], folder.path()).await;
    assert_eq!(said.code, 1, "{said:?}");
    assert!(
        said.out.contains("TODO line 6: a tool has no sandbox"),
        "{said:?}"
    );
    assert!(said.err.contains("1 file needs your hand"), "{said:?}");
    assert!(folder.path().join("new/tools/echo.ts").exists());
}

#[tokio::test]
async fn a_folder_that_is_there_is_not_written_into() {
    let folder = tempfile::tempdir().unwrap();
    project(folder.path());
    fs::create_dir(folder.path().join("desk-openeve")).unwrap();
    let said = openeve(&["import", "eve", "desk"], &[], folder.path()).await;
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("--out"), "{said:?}");
    let nothing = openeve(&["import", "eve", "desk/node_modules"], &[], folder.path()).await;
    assert_eq!(nothing.code, 2, "{nothing:?}");
    assert!(nothing.err.contains("no agent of eve"), "{nothing:?}");
}

#[tokio::test]
async fn a_script_reads_what_became_of_each_file() {
    let folder = tempfile::tempdir().unwrap();
    project(folder.path());
    let said = openeve(&["import", "eve", "desk", "--json"], &[], folder.path()).await;
    assert_eq!(said.code, 0, "{said:?}");
    let told = said.json();
    let files = told["files"].as_array().unwrap();
    let tool = files.iter().find(|file| file["to"] == "tools/echo.ts");
    assert_eq!(tool.unwrap()["fate"], "rewritten", "{told}");
}
