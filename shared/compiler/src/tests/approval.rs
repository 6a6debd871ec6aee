//! Who is asked before a tool runs: every form of `needsApproval`, and what cannot be read.

use openeve_domain::manifest::{ApprovalSpec, Execution};

use super::{Agent, compiled};

/// A tool with these keys, after these lines.
fn tool(before: &str, keys: &str) -> Agent {
    let text = format!(
        "import {{ approvalRequired, defineTool, env }} from \"@openeve/core\";\n{before}\nexport default defineTool({{\n{keys}\n  description: \"Echo.\",\n  inputSchema: {{ type: \"object\" }},\n  execute: (input) => input,\n}});\n"
    );
    Agent::new()
        .with("tools/echo.ts", &text)
        .with("lib/gate.ts", "export const gate = () => true;")
        .with(
            "node_modules/gates/package.json",
            "{\"name\": \"gates\", \"version\": \"1.0.0\", \"main\": \"index.js\"}",
        )
        .with(
            "node_modules/gates/index.js",
            "export const gate = () => true;",
        )
}

/// What the manifest says of a tool with this `needsApproval`.
#[track_caller]
fn approval(before: &str, gate: &str) -> Option<ApprovalSpec> {
    let agent = tool(before, &format!("  needsApproval: {gate},"));
    compiled(&agent).manifest.unwrap().tools.remove(0).approval
}

fn spec(reason: Option<&str>, predicate: bool, approvers: &[&str]) -> ApprovalSpec {
    ApprovalSpec {
        reason: reason.map(str::to_owned),
        predicate,
        approvers: approvers.iter().map(|one| (*one).to_owned()).collect(),
    }
}

#[test]
fn a_tool_that_does_not_say_so_needs_no_approval() {
    let none = compiled(&tool("", "")).manifest.unwrap().tools.remove(0);
    assert_eq!(none.approval, None);
    assert_eq!(approval("", "false"), None);
    assert_eq!(approval("", "undefined"), None);
    assert_eq!(approval("const off = false as const;", "off"), None);
}

#[test]
fn approval_is_required_with_or_without_a_reason() {
    let plain = Some(spec(None, false, &[]));
    for gate in [
        "true",
        "approvalRequired()",
        "approvalRequired(undefined)",
        "approvalRequired({})",
    ] {
        assert_eq!(approval("", gate), plain, "{gate}");
    }
    let reasoned = Some(spec(Some("It costs money."), false, &[]));
    for gate in [
        "approvalRequired(\"It costs money.\")",
        "approvalRequired(\"It costs \" + `money.`)",
        "approvalRequired({ reason: \"It costs money.\" })",
    ] {
        assert_eq!(approval("", gate), reasoned, "{gate}");
    }
}

#[test]
fn those_who_may_decide_are_named_once_each() {
    let gate = "approvalRequired({ reason: \"a\", approvers: [\"ada\", \"role:admin\", ...more, \"ada\"] })";
    let found = approval("const more = [\"requester\", \"anyone\"];", gate);
    let approvers = ["ada", "role:admin", "requester", "anyone"];
    assert_eq!(found, Some(spec(Some("a"), false, &approvers)));
}

#[test]
fn a_function_decides_about_each_call() {
    let before = "import { gate } from \"../lib/gate\";\nfunction mine(input) { return input.large; }\nconst arrow = async () => \"why\";";
    for keys in [
        "  needsApproval: (input, ctx) => gate(input, ctx),",
        "  needsApproval: mine,",
        "  needsApproval: arrow,",
        "  needsApproval: gate,",
        "  needsApproval(input) { return input.large; },",
        "  async needsApproval(input) { return gate(); },",
        "  needsApproval: function (input) { return true; },",
    ] {
        let tool = compiled(&tool(before, keys))
            .manifest
            .unwrap()
            .tools
            .remove(0);
        assert_eq!(tool.approval, Some(spec(None, true, &[])), "{keys}");
    }
    for when in ["when(input) { return true; }", "when: gate", "when: mine"] {
        let gate =
            format!("approvalRequired({{ reason: \"a\", approvers: [\"requester\"], {when} }})");
        assert_eq!(
            approval(before, &gate),
            Some(spec(Some("a"), true, &["requester"])),
            "{when}"
        );
    }
}

#[test]
fn the_helper_is_known_under_any_name_and_in_a_const() {
    for (before, gate) in [
        (
            "import { approvalRequired as ask } from \"@openeve/core\";",
            "ask(\"a\")",
        ),
        (
            "import * as oe from \"@openeve/core\";",
            "oe.approvalRequired(\"a\")",
        ),
        ("const careful = approvalRequired(\"a\");", "careful"),
        (
            "const options = { reason: \"a\" };",
            "approvalRequired(options)",
        ),
        (
            "const options = { reason: \"a\" };",
            "approvalRequired({ ...options })",
        ),
    ] {
        assert_eq!(
            approval(before, gate),
            Some(spec(Some("a"), false, &[])),
            "{gate}"
        );
    }
}

#[test]
fn approval_does_not_change_how_a_tool_runs() {
    let tool = tool("", "  needsApproval: true, execution: \"parallel\",");
    let tool = compiled(&tool).manifest.unwrap().tools.remove(0);
    assert_eq!(tool.execution, Execution::Parallel);
}

#[test]
fn a_gate_that_is_none_is_refused() {
    for gate in [
        "null",
        "1",
        "\"Careful.\"",
        "[]",
        "{ reason: \"a\" }",
        "env(\"GATE\")",
    ] {
        let agent = tool("", &format!("  needsApproval: {gate},"));
        assert_eq!(agent.findings(), ["bad-value tools/echo.ts:4:18"], "{gate}");
    }
}

#[test]
fn a_gate_that_only_running_the_code_can_tell_is_refused() {
    let before = "import { gate } from \"gates\"; let open = false;";
    for keys in [
        "  needsApproval: gate,",
        "  needsApproval: open,",
        "  needsApproval: gate(),",
        "  needsApproval: approvalRequire(),",
        "  needsApproval: process.env.GATE,",
        "  needsApproval: ~true,",
    ] {
        let found = tool(before, keys).findings();
        assert_eq!(found, ["not-static tools/echo.ts:4:18"], "{keys}");
    }
    let found = tool(before, "  get needsApproval() { return false; },").findings();
    assert_eq!(found, ["not-static tools/echo.ts:4:7"]);
    let found = tool(before, "  ...gate(),").findings();
    assert_eq!(found, ["not-static tools/echo.ts:4:3"]);
    let text = tool(before, "  needsApproval: gate,").compile().render();
    assert!(text.contains("(input, ctx) => check(input)"), "{text}");
}

#[test]
fn every_wrong_word_of_a_gate_is_reported_at_its_place() {
    for (gate, found) in [
        ("approvalRequired(\" \")", vec!["bad-value 35"]),
        ("approvalRequired(1)", vec!["bad-value 35"]),
        ("approvalRequired(() => true)", vec!["bad-value 35"]),
        ("approvalRequired(make())", vec!["not-static 35"]),
        ("approvalRequired(...make())", vec!["not-static 35"]),
        ("approvalRequired({ ...make() })", vec!["not-static 37"]),
        (
            "approvalRequired(\"a\", { approvers: [] })",
            vec!["bad-value 40"],
        ),
        ("approvalRequired({ approver: [] })", vec!["unknown-key 37"]),
        (
            "approvalRequired({ reason: 1, when: true })",
            vec!["bad-value 45", "bad-value 54"],
        ),
        (
            "approvalRequired({ approvers: \"ada\" })",
            vec!["bad-value 48"],
        ),
        ("approvalRequired({ approvers: [] })", vec!["bad-value 48"]),
        (
            "approvalRequired({ approvers: [\"\", \"role:\", 7, who()] })",
            vec![
                "bad-value 49",
                "bad-value 53",
                "bad-value 62",
                "not-static 65",
            ],
        ),
    ] {
        let agent = tool("", &format!("  needsApproval: {gate},"));
        let at = |one: &str| one.replace(' ', " tools/echo.ts:4:");
        let expected: Vec<String> = found.into_iter().map(at).collect();
        assert_eq!(agent.findings(), expected, "{gate}");
    }
}
