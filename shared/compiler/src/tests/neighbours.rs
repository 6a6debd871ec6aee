//! Values that definitions import from files of their own project.

use serde_json::json;

use super::{Agent, compiled};

fn agent(imports: &str, keys: &str) -> Agent {
    let text = format!(
        "import {{ defineAgent }} from \"@openeve/core\";\n{imports}\nexport default defineAgent({{ {keys} }});\n"
    );
    Agent::new().with("agent.ts", &text)
}

#[test]
fn a_constant_is_read_from_the_file_that_exports_it() {
    let agent = agent(
        "import { MODEL as model, limits } from \"./lib/models\"; import texts from \"./lib/texts.json\"; import * as all from \"./lib/models.js\";",
        "model, reasoning: limits.reasoning, description: texts.about + all.SUFFIX",
    )
    .with("lib/models.ts", "import { how } from '../how'; export const MODEL = 'openai/gpt-5.4-mini'; export const limits = { reasoning: how } as const; export { SUFFIX } from './suffix';")
    .with("lib/suffix/index.ts", "const SUFFIX = '!'; export { SUFFIX };")
    .with("lib/texts.json", "{\"about\": \"Helps\"}")
    .with("how.ts", "enum How { Low = 'low' } export const how = How.Low;");
    let manifest = compiled(&agent).manifest.unwrap();
    assert_eq!(
        serde_json::to_value(&manifest.agent).unwrap(),
        json!({"id": "helper", "model": "openai/gpt-5.4-mini", "reasoning": "low", "description": "Helps!", "defaultTools": []})
    );
    let mut sources: Vec<&str> = manifest.sources.keys().map(String::as_str).collect();
    sources.retain(|path| path.contains("lib/") || *path == "how.ts");
    assert_eq!(
        sources,
        [
            "how.ts",
            "lib/models.ts",
            "lib/suffix/index.ts",
            "lib/texts.json"
        ],
        "what a definition rests on is part of the revision"
    );
}

#[test]
fn a_helper_of_the_framework_may_come_through_a_file_of_the_project() {
    let agent = Agent::new()
        .with("lib/openeve.ts", "export * from './more'; export { defineAgent as agent } from '@openeve/core';")
        .with("agent.ts", "import { agent } from './lib/openeve';\nexport default agent({ model: 'openai/gpt-5.4-mini' });");
    compiled(&agent);
}

#[test]
fn what_cannot_be_read_elsewhere_says_where_it_stands() {
    let agent = agent("import { model } from \"./lib/model\";", "model")
        .with("lib/model.ts", "export const model =\n  pick();\n");
    let text = agent.compile().render();
    assert!(
        text.contains("it is a call of pick() (lib/model.ts:2:3)"),
        "{text}"
    );
    assert!(text.contains("--> agent.ts:3:30"), "{text}");
}

#[test]
fn every_way_to_nowhere_is_named() {
    for (imports, file, reason) in [
        (
            "import { x } from './lib/a';",
            None,
            "where there is no file",
        ),
        (
            "import { x } from './lib/a';",
            Some("export const y = 1;"),
            "a module without the export x",
        ),
        (
            "import { x } from './lib/a';",
            Some("export const x = ;"),
            "part of a file with syntax errors",
        ),
        (
            "import { x } from './lib/a';",
            Some("export { x } from './a';"),
            "defined by itself",
        ),
        (
            "import { x } from './lib/a';",
            Some("import { x as y } from './b'; export const x = y;"),
            "where there is no file",
        ),
        (
            "import { x } from './lib/a';",
            Some("export let x = 'a/b';"),
            "declared with let",
        ),
        (
            "import { x } from 'some-package';",
            None,
            "imported from \"some-package\"",
        ),
    ] {
        let mut agent = agent(imports, "model: x");
        if let Some(text) = file {
            agent = agent.with("lib/a.ts", text);
        }
        let text = agent.compile().render();
        assert!(text.contains("error[not-static]"), "{text}");
        assert!(text.contains(reason), "{reason}: {text}");
    }
}

#[test]
fn two_files_that_import_each_other_are_read_as_far_as_they_go() {
    let agent = agent("import { model } from \"./lib/a\";", "model")
        .with("lib/a.ts", "import { name } from './b'; export const provider = 'openai'; export const model = provider + '/' + name;")
        .with("lib/b.ts", "import { provider } from './a'; export const name = provider + '-5';");
    let manifest = compiled(&agent).manifest.unwrap();
    assert_eq!(manifest.agent.model, "openai/openai-5");
}

#[test]
fn an_imported_value_counts_each_time_it_is_used() {
    let list = format!("export const list = [{}];", "'x', ".repeat(5_000));
    let spread = "...list, ".repeat(20);
    let agent = agent(
        "import { list } from \"./lib/list\";",
        &format!("model: 'a/b', defaultTools: [{spread}]"),
    )
    .with("lib/list.ts", &list);
    let text = agent.compile().render();
    assert!(text.contains("part of more than 50000 values"), "{text}");
}

#[test]
fn a_helper_that_nests_too_deeply_is_reported_before_anything_follows_it() {
    let deep = format!(
        "export const x = {}1{};",
        "[".repeat(5_000),
        "]".repeat(5_000)
    );
    let agent = Agent::new()
        .with("tools/a.ts", "import { defineTool } from '@openeve/core';\nexport * from '../lib/b';\nexport default defineTool({ description: 'A.', inputSchema: { type: 'object' }, execute: () => import('../lib/c') });")
        .with("lib/b.ts", "export const y = 1;")
        .with("lib/c.ts", &deep);
    assert_eq!(agent.findings(), ["syntax-error lib/c.ts:1:184"]);
}
