//! The artifact: what is in it, that it repeats, and that nobody sees half of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{Agent, compiled};
use crate::{EmitError, artifact, emit};

fn sample() -> Agent {
    Agent::new()
        .agent("  id: \"sample\", model: \"openai/gpt-5.4-mini\", defaultTools: [\"echo\"],")
        .with("lib/b.ts", "export const b = () => 'b';")
        .with("package-lock.json", "{}")
        .with("node_modules/old/package.json", "{ \"name\": \"old\", \"version\": \"1.0.0\" }")
        .with("node_modules/old/index.js", "module.exports = () => 'old';")
        .with("tools/late.ts", "import { defineTool } from \"@openeve/core\";\nimport old from \"old\";\nimport { b } from \"../lib/b\";\nexport default defineTool({ description: \"a\", inputSchema: { type: \"object\" }, execute: () => old() + b() });")
        .tool("echo", "")
        .channel("door", "  route: \"/door\", auth: bearer(env(\"DOOR_TOKEN\")),")
        .schedule("dawn", "  cron: \"0 5 * * *\", message: \"Up\", channel: \"door\",")
}

/// Every file below a directory, by relative path.
fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path
                    .strip_prefix(root)
                    .unwrap()
                    .to_string_lossy()
                    .into_owned();
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}

fn revision(agent: &Agent) -> String {
    compiled(agent).manifest.unwrap().revision
}

#[test]
fn the_artifact_has_every_part() {
    let agent = sample();
    let compilation = compiled(&agent);
    let out = agent.root().join(".openeve");
    emit(&compilation, &out).unwrap();
    let files = files(&out);
    assert_eq!(
        files.keys().map(String::as_str).collect::<Vec<_>>(),
        [
            "Dockerfile",
            "agent-revision.json",
            "assets/.gitkeep",
            "manifest.json",
            "migrations/.gitkeep",
            "preflight.json",
            "route-table.json",
            "schedules.json",
            "server/boot.json",
            "server/modules/tools/echo.js",
            "server/modules/tools/echo.js.map",
            "server/modules/tools/late.js",
            "server/modules/tools/late.js.map",
            "server/source-map.json",
            "server/source-metadata.json",
            "server/sources.json",
        ]
    );
    let read = |path: &str| serde_json::from_slice::<Value>(&files[path]).unwrap();
    let manifest = compilation.manifest.as_ref().unwrap();
    assert_eq!(
        read("manifest.json"),
        serde_json::to_value(manifest).unwrap()
    );
    assert_eq!(
        read("agent-revision.json"),
        json!({ "agentRevision": manifest.revision })
    );
    assert_eq!(
        read("route-table.json"),
        json!([{ "path": "/door", "methods": ["POST"], "channel": "door" }])
    );
    assert_eq!(read("schedules.json")[0]["name"], "dawn");
    assert_eq!(
        read("preflight.json"),
        json!({ "env": [{ "name": "DOOR_TOKEN", "files": ["channels/door.ts"] }], "connections": [], "migrations": { "database": true, "files": [] } })
    );
    assert_eq!(read("server/boot.json")["root"], "..");
    assert_eq!(
        read("server/sources.json")["lib/b.ts"],
        openeve_domain::canonical::sha256_hex(b"export const b = () => 'b';")
    );
    assert_eq!(
        read("server/modules/tools/late.js.map")["sources"],
        json!(["node_modules/old/index.js", "lib/b.ts", "tools/late.ts"])
    );
    for tool in &manifest.tools {
        assert_eq!(
            openeve_domain::canonical::sha256_hex(&files[&tool.module.path]),
            tool.module.sha256
        );
    }
}

#[test]
fn the_same_source_in_another_place_gives_the_same_bytes() {
    let (one, two) = (sample(), sample());
    assert_ne!(one.root(), two.root());
    let artifacts = [&one, &one, &two].map(|agent| artifact(&compiled(agent)).unwrap());
    assert_eq!(artifacts[0], artifacts[1]);
    assert_eq!(artifacts[0], artifacts[2]);
}

#[test]
fn every_source_that_matters_changes_the_revision_and_no_other_does() {
    let before = revision(&sample());
    for (path, text) in [
        ("instructions.md", "Be brief."),
        ("lib/b.ts", "export const b = () => 'b'; // changed"),
        ("package-lock.json", "{ }"),
        ("node_modules/old/index.js", "module.exports = () => 'new';"),
        (
            "node_modules/old/package.json",
            "{ \"name\": \"old\", \"version\": \"1.0.1\" }",
        ),
        (
            "gateway.ts",
            "import { defineGateway } from \"@openeve/core\";\nexport default defineGateway({});",
        ),
    ] {
        assert_ne!(revision(&sample().with(path, text)), before, "{path}");
    }
    for (path, text) in [
        ("README.md", "Hello."),
        ("lib/unused.ts", "export {};"),
        (".openeve/manifest.json", "{}"),
    ] {
        assert_eq!(revision(&sample().with(path, text)), before, "{path}");
    }
}

#[test]
fn no_path_of_the_machine_and_no_value_of_a_secret_is_in_the_artifact() {
    let agent = sample();
    let place = agent.root().to_string_lossy().into_owned();
    let parent = agent
        .root()
        .parent()
        .unwrap()
        .file_name()
        .unwrap()
        .to_string_lossy()
        .into_owned();
    let temporary = std::env::temp_dir().to_string_lossy().into_owned();
    for (path, bytes) in artifact(&compiled(&agent)).unwrap() {
        let text = String::from_utf8(bytes).unwrap();
        for absolute in [&place, &parent, &temporary, env!("CARGO_MANIFEST_DIR")] {
            assert!(!text.contains(absolute), "{path} contains {absolute}");
        }
    }
}

#[test]
fn a_new_artifact_replaces_the_old_one_and_leaves_what_is_not_the_compilers() {
    let agent = sample();
    let out = agent.root().join(".openeve");
    emit(&compiled(&agent), &out).unwrap();
    fs::create_dir_all(out.join("dev/data")).unwrap();
    fs::write(out.join("dev/data/state"), "kept").unwrap();
    fs::write(out.join("deployment.json"), "kept").unwrap();
    let agent = agent.without("tools/late.ts");
    let compilation = compiled(&agent);
    emit(&compilation, &out).unwrap();
    let mut expected = artifact(&compilation).unwrap();
    expected.insert("dev/data/state".to_owned(), b"kept".to_vec());
    expected.insert("deployment.json".to_owned(), b"kept".to_vec());
    assert_eq!(files(&out), expected);
}

#[test]
fn a_build_leaves_nothing_beside_the_artifact() {
    let agent = sample();
    let out = agent.root().join("build/.openeve");
    for _ in 0..2 {
        emit(&compiled(&agent), &out).unwrap();
    }
    let names: Vec<_> = fs::read_dir(agent.root().join("build"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, [".openeve"]);
}

#[test]
fn whatever_stands_in_the_place_of_a_part_is_replaced() {
    let agent = sample();
    let out = agent.root().join(".openeve");
    fs::create_dir_all(out.join("preflight.json")).unwrap();
    fs::write(out.join("server"), "in the way").unwrap();
    let compilation = compiled(&agent);
    emit(&compilation, &out).unwrap();
    assert_eq!(files(&out), artifact(&compilation).unwrap());
}

#[test]
fn a_folder_with_errors_has_no_artifact() {
    let agent = Agent::new().without("instructions.md");
    let compilation = agent.compile();
    assert!(compilation.modules.is_empty());
    let out = agent.root().join(".openeve");
    assert!(matches!(
        emit(&compilation, &out),
        Err(EmitError::NotCompiled)
    ));
    assert!(!out.exists());
}

#[test]
fn migrations_of_the_author_go_into_the_artifact_and_count_for_the_revision() {
    let agent = sample()
        .with("migrations/0002_more.sql", "SELECT 2;")
        .with("migrations/0001_first.sql", "SELECT 1;")
        .with("migrations/.hidden", "no");
    let artifact = artifact(&compiled(&agent)).unwrap();
    assert_eq!(artifact["migrations/0001_first.sql"], b"SELECT 1;");
    assert!(!artifact.contains_key("migrations/.hidden"));
    let preflight: Value = serde_json::from_slice(&artifact["preflight.json"]).unwrap();
    assert_eq!(
        preflight["migrations"]["files"],
        json!(["migrations/0001_first.sql", "migrations/0002_more.sql"])
    );
    assert_ne!(revision(&agent), revision(&sample()));
}

#[test]
fn the_container_runs_serve_as_nobody_and_copies_every_part_that_serve_reads() {
    let artifact = artifact(&compiled(&sample())).unwrap();
    let dockerfile = String::from_utf8(artifact["Dockerfile"].clone()).unwrap();
    for path in artifact.keys().filter(|path| *path != "Dockerfile") {
        let part = path.split('/').next().unwrap();
        let copied = dockerfile
            .lines()
            .any(|line| line.starts_with("COPY ") && line.split(' ').any(|word| word == part));
        assert!(copied, "{part} is not copied");
    }
    for wanted in ["USER 65532:65532", "CMD [\"serve\"]", "STOPSIGNAL SIGTERM"] {
        assert!(dockerfile.contains(wanted), "{wanted}");
    }
}

#[test]
fn the_manifest_holds_everything_that_was_read() {
    let define = |helper: &str, body: &str| {
        format!("import {{ {helper} }} from \"@openeve/core\";\nexport default {helper}({body});\n")
    };
    let agent = sample()
        .with("context.ts", "import { defaultContext, defineContext } from \"@openeve/core\";\nexport default defineContext({ kind: \"custom\", name: \"short\", extends: defaultContext() });")
        .with("gateway.ts", "import { adapter, defineGateway } from \"@openeve/core\";\nexport default defineGateway({ state: adapter(\"postgres\") });")
        .with("instrumentation.ts", &define("defineInstrumentation", "{ setup() {} }"))
        .with("sandbox.ts", &define("defineSandbox", "{ adapter: \"virtual\", onSession() {} }"))
        .with("triggers/nightly.ts", &define("defineTrigger", "{ prepare: () => ({ skill: \"packing\" }) }"))
        .with("connections/crm.ts", &define("defineConnection", "{ kind: \"http\", description: \"a\", baseUrl: \"https://a.b\", required: true }"))
        .with("skills/packing/SKILL.md", "---\ndescription: How to pack.\n---\n")
        .with("subagents/digger/agent.ts", &define("defineAgent", "{ description: \"Digs.\" }"))
        .with("subagents/digger/instructions.md", "Dig.");
    let files = artifact(&compiled(&agent)).unwrap();
    let manifest: Value = serde_json::from_slice(&files["manifest.json"]).unwrap();
    for pointer in [
        "/instructions",
        "/agent/model",
        "/gateway/state/kind",
        "/tools/0/module/sha256",
        "/capabilities/echo/visibility",
        "/skills/0/sha256",
        "/channels/0/route",
        "/schedules/0/cron",
        "/subagents/0/instructions",
        "/validation/0/code",
        "/versions/openeve-compiler",
        "/sources/subagents~1digger~1agent.ts",
        "/env/0",
    ] {
        assert!(manifest.pointer(pointer).is_some(), "{pointer}");
    }
    let parts = manifest["parts"].as_array().unwrap();
    for (kind, has_module) in [
        ("context", false),
        ("instrumentation", true),
        ("sandbox", true),
        ("trigger", true),
        ("connection", false),
    ] {
        let part = parts.iter().find(|part| part["kind"] == kind).unwrap();
        assert_eq!(part.get("module").is_some(), has_module, "{kind}");
        assert!(
            manifest["sources"]
                .get(part["source"].as_str().unwrap())
                .is_some()
        );
    }
    let preflight: Value = serde_json::from_slice(&files["preflight.json"]).unwrap();
    assert_eq!(preflight["connections"], json!(["connections/crm.ts"]));
    let metadata: Value = serde_json::from_slice(&files["server/source-metadata.json"]).unwrap();
    let maps: Value = serde_json::from_slice(&files["server/source-map.json"]).unwrap();
    assert_eq!(metadata["triggers/nightly.ts"]["kind"], "trigger");
    for (module, map) in maps.as_object().unwrap() {
        assert!(files.contains_key(module) && files.contains_key(map.as_str().unwrap()));
    }
    assert!(maps.get("server/modules/sandbox/sandbox.js").is_some());
}

#[test]
fn a_warning_is_no_part_of_the_revision() {
    let agent = sample().with("tool/old.ts", "");
    let manifest = compiled(&agent).manifest.unwrap();
    assert_eq!(manifest.validation[0].code, "near-name");
    assert_eq!(manifest.revision, revision(&sample()));
}
