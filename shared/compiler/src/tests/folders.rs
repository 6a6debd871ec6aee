//! What a folder has to hold, and what is said about the rest.

use std::path::Path;

use super::{Agent, compiled};
use crate::compile;

#[test]
fn instructions_and_agent_are_all_it_takes() {
    let compilation = compiled(&Agent::new());
    let manifest = compilation.manifest.unwrap();
    assert_eq!(manifest.agent.id, "helper", "the folder's name is the id");
    assert_eq!(manifest.instructions, "Be kind.");
    assert!(manifest.gateway.is_empty() && manifest.tools.is_empty());
    assert!(compilation.diagnostics.is_empty());
}

#[test]
fn a_folder_that_is_not_there_is_one_finding() {
    let compilation = compile(Path::new("no/such/folder"));
    assert_eq!(compilation.diagnostics.len(), 1);
    assert!(
        compilation.render().starts_with(
            "error[unreadable-folder]: the agent folder no/such/folder cannot be opened"
        )
    );
}

#[test]
fn both_required_files_are_asked_for_at_once() {
    let agent = Agent::new().without("agent.ts").without("instructions.md");
    assert_eq!(
        agent.findings(),
        [
            "missing-agent agent.ts",
            "missing-instructions instructions.md"
        ]
    );
}

#[test]
fn empty_instructions_are_missing_instructions() {
    assert_eq!(
        Agent::new().with("instructions.md", " \n").findings(),
        ["missing-instructions instructions.md"]
    );
}

#[test]
fn a_file_that_is_not_text_is_unreadable_and_not_missing() {
    let agent = Agent::new();
    std::fs::write(agent.root().join("agent.ts"), [0xff, 0xfe]).unwrap();
    assert_eq!(agent.findings(), ["unreadable-file agent.ts"]);
}

#[test]
fn a_file_whose_name_is_no_name_is_refused() {
    let agent = Agent::new()
        .with("tools/2fast.ts", "")
        .with("channels/a.test.ts", "")
        .with("schedules/ä.ts", "");
    assert_eq!(
        agent.findings(),
        [
            "bad-name channels/a.test.ts",
            "bad-name schedules/ä.ts",
            "bad-name tools/2fast.ts"
        ]
    );
}

#[test]
fn a_tool_cannot_take_the_name_of_one_of_the_frameworks_own() {
    let names = "ask_question bash delete edit grep list load_skill read spawn_subagent tool_call tool_describe tool_search write";
    for name in names.split(' ') {
        let agent = Agent::new().tool(name, "  sideEffects: \"some\",");
        let found = [
            format!("bad-name tools/{name}.ts"),
            format!("bad-value tools/{name}.ts:3:16"),
        ];
        assert_eq!(agent.findings(), found, "the rest of the file is read, too");
    }
    compiled(&Agent::new().tool("read_page", "").tool("Bash", ""));
    let text = Agent::new().tool("ask_question", "").compile().render();
    assert!(
        text.contains("rename it, such as to tools/my_ask_question.ts"),
        "{text}"
    );
}

#[test]
fn a_tool_of_the_framework_is_no_default_tool_to_choose() {
    let agent = Agent::new().agent("  model: \"a/b\",\n  defaultTools: [\"ask_question\"],");
    assert_eq!(agent.findings(), ["unknown-tool agent.ts:4:18"]);
    let text = agent.compile().render();
    assert!(text.contains("is a tool of the framework"), "{text}");
}

#[test]
fn a_script_or_folder_among_the_tools_that_nothing_reads_is_named() {
    let agent = Agent::new()
        .with("tools/old.js", "")
        .with("tools/lib/help.ts", "")
        .with("tools/types.d.ts", "")
        .with("tools/notes.md", "")
        .with("tools/.hidden", "")
        .with("lib/anything.js", "");
    assert_eq!(
        agent.findings(),
        ["ignored-file tools/lib", "ignored-file tools/old.js"]
    );
    assert!(agent.compile().is_ok());
}

#[test]
fn a_syntax_error_in_any_file_points_at_its_place_and_the_others_are_still_read() {
    let agent = Agent::new()
        .agent("  model: ,")
        .with("tools/broken.ts", "import { defineTool } from \"@openeve/core\";\nexport default defineTool({ description: })")
        .channel("door", "  route: \"door\",");
    assert_eq!(
        agent.findings(),
        [
            "syntax-error agent.ts:3:10",
            "bad-route channels/door.ts:3:10",
            "syntax-error tools/broken.ts:2:42"
        ]
    );
}
