//! A compiler that remembers says what one that does not would say.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use super::{Agent, Engine};
use crate::{Compilation, Compiler, SchemaEvaluator, compile_with};

const TOOL: &str = r#"
import { defineTool } from "@openeve/core";
import { word } from "../lib/word";
import { other } from "thing";
export default defineTool({
  description: "Says a word.",
  inputSchema: made({ word: "string" }),
  async execute() { return word + other; },
});
function made(shape: object) {
  return { "~standard": { version: 1, vendor: "x", validate: (value: unknown) => ({ value }), jsonSchema: { input: () => ({ type: "object", title: title }) } } };
}
const title = "one";
"#;

fn agent() -> Agent {
    Agent::new()
        .with("tools/say.ts", TOOL)
        .with("lib/word.ts", "export const word: string = 'a';")
        .with(
            "node_modules/thing/package.json",
            r#"{"name":"thing","version":"1.0.0","main":"a.js"}"#,
        )
        .with("node_modules/thing/a.js", "export const other = 'a';")
        .with("node_modules/thing/b.js", "export const other = 'b';")
}

/// How often schemas were evaluated.
#[derive(Default)]
struct Counting(AtomicUsize);

impl SchemaEvaluator for Counting {
    fn evaluate(&self, module: &str) -> Result<Value, String> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Engine.evaluate(module)
    }
}

fn said(compilation: &Compilation) -> (String, Vec<crate::Module>, Option<String>) {
    let manifest = compilation.manifest.as_ref();
    let manifest = manifest.map(|manifest| serde_json::to_string(manifest).unwrap());
    (compilation.render(), compilation.modules.clone(), manifest)
}

#[test]
fn compiling_again_after_any_change_gives_what_a_new_compiler_gives() {
    let agent = agent();
    let root = agent.root().to_owned();
    let compiler = Compiler::default();
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let changes: [(&str, &dyn Fn()); 12] = [
        ("nothing", &|| {}),
        ("a helper", &|| {
            write("lib/word.ts", "export const word = 'b';");
        }),
        ("the tool", &|| {
            write("tools/say.ts", &TOOL.replace("a word", "one word"));
        }),
        ("the schema", &|| {
            write("tools/say.ts", &TOOL.replace("\"one\"", "\"two\""));
        }),
        ("another tool", &|| write("tools/more.ts", TOOL)),
        ("a tool less", &|| {
            fs::remove_file(root.join("tools/more.ts")).unwrap();
        }),
        ("a package's file", &|| {
            write("node_modules/thing/a.js", "export const other = 'longer';");
        }),
        ("a package's version and entry", &|| {
            let json = r#"{"name":"thing","version":"1.0.1","main":"b.js"}"#;
            write("node_modules/thing/package.json", json);
        }),
        ("a package that is nearer", &|| {
            write(
                "tools/node_modules/thing/package.json",
                r#"{"name":"thing","version":"2.0.0"}"#,
            );
            write(
                "tools/node_modules/thing/index.js",
                "export const other = 'near';",
            );
        }),
        ("a helper that is gone", &|| {
            fs::remove_file(root.join("lib/word.ts")).unwrap();
        }),
        ("a helper of another form", &|| {
            write("lib/word/index.ts", "export const word = 'c';");
        }),
        ("a helper that stands before it", &|| {
            write("lib/word.js", "export const word = 'd';");
        }),
    ];
    for (what, change) in changes {
        // Until what is there is old enough to be kept.
        for _ in 0..8 {
            compiler.compile(&root, Some(&Engine));
        }
        change();
        let again = compiler.compile(&root, Some(&Engine));
        let new = compile_with(&root, Some(&Engine));
        assert_eq!(said(&again), said(&new), "after {what}");
    }
}

#[test]
fn a_schema_that_has_not_changed_is_not_evaluated_again() {
    let agent = agent();
    let (compiler, counting) = (Compiler::default(), Counting::default());
    let evaluated = || {
        let compilation = compiler.compile(agent.root(), Some(&counting));
        assert!(compilation.is_ok(), "{}", compilation.render());
        counting.0.load(Ordering::Relaxed)
    };
    // What has just been written is not kept before the file system's clock has moved on.
    let settled = || (0..10_000).any(|_| evaluated() == evaluated());
    assert!(settled());
    let before = evaluated();
    fs::write(agent.root().join("instructions.md"), "Be kind.").unwrap();
    assert_eq!(evaluated(), before);
    let changed = TOOL.replace("\"one\"", "\"two\"");
    fs::write(agent.root().join("tools/say.ts"), changed).unwrap();
    assert_eq!(evaluated(), before + 1);
    assert!(settled());
}

#[test]
fn a_name_for_a_path_that_leads_elsewhere_makes_another_bundle() {
    let paths = |folder: &str| {
        format!("{{ \"compilerOptions\": {{ \"paths\": {{ \"@/*\": [\"./{folder}/*\"] }} }} }}")
    };
    let agent = agent()
        .with("tsconfig.json", &paths("lib"))
        .with("src/word.ts", "export const word: string = 'elsewhere';")
        .with("tools/say.ts", &TOOL.replace("../lib/word", "@/word"));
    let compiler = Compiler::default();
    for _ in 0..8 {
        compiler.compile(agent.root(), Some(&Engine));
    }
    fs::write(agent.root().join("tsconfig.json"), paths("src")).unwrap();
    let again = compiler.compile(agent.root(), Some(&Engine));
    let new = compile_with(agent.root(), Some(&Engine));
    assert_eq!(said(&again), said(&new));
    assert!(again.modules[0].code.contains("elsewhere"));
}
