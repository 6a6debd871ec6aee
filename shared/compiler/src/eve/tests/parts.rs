//! Schedules, skills, channels, connections, subagents, and folders that are not as they should be.

use super::*;

#[test]
fn schedules_say_what_the_agent_is_told() {
    let moved = Project::new()
        .with("agent/schedules/beat.ts", "import { defineSchedule } from \"eve/schedules\";\nexport default defineSchedule({\n  cron: \"*/5 * * * *\",\n  markdown: \"Look \" + \"around.\",\n});\n")
        .with("agent/schedules/weekly/sweep.md", "---\ncron: \"0 0 * * 0\"\n---\n\nSweep.\n")
        .with("agent/schedules/code.ts", "import { defineSchedule } from \"eve/schedules\";\nexport default defineSchedule({ cron: \"* * * * *\", async run() {} });\n")
        .moved();
    let schedules = builds(&moved)["schedules"].clone();
    assert_eq!(schedules[0]["name"], "beat");
    assert_eq!(schedules[0]["message"], "Look around.");
    assert_eq!(schedules[1]["name"], "weekly-sweep");
    assert_eq!(schedules[1]["message"], "Sweep.");
    assert_eq!(
        entry(&moved, "agent/schedules/code.ts").fate,
        Fate::Unsupported
    );
}

#[test]
fn skills_in_every_form_become_directories() {
    let moved = Project::new()
        .with("agent/skills/forecast.md", "Use the weather tool first.\n")
        .with("agent/skills/pdf/SKILL.md", "---\nname: PDF\ndescription: Fills forms.\n---\nFill.\n")
        .with("agent/skills/pdf/references/a.md", "A.\n")
        .with("agent/skills/research.ts", "import { defineSkill } from \"eve/skills\";\nexport default defineSkill({ description: \"Research.\", markdown: \"Gather.\", files: { \"references/c.md\": \"# C\\n\" } });\n")
        .with("agent/skills/team.ts", "import { defineDynamic, defineSkill } from \"eve/skills\";\nexport default defineDynamic({ events: {} });\n")
        .moved();
    builds(&moved);
    assert!(text(&moved, "skills/forecast/SKILL.md").contains("Use the weather tool first."));
    assert!(text(&moved, "skills/pdf/SKILL.md").contains("name: pdf\n"));
    assert_eq!(text(&moved, "skills/pdf/references/a.md"), "A.\n");
    assert_eq!(text(&moved, "skills/research/references/c.md"), "# C\n");
    assert_eq!(
        entry(&moved, "agent/skills/team.ts").fate,
        Fate::Unsupported
    );
}

#[test]
fn instructions_are_put_together_in_eve_s_order() {
    let moved = Project::new()
        .without("agent/instructions.md")
        .with("agent/instructions.ts", "import { defineInstructions } from \"eve/instructions\";\nexport default defineInstructions({ markdown: `First.` });\n")
        .with("agent/instructions/b.md", "Third.\n")
        .with("agent/instructions/a.ts", "import { defineInstructions } from \"eve/instructions\";\nexport default defineInstructions({ content: \"Second.\", role: \"user\" });\n")
        .with("agent/instructions/c.ts", "import { defineDynamic } from \"eve/instructions\";\nexport default defineDynamic({});\n")
        .moved();
    assert_eq!(
        builds(&moved)["instructions"],
        "First.\n\nSecond.\n\nThird.\n"
    );
    assert!(
        entry(&moved, "agent/instructions/a.ts")
            .notes
            .iter()
            .any(|note| note.todo)
    );
    assert_eq!(
        entry(&moved, "agent/instructions/c.ts").fate,
        Fate::Unsupported
    );
}

#[test]
fn eve_s_own_channel_becomes_http_and_the_others_are_said() {
    let moved = Project::new()
        .with("agent/channels/eve.ts", "import { eveChannel } from \"eve/channels/eve\";\nimport { localDev, none } from \"eve/channels/auth\";\nexport default eveChannel({ auth: [localDev(), none()], events: {} });\n")
        .with("agent/channels/slack.ts", "import { slackChannel } from \"eve/channels/slack\";\nexport default slackChannel({});\n")
        .moved();
    let manifest = builds(&moved);
    assert_eq!(manifest["channels"][0]["route"], "/message");
    assert_eq!(
        manifest["channels"][0]["auth"]["bearer"]["$env"],
        "EVE_CHANNEL_TOKEN"
    );
    assert_eq!(entry(&moved, "agent/channels/eve.ts").notes.len(), 3);
    let slack = entry(&moved, "agent/channels/slack.ts");
    assert!(slack.notes[0].text.contains("slack"), "{slack:?}");
}

#[test]
fn connections_name_their_secrets() {
    let moved = Project::new()
        .with("agent/connections/crm.ts", "import { defineMcpClientConnection } from \"eve/connections\";\nexport default defineMcpClientConnection({\n  url: process.env.CRM_URL!,\n  description: \"Customers.\",\n  auth: { getToken: async () => ({ token: process.env.CRM_TOKEN! }) },\n  tools: { allow: [\"find\"] },\n  protocolVersionDiscovery: false,\n});\n")
        .with("agent/connections/shop.ts", "import { defineOpenAPIConnection } from \"eve/connections\";\nexport default defineOpenAPIConnection({\n  spec: \"https://shop.example/openapi.json\",\n  description: \"Orders.\",\n  headers: { authorization: `Bearer ${process.env.SHOP_TOKEN}`, \"x-shop\": \"1\" },\n});\n")
        .moved();
    let compilation = compiled(&moved);
    assert!(compilation.is_ok(), "{}", compilation.render());
    let crm = text(&moved, "connections/crm.ts");
    assert!(crm.contains("kind: \"mcp\""), "{crm}");
    assert!(crm.contains("url: env(\"CRM_URL\")"), "{crm}");
    assert!(crm.contains("auth: bearer(env(\"CRM_TOKEN\"))"), "{crm}");
    assert!(
        crm.contains("import { bearer, defineConnection, env } from \"@openeve/core\";"),
        "{crm}"
    );
    let shop = text(&moved, "connections/shop.ts");
    assert!(
        shop.contains("headers: { \"x-shop\": \"1\" },\n  auth: bearer(env(\"SHOP_TOKEN\"))"),
        "{shop}"
    );
}

#[test]
fn subagents_come_along_with_parts_of_their_own() {
    let subagent = AGENT.replace("model:", "description: \"Digs.\",\n  model:");
    let moved = Project::new()
        .with("agent/subagents/digger/agent.ts", &subagent)
        .with("agent/subagents/digger/tools/dig.ts", TOOL)
        .with("agent/subagents/digger/subagents/deep/agent.ts", &subagent)
        .with(
            "agent/subagents/far.ts",
            "import { defineRemoteAgent } from \"eve\";\nexport default defineRemoteAgent({});\n",
        )
        .moved();
    let compilation = compiled(&moved);
    assert!(compilation.is_ok(), "{}", compilation.render());
    assert!(text(&moved, "subagents/digger/agent.ts").contains("defaultTools: [\"dig\"]"));
    assert!(text(&moved, "subagents/digger/instructions.md").contains("digger"));
    assert!(text(&moved, "subagents/digger/subagents/deep/instructions.md").contains("deep"));
    let manifest = compilation.manifest.unwrap();
    assert_eq!(manifest.subagents[0].subagents[0].name, "deep");
    assert_eq!(
        entry(&moved, "agent/subagents/far.ts").fate,
        Fate::Unsupported
    );
}

#[test]
fn a_sandbox_in_the_form_of_an_object_is_carried_over() {
    let moved = Project::new()
        .with("agent/sandbox/sandbox.ts", "import { defineSandbox } from \"eve/sandbox\";\nimport { docker } from \"eve/sandbox/docker\";\nexport default defineSandbox({\n  backend: docker({ image: \"node:22\" }),\n  revalidationKey: () => \"1\",\n  async bootstrap({ use }) {\n    const sandbox = await use();\n    await sandbox.run({ command: \"true\" });\n  },\n});\n")
        .with("agent/sandbox/workspace/a.txt", "A.\n")
        .moved();
    let compilation = compiled(&moved);
    assert!(compilation.is_ok(), "{}", compilation.render());
    assert!(text(&moved, "sandbox/sandbox.ts").contains("backend: adapter(\"docker\")"));
    assert_eq!(text(&moved, "sandbox/workspace/a.txt"), "A.\n");
}

#[test]
fn what_eve_alone_has_is_said_with_what_to_do_instead() {
    let moved = Project::new()
        .with("agent/hooks/audit.ts", "export default 1;\n")
        .with("agent/memory/profile.ts", "export default 1;\n")
        .with("agent/extensions/x.ts", "export default 1;\n")
        .with("agent/tools/a.ts", &TOOL.replace("export default", "import { defineState } from \"eve/context\";\nexport const s = defineState(\"s\", () => 0);\nexport default"))
        .moved();
    for path in [
        "agent/hooks/audit.ts",
        "agent/memory/profile.ts",
        "agent/extensions/x.ts",
    ] {
        assert_eq!(entry(&moved, path).fate, Fate::Unsupported);
    }
    let notes = &entry(&moved, "agent/tools/a.ts").notes;
    assert!(
        notes
            .iter()
            .any(|note| note.todo && note.text.contains("defineState")),
        "{notes:?}"
    );
    assert!(text(&moved, "IMPORT.md").contains("## Left to do by hand"));
}

#[test]
fn broken_code_is_left_out_and_nothing_fails() {
    let moved = Project::new()
        .with("agent/tools/a.ts", "export default defineTool({\n")
        .moved();
    assert_eq!(entry(&moved, "agent/tools/a.ts").fate, Fate::Unsupported);
    builds(&moved);
}

#[test]
fn a_project_without_one_agent_says_why() {
    assert_eq!(
        move_over(&Project::default().0).unwrap_err(),
        MoveError::NoAgent
    );
    let several = Project::default()
        .with("agents/a/agent/agent.ts", AGENT)
        .with("agents/b/agent.ts", AGENT);
    let expected = vec!["agents/a".to_owned(), "agents/b".to_owned()];
    assert_eq!(
        move_over(&several.0).unwrap_err(),
        MoveError::Several(expected)
    );
    let ours = Project::new().with(
        "agent/agent.ts",
        &AGENT.replace("\"eve\"", "\"@openeve/core\""),
    );
    assert_eq!(
        move_over(&ours.0).unwrap_err(),
        MoveError::Ours("agent/agent.ts".to_owned())
    );
}

#[test]
fn the_same_files_give_the_same_result() {
    let project = Project::new().with("agent/tools/get_weather.ts", TOOL);
    assert_eq!(project.moved().files, project.moved().files);
}
