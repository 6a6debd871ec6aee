//! Tools and what they import, down to packages in `node_modules`.

use super::{Agent, compiled};
use crate::Compilation;

fn code<'c>(compilation: &'c Compilation, tool: &str) -> &'c str {
    let path = format!("server/modules/tools/{tool}.js");
    &compilation
        .modules
        .iter()
        .find(|module| module.path == path)
        .unwrap()
        .code
}

fn with_import(import: &str, body: &str) -> String {
    format!(
        "{import}\nimport {{ defineTool }} from \"@openeve/core\";\nexport default defineTool({{\n  description: \"a\",\n  inputSchema: {{ type: \"object\" }},\n  execute: () => {body},\n}});\n"
    )
}

#[test]
fn a_module_has_no_types_and_imports_the_framework_alone() {
    let agent = Agent::new()
        .with("lib/words.ts", "export interface Word { text: string }\nexport enum Size { Small = 1 }\nexport const used: Word = { text: 'used' };\nexport const unused = 'unused';\n")
        .with("tools/a.ts", &with_import("import { type Word, Size, used } from \"../lib/words\";", "[used as Word, Size.Small]"));
    let compilation = compiled(&agent);
    let code = code(&compilation, "a");
    assert!(
        code.starts_with("import { defineTool } from \"@openeve/core\";"),
        "{code}"
    );
    assert_eq!(code.matches("import ").count(), 1);
    assert!(
        code.contains("text: \"used\"") && !code.contains("unused") && !code.contains("interface")
    );
    assert!(code.contains("export { a_default as default };"));
    let manifest = compilation.manifest.unwrap();
    assert!(
        manifest.sources.contains_key("lib/words.ts"),
        "a helper is a source"
    );
}

#[test]
fn a_named_export_becomes_the_default_and_the_others_are_dropped() {
    let text = "import { defineTool } from \"@openeve/core\";\nexport const limit = 3;\nexport const tool = defineTool({ description: \"a\", inputSchema: { type: \"object\" }, execute() {} });\n";
    let compilation = compiled(&Agent::new().with("tools/a.ts", text));
    let code = code(&compilation, "a");
    assert!(
        code.contains("export { tool as default };") && !code.contains("limit"),
        "{code}"
    );
}

#[test]
fn packages_of_both_kinds_are_bundled_and_their_versions_noted() {
    let agent = Agent::new()
        .with("node_modules/old/package.json", "{ \"name\": \"old\", \"version\": \"1.2.3\", \"main\": \"./main.js\" }")
        .with("node_modules/old/main.js", "const part = require('./part');\nmodule.exports = () => part.word;\n")
        .with("node_modules/old/part.js", "exports.word = 'from commonjs';\n")
        .with("node_modules/@new/kind/package.json", "{ \"name\": \"@new/kind\", \"version\": \"4.5.6\", \"type\": \"module\", \"exports\": { \"./sub\": { \"import\": \"./sub.mjs\" } } }")
        .with("node_modules/@new/kind/sub.mjs", "export const word = process.env.NODE_ENV;\nexport const unused = 'unused';\n")
        .with("tools/a.ts", &with_import("import old from \"old\";\nimport { word } from \"@new/kind/sub\";", "old() + word"));
    let compilation = compiled(&agent);
    let code = code(&compilation, "a");
    assert!(
        code.contains("from commonjs")
            && code.contains("\"production\"")
            && !code.contains("unused"),
        "{code}"
    );
    let manifest = compilation.manifest.unwrap();
    assert_eq!(manifest.versions["old"], "1.2.3");
    assert_eq!(manifest.versions["@new/kind"], "4.5.6");
    assert!(
        manifest
            .sources
            .keys()
            .all(|path| !path.contains("node_modules"))
    );
    assert!(
        manifest.env.is_empty(),
        "NODE_ENV is replaced, not asked for"
    );
}

#[test]
fn json_and_dynamic_imports_are_bundled_too() {
    let agent = Agent::new()
        .with("lib/table.json", "{ \"answer\": 42 }")
        .with("lib/later.ts", "export const later = 'later on';")
        .with(
            "tools/a.ts",
            &with_import(
                "import table from \"../lib/table.json\";",
                "import(\"../lib/later.ts\").then(({ later }) => [later, table.answer])",
            ),
        );
    let compilation = compiled(&agent);
    let code = code(&compilation, "a");
    assert!(
        code.contains("42") && code.contains("later on") && !code.contains("import("),
        "{code}"
    );
}

#[test]
fn a_module_of_node_is_refused_with_its_importer_and_a_way_out() {
    for specifier in ["node:fs", "fs", "fs/promises", "child_process"] {
        let agent = Agent::new().with(
            "tools/a.ts",
            &with_import(&format!("import * as os from \"{specifier}\";"), "os.x"),
        );
        assert_eq!(
            agent.findings(),
            ["unresolved-import tools/a.ts:1:21"],
            "{specifier}"
        );
        let text = agent.compile().render();
        assert!(
            text.contains("a module of Node that tools do not have")
                && text.contains("help: a tool "),
            "{text}"
        );
    }
}

#[test]
fn an_import_deep_inside_is_reported_with_the_way_to_it() {
    let agent = Agent::new()
        .with(
            "node_modules/disk/package.json",
            "{ \"name\": \"disk\", \"version\": \"1.0.0\" }",
        )
        .with(
            "node_modules/disk/index.js",
            "const gone = require('gone');\nexports.read = () => gone.read;\n",
        )
        .with("lib/read.ts", "export { read } from \"disk\";\n")
        .with(
            "tools/a.ts",
            &with_import("import { read } from \"../lib/read\";", "read()"),
        );
    let text = agent.compile().render();
    assert!(
        text.contains("node_modules/disk/index.js imports \"gone\""),
        "{text}"
    );
    assert!(
        text.contains("(tools/a.ts → lib/read.ts → node_modules/disk/index.js)"),
        "{text}"
    );
    assert!(
        text.contains("--> node_modules/disk/index.js:1:22"),
        "{text}"
    );
}

#[test]
fn a_package_that_is_not_installed_is_answered_with_the_command() {
    let agent = Agent::new().with(
        "tools/a.ts",
        &with_import("import pad from \"@left/pad/now\";", "pad()"),
    );
    let shown = agent.root().display().to_string();
    assert_eq!(agent.findings(), ["unresolved-import tools/a.ts:1:17"]);
    assert!(
        agent
            .compile()
            .render()
            .contains(&format!("run npm install @left/pad in {shown}"))
    );
    let agent = agent.with(
        "package.json",
        "{ \"dependencies\": { \"@left/pad\": \"1.0.0\" } }",
    );
    assert!(
        agent
            .compile()
            .render()
            .contains(&format!("run npm install in {shown}"))
    );
}

#[test]
fn a_file_or_a_part_of_a_package_that_is_not_there_is_reported() {
    let agent = Agent::new()
        .with("node_modules/part/package.json", "{ \"name\": \"part\", \"version\": \"1.0.0\", \"exports\": { \".\": \"./index.js\" } }")
        .with("node_modules/part/index.js", "export const a = 1;")
        .with("tools/a.ts", &with_import("import b from \"../lib/b\";", "b"))
        .with("tools/c.ts", &with_import("import d from \"part/deep\";", "d"))
        .with("tools/e.ts", &with_import("import f from \"@openeve/postgres\";", "f"));
    assert_eq!(
        agent.findings(),
        [
            "unresolved-import tools/a.ts:1:15",
            "unresolved-import tools/c.ts:1:15",
            "unresolved-import tools/e.ts:1:15"
        ]
    );
    let text = agent.compile().render();
    assert!(
        text.contains("but there is no such file")
            && text.contains("which its package does not offer"),
        "{text}"
    );
    assert!(text.contains("import from \"@openeve/core\""), "{text}");
}

#[test]
fn an_optional_require_may_be_absent() {
    let agent = Agent::new()
        .with("node_modules/maybe/package.json", "{ \"name\": \"maybe\", \"version\": \"1.0.0\" }")
        .with("node_modules/maybe/index.js", "let fast;\ntry { fast = require('native-addon'); } catch { fast = 'slow'; }\nmodule.exports = fast;\n")
        .with("tools/a.ts", &with_import("import maybe from \"maybe\";", "maybe"));
    compiled(&agent);
}

#[test]
fn a_name_that_a_module_does_not_export_is_reported() {
    let agent = Agent::new()
        .with("lib/b.ts", "export const right = 1;")
        .with(
            "tools/a.ts",
            &with_import("import { wrong } from \"../lib/b\";", "wrong"),
        );
    assert_eq!(agent.findings(), ["missing-export tools/a.ts:1:10"]);
}

#[test]
fn a_syntax_error_in_a_helper_or_a_package_points_at_its_place() {
    let agent = Agent::new()
        .with("lib/b.ts", "export const a = 1;\nexport const b = ;\n")
        .with(
            "node_modules/bad/package.json",
            "{ \"name\": \"bad\", \"version\": \"1.0.0\" }",
        )
        .with("node_modules/bad/index.js", "module.exports = {;\n")
        .with("lib/c.json", "{ \"a\": }")
        .with(
            "tools/a.ts",
            &with_import("import { b } from \"../lib/b\";", "b"),
        )
        .with(
            "tools/b.ts",
            &with_import("import bad from \"bad\";", "bad"),
        )
        .with(
            "tools/c.ts",
            &with_import("import c from \"../lib/c.json\";", "c"),
        );
    let found = agent.findings();
    assert!(
        found.contains(&"syntax-error lib/b.ts:2:18".to_owned()),
        "{found:?}"
    );
    assert!(
        found.contains(&"syntax-error node_modules/bad/index.js:1:19".to_owned()),
        "{found:?}"
    );
    assert!(
        found
            .iter()
            .any(|found| found == "syntax-error lib/c.json:1:8"),
        "{found:?}"
    );
    let text = agent.compile().render();
    assert!(
        !text.contains('╭') && !text.contains(&*agent.root().to_string_lossy()),
        "{text}"
    );
}

#[test]
fn the_variables_that_tools_and_their_helpers_read_are_asked_for() {
    let agent = Agent::new()
        .with(
            "lib/b.ts",
            "export const key = () => process.env.SERVICE_KEY;",
        )
        .with(
            "tools/a.ts",
            &with_import(
                "import { key } from \"../lib/b\";",
                "key() + process.env.OTHER",
            ),
        );
    let compilation = compiled(&agent);
    assert_eq!(compilation.manifest.unwrap().env, ["OTHER", "SERVICE_KEY"]);
    assert_eq!(compilation.env["SERVICE_KEY"], ["lib/b.ts"]);
}

#[test]
fn a_failure_without_a_code_of_its_own_is_told_in_one_line_with_its_place() {
    let agent = Agent::new()
        .with(
            "node_modules/old/package.json",
            "{ \"name\": \"old\", \"version\": \"1.0.0\" }",
        )
        .with(
            "node_modules/old/index.js",
            "module.exports = require('./later.mjs');\n",
        )
        .with(
            "node_modules/old/later.mjs",
            "export const later = await 1;\n",
        )
        .with(
            "tools/a.ts",
            &with_import("import old from \"old\";", "old"),
        );
    let text = agent.compile().render();
    assert!(
        text.starts_with("error[bundle-failed]: node_modules/old/"),
        "{text}"
    );
    assert!(!text.contains(&*agent.root().to_string_lossy()), "{text}");
}
