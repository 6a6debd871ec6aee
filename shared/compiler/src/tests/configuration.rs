//! What each definition may say, and where a wrong word is reported.

use serde_json::json;

use super::{Agent, compiled};

/// The findings of a folder, without their places, and the messages' start.
fn said(agent: &Agent) -> String {
    agent.compile().render()
}

#[test]
fn an_agent_says_its_model_and_the_rest_has_defaults() {
    let agent = Agent::new().agent(
        "  id: \"travel\", model: \"openrouter/z-ai/glm\", reasoning: \"xhigh\", description: \"Helps.\",\n  defaultTools: [\"echo\", \"echo\"],\n  selfImprovement: { writable: true }, dynamicSchedules: { dynamic: false }, dynamicConnections: { allowedHosts: [] }, context: undefined",
    );
    let manifest = compiled(&agent.tool("echo", "")).manifest.unwrap();
    let expected = json!({
        "id": "travel", "model": "openrouter/z-ai/glm", "reasoning": "xhigh", "description": "Helps.", "defaultTools": ["echo"],
    });
    assert_eq!(serde_json::to_value(manifest.agent).unwrap(), expected);
}

#[test]
fn every_wrong_key_of_an_agent_is_reported_at_its_place() {
    let agent = Agent::new().agent(
        "  id: \"1st\",\n  modle: \"openai/gpt\",\n  reasoning: \"hard\",\n  harness: adapter(\"pi\"),\n  defaultTools: [\"ech\", 3, missing()],\n  description: process.env.WHO,",
    );
    assert_eq!(
        agent.tool("echo", "").findings(),
        [
            "missing-key agent.ts:2:28",
            "bad-value agent.ts:3:7",
            "unknown-key agent.ts:4:3",
            "bad-value agent.ts:5:14",
            "harness-not-configurable agent.ts:6:3",
            "unknown-tool agent.ts:7:18",
            "bad-value agent.ts:7:25",
            "not-static agent.ts:7:28",
            "not-static agent.ts:8:16",
        ]
    );
}

#[test]
fn a_misspelt_word_is_answered_with_the_right_one() {
    assert!(said(&Agent::new().agent("  modle: \"a/b\"")).contains("did you mean model?"));
    assert!(
        said(&Agent::new().agent("  model: \"a/b\", tint: 1")).contains("its keys are id, model")
    );
    assert!(
        said(&Agent::new().agent("  model: \"a/b\", reasoning: \"hihg\""))
            .contains("did you mean \"high\"?")
    );
    assert!(
        said(&Agent::new().gateway("  state: adapter(\"postgre\")"))
            .contains("did you mean adapter(\"postgres\")?")
    );
}

#[test]
fn a_model_names_its_provider() {
    for model in ["gpt", "/gpt", "openai/", "open ai/gpt", ""] {
        let agent = Agent::new().agent(&format!("  model: {model:?}"));
        assert_eq!(agent.findings(), ["bad-value agent.ts:3:10"], "{model}");
    }
}

#[test]
fn a_block_of_an_agent_is_read_as_strictly_as_the_rest() {
    let agent = Agent::new().agent(
        "  model: \"a/b\",\n  context: make(),\n  selfImprovement: { writeable: true },\n  dynamicSchedules: true,\n  dynamicConnections: { dynamic: true, allowedHosts: [\"https://a.b\", 3] },",
    );
    assert_eq!(
        agent.findings(),
        [
            "not-static agent.ts:4:12",
            "not-yet-supported agent.ts:5:3",
            "unknown-key agent.ts:5:22",
            "bad-value agent.ts:6:21",
            "bad-value agent.ts:7:55",
            "bad-value agent.ts:7:70",
        ]
    );
    let text = said(&agent);
    assert!(text.contains("did you mean writable?"), "{text}");
    assert!(text.contains("\"https://a.b\" is no host"), "{text}");
}

#[test]
fn connections_that_may_lead_anywhere_or_nowhere_are_refused() {
    let agent = Agent::new().agent("  model: \"a/b\", dynamicConnections: { dynamic: true },");
    let text = said(&agent);
    assert!(text.contains("allowedHosts names no host"), "{text}");
}

#[test]
fn what_an_agent_asks_for_and_this_version_lacks_is_told_once() {
    let agent = Agent::new().agent(
        "  model: \"a/b\",\n  dynamicSchedules: { dynamic: true },\n  selfImprovement: { writable: true },",
    );
    let compilation = compiled(&agent);
    assert_eq!(agent.findings(), ["not-yet-supported agent.ts:4:3"]);
    let text = compilation.render();
    assert!(
        text.contains("dynamicSchedules, selfImprovement have no effect"),
        "{text}"
    );
    let validation = compilation.manifest.unwrap().validation;
    assert_eq!(validation.len(), 1);
    assert_eq!(validation[0].place.as_deref(), Some("agent.ts:4:3"));
    compiled(&Agent::new().agent("  model: \"a/b\", selfImprovement: { writable: false }"));
}

#[test]
fn a_model_that_is_chosen_when_the_code_runs_has_help_of_its_own() {
    for chosen in [
        "process.env.MODEL ?? \"a/b\"",
        "process.env.MODEL",
        "fast ? \"a/b\" : \"a/c\"",
    ] {
        let agent = Agent::new().agent(&format!("  model: {chosen},"));
        let text = said(&agent);
        assert_eq!(agent.findings(), ["not-static agent.ts:3:10"], "{chosen}");
        assert!(
            text.contains("no variable of the environment chooses it"),
            "{text}"
        );
    }
}

#[test]
fn what_belongs_elsewhere_is_answered_with_its_place() {
    for (key, words) in [
        ("tools: {}", "tools/<name>.ts"),
        ("api_key: \"a\"", "a secret never stands in the folder"),
        ("databaseUrl: \"a\"", "state: adapter(\"postgres\")"),
        ("deploy: 1", "where the agent is deployed"),
        ("blob: 1", "blob: adapter(\"s3\")"),
        ("instructions: \"a\"", "instructions.md"),
    ] {
        let agent = Agent::new().agent(&format!("  model: \"a/b\",\n  {key},"));
        assert_eq!(agent.findings(), ["unknown-key agent.ts:4:3"], "{key}");
        let text = said(&agent);
        assert!(text.contains(words), "{key}: {text}");
    }
}

#[test]
fn a_helper_of_a_provider_stands_for_its_adapter() {
    let text = "import { defineGateway } from \"@openeve/core\";\nimport { flyDeploy, supabasePostgres, minioBlob, e2bSandbox } from \"@openeve/providers\";\nexport default defineGateway({ deploy: flyDeploy(), state: supabasePostgres(), blob: minioBlob({ endpoint: \"http://localhost:9000\" }), sandbox: e2bSandbox() });";
    let manifest = compiled(&Agent::new().with("gateway.ts", text)).manifest;
    let gateway = serde_json::to_value(manifest.unwrap().gateway).unwrap();
    assert_eq!(
        gateway,
        json!({
            "deploy": { "kind": "fly" }, "state": { "kind": "postgres" },
            "blob": { "kind": "s3", "options": { "endpoint": "http://localhost:9000" } }, "sandbox": { "kind": "e2b" },
        })
    );
    let text = "import { defineGateway } from \"@openeve/core\";\nimport { neonPostgre } from \"@openeve/providers\";\nexport default defineGateway({ state: neonPostgre() });";
    assert!(said(&Agent::new().with("gateway.ts", text)).contains("did you mean neonPostgres()?"));
}

#[test]
fn a_tool_says_what_it_does_and_how_it_may_run() {
    let keys = "  sideEffects: \"idempotent\", execution: \"sequential\", timeoutMs: 5_000,\n  outputSchema: { type: \"object\", properties: {} }, needsApproval: false,\n  capability: { visibility: \"deferred\", tags: [\"a\"], namespace: \"b\" },\n  toModelOutput: (result) => result,";
    let compilation = compiled(&Agent::new().tool("echo", keys));
    let tool = &compilation.manifest.unwrap().tools[0];
    let mut value = serde_json::to_value(tool).unwrap();
    value["module"]["sha256"] = json!("");
    assert_eq!(
        value,
        json!({
            "name": "echo", "description": "Echo.", "inputSchema": { "type": "object" }, "sideEffects": "idempotent",
            "execution": "sequential", "timeoutMs": 5000,
            "module": { "path": "server/modules/tools/echo.js", "sha256": "" }, "source": "tools/echo.ts",
        })
    );
    let metadata = &compilation.metadata["tools/echo.ts"];
    assert_eq!(metadata["capability"]["tags"], json!(["a"]));
    assert_eq!(metadata["outputSchema"]["type"], "object");
    assert_eq!(metadata["toModelOutput"], true);
}

#[test]
fn every_wrong_key_of_a_tool_is_reported_at_its_place() {
    let text = "import { defineTool } from \"@openeve/core\";\nimport { z } from \"./z\";\nexport default defineTool({\n  description: \" \",\n  inputSchema: z.object({}),\n  outputSchema: \"string\",\n  sideEffects: \"some\",\n  execution: 1,\n  timeoutMs: 600_000,\n  capability: { tag: [] },\n  toModelOutput: \"short\",\n});\n";
    let found: Vec<_> = Agent::new()
        .with("tools/a.ts", text)
        .findings()
        .into_iter()
        .filter(|found| !found.starts_with("unresolved"))
        .collect();
    assert_eq!(
        found,
        [
            "missing-key tools/a.ts:3:27",
            "bad-value tools/a.ts:4:16",
            "not-static tools/a.ts:5:16",
            "bad-value tools/a.ts:6:17",
            "bad-value tools/a.ts:7:16",
            "bad-value tools/a.ts:8:14",
            "bad-value tools/a.ts:9:14",
            "unknown-key tools/a.ts:10:17",
            "bad-value tools/a.ts:11:18",
        ]
    );
}

#[test]
fn a_schema_that_is_not_one_of_an_object_is_refused() {
    for schema in [
        "{}",
        "[]",
        "'object'",
        "{ type: 'object', properties: [] }",
        "{ type: 'object', required: 'a' }",
        "{ type: 'object', required: [1] }",
    ] {
        let text = format!(
            "import {{ defineTool }} from '@openeve/core';\nexport default defineTool({{ description: 'a', execute() {{}}, inputSchema: {schema} }});"
        );
        assert_eq!(
            Agent::new().with("tools/a.ts", &text).findings(),
            ["bad-value tools/a.ts:2:74"],
            "{schema}"
        );
    }
}

#[test]
fn any_expression_may_be_the_code_of_a_tool() {
    for code in [
        "run",
        "wrap(run)",
        "async (input) => input",
        "function () {}",
        "other.run",
    ] {
        let text = format!(
            "import {{ defineTool }} from '@openeve/core';\nfunction run() {{}}\nconst wrap = (f) => f; const other = {{ run }};\nexport default defineTool({{ description: 'a', inputSchema: {{ type: 'object' }}, execute: {code} }});"
        );
        compiled(&Agent::new().with("tools/a.ts", &text));
    }
}

#[test]
fn a_gateway_chooses_an_adapter_for_each_slot() {
    let agent = Agent::new().gateway(
        "  deploy: railwayDeploy(), runtime: adapter(\"lambda\"), state: neonPostgres(),\n  blob: r2Blob({ bucket: env(\"BUCKET\") }), sandbox: dockerSandbox(), scheduler: adapter(\"gateway\"),",
    );
    let compilation = compiled(&agent);
    assert_eq!(
        serde_json::to_value(&compilation.manifest.as_ref().unwrap().gateway).unwrap(),
        json!({
            "deploy": { "kind": "railway" }, "runtime": { "kind": "lambda" }, "state": { "kind": "postgres" },
            "blob": { "kind": "r2", "options": { "bucket": { "$env": "BUCKET" } } },
            "sandbox": { "kind": "docker" }, "scheduler": { "kind": "gateway" },
        })
    );
    assert_eq!(compilation.env["BUCKET"], ["gateway.ts"]);
}

#[test]
fn an_adapter_that_does_not_exist_is_answered_with_those_that_do() {
    let agent = Agent::new().gateway("  state: adapter(\"mysql\"),\n  blob: \"s3\",\n  sandbox: r2Blob(),\n  deploy: adapter(choose()),\n  scheduler: adapter(\"local\", 3),\n  cache: adapter(\"redis\"),");
    assert_eq!(
        agent.findings(),
        [
            "unknown-adapter gateway.ts:4:18",
            "bad-value gateway.ts:5:9",
            "unknown-adapter gateway.ts:6:12",
            "not-static gateway.ts:7:19",
            "bad-value gateway.ts:8:31",
            "unknown-key gateway.ts:9:3",
        ]
    );
    assert!(
        said(&Agent::new().gateway("  blob: adapter(\"gcs\")"))
            .contains("one of \"s3\", \"r2\", \"folder\"")
    );
}
