//! Parts with code: triggers, sandboxes, connections and instrumentation, bundled as tools are.

use serde_json::{Value, json};

use super::{Agent, compiled, compiled_with_schemas};
use crate::artifact;

const TRIGGER: &str = "import { defineTrigger } from \"@openeve/core\";\nimport { skill } from \"../lib/skill\";\nexport default defineTrigger({ prepare: () => ({ skill }), finalize() { return process.env.AFTER; } });\n";

fn sandbox(keys: &str) -> String {
    format!(
        "import {{ defineSandbox }} from \"@openeve/core\";\nimport versions from \"./lib/versions.json\";\nexport default defineSandbox({{\n{keys}\n}});\n"
    )
}

fn connection(keys: &str) -> String {
    format!(
        "import {{ bearer, defineConnection, env }} from \"@openeve/core\";\nexport default defineConnection({{ kind: \"mcp\", description: \"a\", url: \"https://a.b\",\n{keys}\n}});\n"
    )
}

fn agent() -> Agent {
    Agent::new()
        .with("lib/skill.ts", "export const skill = \"packing\";")
        .with("lib/versions.json", "{ \"node\": \"22.1.0\" }")
        .with("triggers/nightly.ts", TRIGGER)
        .with(
            "instrumentation.ts",
            "import { defineInstrumentation } from \"@openeve/core\";\nexport default defineInstrumentation({ setup: () => ({ export() {} }) });\n",
        )
}

fn parts(agent: &Agent) -> Vec<Value> {
    let manifest = compiled_with_schemas(agent).manifest.unwrap();
    let parts = manifest.parts.iter().map(serde_json::to_value);
    parts.map(Result::unwrap).collect()
}

#[test]
fn a_part_with_code_is_a_module_with_its_hash_in_the_manifest() {
    let agent = agent();
    let compilation = compiled(&agent);
    let files = artifact(&compilation).unwrap();
    let manifest = compilation.manifest.as_ref().unwrap();
    let mut found = Vec::new();
    for part in &manifest.parts {
        let module = part.module.as_ref().unwrap();
        let bytes = &files[&module.path];
        assert_eq!(openeve_domain::canonical::sha256_hex(bytes), module.sha256);
        found.push(module.path.as_str());
    }
    assert_eq!(
        found,
        [
            "server/modules/instrumentation/instrumentation.js",
            "server/modules/triggers/nightly.js",
        ]
    );
    assert!(
        String::from_utf8_lossy(&files["server/modules/triggers/nightly.js"])
            .contains("\"packing\"")
    );
    assert!(manifest.sources.contains_key("lib/skill.ts"));
    assert_eq!(
        manifest.env,
        ["AFTER"],
        "code of parts reads variables, too"
    );
}

#[test]
fn what_a_part_imports_counts_for_the_revision() {
    let revision = |agent: &Agent| compiled(agent).manifest.unwrap().revision;
    let before = revision(&agent());
    for (path, text) in [
        ("lib/skill.ts", "export const skill = \"unpacking\";"),
        ("triggers/nightly.ts", &TRIGGER.replace("AFTER", "BEFORE")),
    ] {
        assert_ne!(revision(&agent().with(path, text)), before, "{path}");
    }
}

#[test]
fn a_part_without_code_is_no_module() {
    let agent = agent()
        .with("connections/plain.ts", &connection("  auth: bearer(env(\"TOKEN\")), tools: { allow: [\"find\"] },"))
        .with("sandbox.ts", &sandbox("  image: versions.node,"))
        .with("context.ts", "import { defaultContext, defineContext } from \"@openeve/core\";\nexport default defineContext({ kind: \"custom\", name: \"short\", extends: defaultContext() });\n");
    for part in parts(&agent) {
        let has_code = ["trigger", "instrumentation"].contains(&part["kind"].as_str().unwrap());
        assert_eq!(part.get("module").is_some(), has_code, "{part}");
    }
}

#[test]
fn the_functions_of_a_connection_are_recorded_and_bundled() {
    let of = |keys: &str| {
        let parts = parts(&Agent::new().with("connections/crm.ts", &connection(keys)));
        assert_eq!(
            parts[0]["module"]["path"],
            "server/modules/connections/crm.js"
        );
        parts[0]["definition"].clone()
    };
    let code = json!({ "$code": true });
    let definition = of("  auth: { async getToken() { return \"x\"; } },");
    assert_eq!(definition["auth"]["getToken"], code);
    assert_eq!(
        of("  tools: (operation) => operation.name !== \"drop\",")["tools"],
        code
    );
    assert_eq!(
        of("  needsApproval: (input) => input.amount > 3,")["needsApproval"],
        json!({ "predicate": true })
    );
}

#[test]
fn a_connection_proves_who_is_asking_in_one_way() {
    for (keys, place) in [
        (
            "  auth: { bearer: \"secret\" },",
            "bad-value connections/crm.ts:3:19",
        ),
        ("  auth: {},", "bad-value connections/crm.ts:3:9"),
        (
            "  auth: { bearer: env(\"A\"), getToken() {} },",
            "bad-value connections/crm.ts:3:9",
        ),
        (
            "  auth: { token: env(\"A\") },",
            "unknown-key connections/crm.ts:3:11",
        ),
        (
            "  auth: { oauth: { authorizeUrl: \"a\", tokenUrl: \"b\" } },",
            "missing-key connections/crm.ts:3:18",
        ),
        ("  tools: \"all\",", "bad-value connections/crm.ts:3:10"),
    ] {
        let found = Agent::new()
            .with("connections/crm.ts", &connection(keys))
            .findings();
        let found: Vec<_> = found
            .iter()
            .filter(|found| !found.starts_with("not-yet"))
            .collect();
        assert_eq!(found, [place], "{keys}");
    }
}

#[test]
fn a_revalidation_key_is_evaluated_once_and_frozen() {
    for (key, text) in [
        ("() => \"v3\"", "v3"),
        ("async () => versions.node", "22.1.0"),
        (
            "function () { return `${versions.node}-${this.image}`; }",
            "22.1.0-node",
        ),
    ] {
        let keys = format!(
            "  image: \"node\", async bootstrap({{ use }}) {{ await use(); }}, revalidationKey: {key},"
        );
        let agent = agent().with("sandbox.ts", &sandbox(&keys));
        let parts = parts(&agent);
        let sandbox = parts.iter().find(|part| part["kind"] == "sandbox").unwrap();
        assert_eq!(
            sandbox["definition"]["revalidationKey"],
            json!({ "$frozen": text }),
            "{key}"
        );
        assert_eq!(sandbox["definition"]["bootstrap"], json!({ "$code": true }));
        assert_eq!(
            sandbox["module"]["path"],
            "server/modules/sandbox/sandbox.js"
        );
    }
}

#[test]
fn a_key_that_the_folder_does_not_know_is_refused_at_its_place() {
    for (key, words) in [
        ("async () => (await fetch(\"https://a.b\")).text()", "fetch"),
        ("() => String(Date.now())", "must not depend on the time"),
        ("() => 3", "no string"),
        ("() => \"\"", "the text is empty"),
        ("() => { throw new Error(\"broken\"); }", "broken"),
    ] {
        let keys =
            format!("  async bootstrap({{ use }}) {{ await use(); }},\n  revalidationKey: {key},");
        let agent = agent().with("sandbox.ts", &sandbox(&keys));
        let compilation = agent.compile_with_schemas();
        let errors: Vec<String> = compilation
            .errors()
            .map(|found| format!("{} {}", found.code, found.place().unwrap()))
            .collect();
        assert_eq!(errors, ["key-failed sandbox.ts:5:20"], "{key}");
        let text = compilation.render();
        assert!(text.contains(words), "{key}: {text}");
    }
}

#[test]
fn a_schedule_names_a_handler_that_is_there() {
    let agent = agent()
        .schedule(
            "dawn",
            "  cron: \"0 5 * * *\", trigger: { handler: \"nightly\", input: { day: 1 } },",
        )
        .schedule(
            "dusk",
            "  cron: \"0 9 * * *\", message: \"Up\", trigger: { handler: \"nightly\" },",
        );
    let manifest = compiled(&agent).manifest.unwrap();
    let dawn = serde_json::to_value(&manifest.schedules[0]).unwrap();
    assert_eq!(
        dawn["trigger"],
        json!({ "handler": "nightly", "input": { "day": 1 } })
    );
    assert_eq!(dawn["message"], "The schedule dawn fired.");
    assert_eq!(manifest.schedules[1].message, "Up");
    let agent = agent.schedule(
        "late",
        "  cron: \"0 5 * * *\", trigger: { handler: \"nigthly\" },",
    );
    let text = agent.compile().render();
    assert!(
        text.contains("unknown-trigger") && text.contains("did you mean \"nightly\"?"),
        "{text}"
    );
}

#[test]
fn each_kind_of_part_is_told_once() {
    let agent = agent()
        .with("triggers/second.ts", TRIGGER)
        .with("subagents/digger/agent.ts", "import { defineAgent } from \"@openeve/core\";\nexport default defineAgent({ description: \"Digs.\" });")
        .with("subagents/digger/instructions.md", "Dig.")
        .with("subagents/digger/triggers/third.ts", &TRIGGER.replace("../lib", "../../../lib"));
    assert_eq!(
        agent.findings(),
        [
            "not-yet-supported instrumentation.ts",
            "not-yet-supported subagents/digger/agent.ts",
            "not-yet-supported triggers/nightly.ts",
        ]
    );
    let manifest = compiled(&agent).manifest.unwrap();
    let part = &manifest.subagents[0].parts[0];
    assert_eq!(
        part.module.as_ref().unwrap().path,
        "server/modules/subagents/digger/triggers/third.js"
    );
}
