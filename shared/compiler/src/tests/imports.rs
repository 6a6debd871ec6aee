//! Imports in real folders: names for paths, machine code, one package that forty files lack.

use super::{Agent, compiled};

fn tool(import: &str, body: &str) -> String {
    format!(
        "{import}\nimport {{ defineTool }} from \"@openeve/core\";\nexport default defineTool({{ description: \"a\", inputSchema: {{ type: \"object\" }}, execute: () => {body} }});\n"
    )
}

fn rendered(agent: &Agent) -> String {
    agent.compile().render()
}

#[test]
fn names_of_the_folders_own_tsconfig_and_package_are_followed() {
    let agent = Agent::new()
        .with("tsconfig.json", "{\n  // Paths.\n  \"compilerOptions\": { \"baseUrl\": \".\", \"paths\": { \"@/*\": [\"./*\"], \"~/*\": [\"gone/*\", \"lib/*\"], \"words\": [\"lib/words.ts\"], }, },\n}\n")
        .with("package.json", "{ \"imports\": { \"#lib/*\": { \"types\": \"./x/*.ts\", \"default\": \"./lib/*.ts\" } } }")
        .with("lib/words.ts", "export const word: string = \"one\"; export const MODEL = \"openai/gpt-5.4-mini\";")
        .with("agent.ts", "import { defineAgent } from \"@openeve/core\";\nimport { MODEL } from \"@/lib/words\";\nexport default defineAgent({ model: MODEL });")
        .with("tools/a.ts", &tool("import { word } from \"@/lib/words\";", "word"))
        .with("tools/b.ts", &tool("import { word } from \"~/words\";", "word"))
        .with("tools/c.ts", &tool("import { word } from \"words\";", "word"))
        .with("tools/d.ts", &tool("import { word } from \"#lib/words\";", "word"));
    let compilation = compiled(&agent);
    assert_eq!(compilation.modules.len(), 4);
    for module in &compilation.modules {
        assert!(module.code.contains("\"one\""), "{}", module.path);
    }
    let manifest = compilation.manifest.unwrap();
    assert_eq!(manifest.agent.model, "openai/gpt-5.4-mini");
    assert!(manifest.sources.contains_key("lib/words.ts"));
}

#[test]
fn a_tsconfig_of_the_project_counts_and_one_that_lies_elsewhere_does_not() {
    let paths = "{ \"compilerOptions\": { \"paths\": { \"@/*\": [\"./lib/*\"] } } }";
    let files = |agent: Agent| {
        agent.with(
            "tools/a.ts",
            &tool("import { word } from \"@/words\";", "word"),
        )
    };
    let agent = files(Agent::new().with("lib/words.ts", "export const word = \"inside\";"));
    let above = agent.root().parent().unwrap().to_owned();
    std::fs::create_dir(above.join("lib")).unwrap();
    std::fs::write(above.join("lib/words.ts"), "export const word = \"above\";").unwrap();
    std::fs::write(above.join("tsconfig.json"), paths).unwrap();
    assert_eq!(agent.findings(), ["unresolved-import tools/a.ts:1:22"]);
    std::fs::write(above.join("package.json"), "{}").unwrap();
    let compilation = compiled(&agent);
    assert!(compilation.modules[0].code.contains("\"above\""));
    let manifest = compilation.manifest.unwrap();
    assert!(manifest.sources.contains_key("../lib/words.ts"));
}

#[test]
fn a_name_for_a_path_that_nothing_gives_is_told_once_with_the_file_that_could() {
    let agent = Agent::new()
        .with(
            "tools/a.ts",
            &tool("import { word } from \"@/lib/words\";", "word"),
        )
        .with(
            "tools/b.ts",
            &tool("import { word } from \"@/lib/more\";", "word"),
        )
        .with(
            "tools/c.ts",
            &tool("import { word } from \"#words\";", "word"),
        );
    let text = rendered(&agent);
    assert_eq!(
        agent.findings(),
        [
            "unresolved-import tools/a.ts:1:22",
            "unresolved-import tools/c.ts:1:22"
        ],
        "{text}"
    );
    for words in [
        "\"paths\": { \"@/*\": [\"./*\"] } of compilerOptions in tsconfig.json",
        "(and 1 more)",
        "of package.json",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn a_name_that_leads_to_no_file_says_where_it_leads() {
    let agent = Agent::new()
        .with(
            "tsconfig.json",
            "{ \"compilerOptions\": { \"paths\": { \"@/*\": [\"./lib/*\"] } } }",
        )
        .with(
            "tools/a.ts",
            &tool("import { word } from \"@/words\";", "word"),
        );
    let text = rendered(&agent);
    assert!(
        text.contains("which stands for lib/words, but there is no such file"),
        "{text}"
    );
}

#[test]
fn one_missing_package_is_one_finding_however_many_files_import_it() {
    let mut agent = Agent::new();
    for at in 0..40 {
        let text = tool("import pad from \"left-pad\";", "pad()");
        agent = agent.with(&format!("tools/t{at:02}.ts"), &text);
    }
    let agent = agent
        .with(
            "lib/shared.ts",
            "import pad from \"left-pad/deep\"; export const shared = pad;",
        )
        .with(
            "tools/u.ts",
            &tool("import { shared } from \"../lib/shared\";", "shared"),
        )
        .with(
            "tools/v.ts",
            &tool("import { shared } from \"../lib/shared\";", "shared"),
        )
        .with("tools/w.ts", &tool("import other from \"other\";", "other"));
    assert_eq!(
        agent.findings(),
        [
            "unresolved-import lib/shared.ts:1:17",
            "unresolved-import tools/w.ts:1:19"
        ]
    );
    let text = rendered(&agent);
    assert!(text.contains("(and 40 more)"), "{text}");
}

#[test]
fn a_folder_of_eve_is_told_once_what_to_run() {
    let eve = "import { defineTool } from \"eve/tools\";\nexport default defineTool({ description: \"a\", inputSchema: {}, execute() {} });\n";
    let agent = Agent::new()
        .with(
            "agent.ts",
            "import { defineAgent } from \"eve\";\nexport default defineAgent({ model: \"a/b\" });",
        )
        .with("tools/a.ts", eve)
        .with("tools/b.ts", eve)
        .with(
            "lib/state.ts",
            "import { defineState } from \"eve/context\"; export const state = defineState;",
        )
        .with(
            "tools/c.ts",
            &tool("import { state } from \"../lib/state\";", "state()"),
        );
    let text = rendered(&agent);
    assert_eq!(text.matches("openeve import eve").count(), 1, "{text}");
    assert_eq!(agent.findings().len(), 1, "{text}");
    assert!(text.contains("(and 3 more)"), "{text}");
}

#[test]
fn turning_off_a_tool_of_the_framework_is_told_once() {
    let off = "import { disableTool } from \"eve/tools\";\nexport default disableTool();\n";
    let agent = Agent::new()
        .with("tools/bash.ts", off)
        .with("tools/write.ts", &off.replace("eve/tools", "@openeve/core"));
    let text = rendered(&agent);
    assert_eq!(
        agent.findings(),
        ["missing-definition tools/bash.ts:2:16"],
        "{text}"
    );
    assert!(
        text.contains("none can be turned off (and 1 more)"),
        "{text}"
    );
}

#[test]
fn a_package_of_machine_code_is_named() {
    let agent = Agent::new()
        .with("node_modules/fast/package.json", "{ \"name\": \"fast\", \"version\": \"1.0.0\" }")
        .with("node_modules/fast/index.js", "const native = require(\"./build/Release/fast.node\");\nmodule.exports = native.run;\n")
        .with("node_modules/fast/build/Release/fast.node", "\u{7f}ELF")
        .with("tools/a.ts", &tool("import run from \"fast\";", "run()"))
        .with("tools/b.ts", &tool("import run from \"fast\";", "run()"));
    let text = rendered(&agent);
    assert_eq!(
        agent.findings(),
        ["native-code node_modules/fast/index.js:1:24"],
        "{text}"
    );
    assert!(
        text.contains("the package fast has native code, which the engine cannot load"),
        "{text}"
    );
}

#[test]
fn machine_code_is_found_behind_a_loader_and_behind_a_package_that_is_nothing_else() {
    let agent = Agent::new()
        .with(
            "node_modules/sql/package.json",
            "{ \"name\": \"sql\", \"version\": \"1.0.0\" }",
        )
        .with(
            "node_modules/sql/index.js",
            "exports.open = () => require(\"bindings\")(\"sql.node\");\n",
        )
        .with(
            "node_modules/css/package.json",
            "{ \"name\": \"css\", \"version\": \"1.0.0\" }",
        )
        .with(
            "node_modules/css/index.js",
            "module.exports = require(\"@css/linux-x64\");\n",
        )
        .with(
            "node_modules/@css/linux-x64/package.json",
            "{ \"name\": \"@css/linux-x64\", \"version\": \"1.0.0\", \"main\": \"./css.node\" }",
        )
        .with("node_modules/@css/linux-x64/css.node", "\u{7f}ELF")
        .with(
            "tools/a.ts",
            &tool("import { open } from \"sql\";", "open()"),
        )
        .with("tools/b.ts", &tool("import css from \"css\";", "css()"));
    assert_eq!(
        agent.findings(),
        [
            "native-code node_modules/css/index.js:1:26",
            "native-code node_modules/sql/index.js:1:30"
        ],
        "{}",
        rendered(&agent)
    );
}

#[test]
fn a_package_with_another_way_than_machine_code_is_bundled() {
    let agent = Agent::new()
        .with("node_modules/maybe/package.json", "{ \"name\": \"maybe\", \"version\": \"1.0.0\" }")
        .with("node_modules/maybe/index.js", "let fast;\ntry { fast = require(\"./fast.node\"); } catch { fast = \"slow\"; }\nmodule.exports = fast;\n")
        .with("node_modules/maybe/fast.node", "\u{7f}ELF")
        .with("tools/a.ts", &tool("import maybe from \"maybe\";", "maybe"));
    let compilation = compiled(&agent);
    assert!(
        compilation.modules[0]
            .code
            .contains("maybe has native code")
    );
}

#[test]
fn a_finding_in_a_minified_file_shows_the_place_and_not_the_file() {
    let long = format!(
        "module.exports = {{ a: \"{}\", b: require(\"gone\"), c: \"{}\" }};",
        "x".repeat(20_000),
        "y".repeat(20_000)
    );
    let broken = format!(
        "module.exports = {{ a: \"{}\", b: ; }};",
        "x".repeat(20_000)
    );
    for text in [long, broken] {
        let agent = Agent::new()
            .with(
                "node_modules/min/package.json",
                "{ \"name\": \"min\", \"version\": \"1.0.0\" }",
            )
            .with("node_modules/min/index.js", &text)
            .with("tools/a.ts", &tool("import min from \"min\";", "min"));
        let text = rendered(&agent);
        assert!(!text.is_empty() && text.len() < 1_500, "{text}");
    }
}

#[test]
fn a_package_that_nests_too_deeply_is_a_finding_and_ends_nothing() {
    let deep = format!(
        "module.exports = {}1{};",
        "`${".repeat(5_000),
        "}`".repeat(5_000)
    );
    let text = Agent::new()
        .with("node_modules/deep/package.json", r#"{"name":"deep","version":"1.0.0"}"#)
        .with("node_modules/deep/index.js", &deep)
        .with(
            "tools/one.ts",
            "import { defineTool } from \"@openeve/core\";\nimport deep from \"deep\";\nexport default defineTool({ description: \"a\", inputSchema: { type: \"object\" }, execute: () => deep });",
        )
        .compile()
        .render();
    assert!(
        text.starts_with("error[syntax-error]: node_modules/deep/index.js nests more deeply"),
        "{text}"
    );
}
