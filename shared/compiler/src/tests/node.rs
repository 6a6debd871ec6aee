//! Imports of Node's built-in modules: what stays an import, what is refused, what stands in.

use std::path::Path;

use openeve_domain::node::{BUILTINS, Support};
use serde_json::{Value, json};

use super::{Agent, compiled, compiled_with_schemas};
use crate::Compilation;

fn tool(imports: &str, body: &str) -> String {
    format!(
        "import {{ defineTool }} from \"@openeve/core\";\n{imports}\nexport default defineTool({{ description: \"x\", inputSchema: {{ type: \"object\" }}, execute: async () => {{ {body} }} }});\n"
    )
}

/// A package whose main file has this text.
fn package(agent: Agent, name: &str, text: &str) -> Agent {
    let json = format!("{{ \"name\": \"{name}\", \"version\": \"1.0.0\" }}");
    agent
        .with(&format!("node_modules/{name}/package.json"), &json)
        .with(&format!("node_modules/{name}/index.js"), text)
}

fn code(compilation: &Compilation) -> &str {
    let path = "server/modules/tools/a.js";
    let module = compilation
        .modules
        .iter()
        .find(|module| module.path == path);
    &module.unwrap().code
}

/// What the bundled tool returns in the engine, which here has no clock, no timers and no chance.
fn returned(compilation: &Compilation) -> Value {
    let code = code(compilation);
    let (name, _) = code.split_once(" as default };").unwrap();
    let (_, name) = name.rsplit_once(' ').unwrap();
    let exported = format!("{name} as default }};");
    let called = format!("{name} }};\nexport default {{ returned: await {name}.execute({{}}) }};");
    let module = code.replace(&exported, &called);
    openeve_script::schema::evaluate(&module).unwrap()["returned"].clone()
}

#[test]
fn every_form_of_an_import_leads_to_the_one_module() {
    let old = "
        const { createHash } = require('node:crypto');
        const EventEmitter = require('events');
        class Own extends EventEmitter {}
        exports.all = () => [createHash('md5').update('a').digest('hex'), require('util').inspect({ a: 1 }), new Own() instanceof EventEmitter,
          require('crypto') === require('node:crypto'), typeof require('assert')];
        exports.crypto = require('crypto');";
    let agent = package(Agent::new(), "old", old).with(
        "tools/a.ts",
        &tool(
            "import crypto, { createHash as hash } from \"crypto\";\nimport * as path from \"node:path\";\nimport { join } from \"path\";\nimport old from \"old\";\nexport { sep } from \"node:path\";",
            "const { default: os } = await import(\"os\"); return [old.all(), hash === crypto.createHash, path.join === join, path.default.join === join, old.crypto === crypto, os.EOL];",
        ),
    );
    let compilation = compiled(&agent);
    assert_eq!(
        returned(&compilation),
        json!([
            [
                "0cc175b9c0f1b6a831c399e269772661",
                "{ a: 1 }",
                true,
                true,
                "function"
            ],
            true,
            true,
            true,
            true,
            "\n"
        ])
    );
    let code = code(&compilation);
    assert!(
        code.contains("from \"node:crypto\"") && !code.contains("from \"crypto\""),
        "{code}"
    );
    assert!(!code.contains("require(\"crypto\")"), "{code}");
}

#[test]
fn a_module_of_which_nothing_is_used_is_not_imported() {
    let agent = Agent::new().with(
        "tools/a.ts",
        &tool(
            "import crypto from \"node:crypto\";\nimport \"node:util\";",
            "return typeof 1;",
        ),
    );
    let compilation = compiled(&agent);
    assert!(
        !code(&compilation).contains("node:crypto"),
        "{}",
        code(&compilation)
    );
}

#[test]
fn an_authors_own_import_of_what_tools_lack_is_refused_with_what_to_use_instead() {
    for found in BUILTINS {
        let Support::Refused(instead) = found.support else {
            continue;
        };
        let imports = format!("import * as it from \"node:{}\";", found.name);
        let agent = Agent::new().with("tools/a.ts", &tool(&imports, "return it;"));
        let text = agent.compile().render();
        assert!(
            text.starts_with("error[unresolved-import]: tools/a.ts imports"),
            "{text}"
        );
        assert!(text.contains(instead), "{text}");
    }
}

#[test]
fn a_package_that_mentions_what_tools_lack_builds_with_a_warning_and_throws_when_it_is_used() {
    let disk = "
        import fs, { readFileSync } from 'fs';
        import http from 'node:http';
        class Agent extends http.Agent {}
        const cache = fs.constants.F_OK;
        export const read = (path) => readFileSync(path);
        export const agent = () => typeof new Agent();
        export const exists = (path) => fs.existsSync(path);";
    let sock = "const net = require('net'); exports.open = () => net.createConnection(1);\nexports.ok = 'fine';";
    let agent = package(package(Agent::new(), "disk", disk), "sock", sock);
    let agent = agent.with("node_modules/disk/package.json", "{ \"name\": \"disk\", \"version\": \"1.0.0\", \"type\": \"module\", \"main\": \"index.js\" }")
        .with("tools/a.ts", &tool(
            "import { read, agent, exists } from \"disk\";\nimport sock from \"sock\";",
            "const said: string[] = []; for (const call of [() => read(\"/x\"), () => sock.open()]) { try { call(); } catch (error: any) { said.push(error.message); } } return [sock.ok, agent(), exists(\"/x\"), said];",
        ));
    let compilation = compiled(&agent);
    let places: Vec<String> = compilation
        .diagnostics
        .iter()
        .map(|found| format!("{} {}", found.code, found.place().unwrap_or_default()))
        .collect();
    assert_eq!(
        places,
        [
            "absent-builtin node_modules/disk/index.js:2:42",
            "absent-builtin node_modules/disk/index.js:3:26",
            "absent-builtin node_modules/sock/index.js:1:21"
        ]
    );
    let text = compilation.render();
    assert!(
        text.contains("the package disk imports \"fs\", a module of Node that tools do not have"),
        "{text}"
    );
    assert!(
        text.contains("if the tool needs that part of the package, a tool has no files"),
        "{text}"
    );
    assert_eq!(
        returned(&compilation),
        json!([
            "fine",
            "object",
            false,
            [
                "node:fs.readFileSync is not available in tools (imported by disk)",
                "node:net.createConnection is not available in tools (imported by sock)"
            ]
        ])
    );
}

#[test]
fn a_package_that_guards_its_require_gets_its_fallback_and_no_warning() {
    let text =
        "let fs; try { fs = require('fs'); } catch { fs = 'none'; }\nmodule.exports = () => fs;";
    let agent = package(Agent::new(), "careful", text).with(
        "tools/a.ts",
        &tool("import careful from \"careful\";", "return careful();"),
    );
    let compilation = compiled(&agent);
    assert!(
        compilation.diagnostics.is_empty(),
        "{}",
        compilation.render()
    );
    assert_eq!(returned(&compilation), json!("none"));
}

#[test]
fn the_browser_field_of_a_package_goes_first_and_a_package_of_a_modules_name_does_not() {
    let agent = package(Agent::new(), "both", "module.exports = [typeof require('fs').readFileSync, require('crypto').own, require('util').own];")
        .with("node_modules/both/package.json", "{ \"name\": \"both\", \"version\": \"1.0.0\", \"browser\": { \"fs\": false, \"crypto\": \"./own.js\" } }")
        .with("node_modules/both/own.js", "exports.own = 'mine';");
    // As Node does, the built-in module goes before a package of its name.
    let agent = package(agent, "util", "exports.own = 'package';").with(
        "tools/a.ts",
        &tool(
            "import both from \"both\";",
            "return both.map((one: unknown) => one ?? null);",
        ),
    );
    let compilation = compiled(&agent);
    assert!(
        compilation.diagnostics.is_empty(),
        "{}",
        compilation.render()
    );
    assert_eq!(returned(&compilation), json!(["undefined", "mine", null]));
}

#[test]
fn a_package_that_looks_where_it_lies_is_told_a_place_that_is_no_machines() {
    let old = "const path = require('path'); exports.at = [path.join(__dirname, 'x'), __filename];";
    let agent = package(Agent::new(), "old", old)
        .with("node_modules/new/package.json", "{ \"name\": \"new\", \"version\": \"1.0.0\", \"type\": \"module\", \"main\": \"index.js\" }")
        .with("node_modules/new/index.js", "export const where = import.meta.url;")
        .with("tools/a.ts", &tool("import { at } from \"old\";\nimport { where } from \"new\";", "const __dirname = \"own\"; return [...at, where, __dirname];"));
    let compilation = compiled(&agent);
    assert_eq!(
        returned(&compilation),
        json!(["/x", "/tool.js", "file:///tool.js", "own"])
    );
}

#[test]
fn a_schema_is_read_beside_a_package_that_wants_nodes_globals() {
    let text = "const { Buffer } = require('buffer'); const major = process.version.slice(1).split('.')[0];\nmodule.exports = { n: Buffer.from('ab').length, major, hash: require('crypto').createHash('md5').update('a').digest('hex').length, g: typeof global.Buffer };";
    let agent = package(Agent::new(), "eager", text)
        .with("lib/mini.ts", "import eager from \"eager\";\nexport const object = () => ({ type: \"object\", title: JSON.stringify(eager) });")
        .with("tools/a.ts", "import { defineTool } from \"@openeve/core\";\nimport { object } from \"../lib/mini\";\nexport default defineTool({ description: \"x\", inputSchema: object(), execute: () => 1 });\n");
    let compilation = compiled_with_schemas(&agent);
    let manifest = compilation.manifest.unwrap();
    assert_eq!(
        manifest.tool("a").unwrap().input_schema["title"],
        r#"{"n":2,"major":"20","hash":32,"g":"function"}"#
    );
}

#[test]
fn the_page_has_every_module_once_with_what_tools_have_of_it() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/node.md");
    let page = std::fs::read_to_string(path).unwrap();
    let rows: Vec<(String, String)> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `node:")?.split_once("` | "))
        .map(|(name, rest)| (name.to_owned(), rest.to_owned()))
        .collect();
    let names: Vec<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        BUILTINS.iter().map(|found| found.name).collect::<Vec<_>>()
    );
    for (found, (name, rest)) in BUILTINS.iter().zip(&rows) {
        match found.support {
            Support::Offered => assert!(
                rest.starts_with("yes |") || rest.starts_with("in part |"),
                "{name}: {rest}"
            ),
            Support::Refused(instead) => {
                assert!(
                    rest.starts_with("no |") && rest.contains(instead),
                    "{name}: {rest}"
                );
            }
        }
    }
}
