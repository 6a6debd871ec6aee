//! Whole folders through all stages, in temporary directories.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::{Compilation, SchemaEvaluator, compile, compile_with};

mod again;
mod approval;
mod artifact;
mod bundling;
mod configuration;
mod contract;
mod folders;
mod imports;
mod names;
mod neighbours;
mod node;
mod parts;
mod schemas;
mod skills;
mod subagents;

/// An agent folder that a test writes.
pub(crate) struct Agent {
    _temporary: TempDir,
    root: PathBuf,
}

impl Agent {
    /// The least that compiles.
    pub(crate) fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().join("helper");
        fs::create_dir(&root).unwrap();
        let agent = Self {
            _temporary: temporary,
            root,
        };
        agent.with("instructions.md", "Be kind.").with(
            "agent.ts",
            "import { defineAgent } from \"@openeve/core\";\nexport default defineAgent({ model: \"openai/gpt-5.4-mini\" });\n",
        )
    }

    /// Writes a file.
    pub(crate) fn with(self, path: &str, text: &str) -> Self {
        let target = self.root.join(path);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::write(target, text).unwrap();
        self
    }

    /// Writes `agent.ts` with these keys.
    pub(crate) fn agent(self, keys: &str) -> Self {
        let text = format!(
            "import {{ defineAgent }} from \"@openeve/core\";\nexport default defineAgent({{\n{keys}\n}});\n"
        );
        self.with("agent.ts", &text)
    }

    /// Writes a tool that has everything a tool needs, and these keys besides.
    pub(crate) fn tool(self, name: &str, keys: &str) -> Self {
        let text = format!(
            "import {{ defineTool }} from \"@openeve/core\";\nexport default defineTool({{\n{keys}\n  description: \"Echo.\",\n  inputSchema: {{ type: \"object\" }},\n  async execute(input: {{ text: string }}, ctx) {{ return input.text; }},\n}});\n"
        );
        self.with(&format!("tools/{name}.ts"), &text)
    }

    /// Writes a channel with these keys.
    pub(crate) fn channel(self, name: &str, keys: &str) -> Self {
        let text = format!(
            "import {{ bearer, defineChannel, env }} from \"@openeve/core\";\nexport default defineChannel({{\n{keys}\n}});\n"
        );
        self.with(&format!("channels/{name}.ts"), &text)
    }

    /// Writes a schedule with these keys.
    pub(crate) fn schedule(self, name: &str, keys: &str) -> Self {
        let text = format!(
            "import {{ defineSchedule }} from \"@openeve/core\";\nexport default defineSchedule({{\n{keys}\n}});\n"
        );
        self.with(&format!("schedules/{name}.ts"), &text)
    }

    /// Writes a gateway with these keys.
    pub(crate) fn gateway(self, keys: &str) -> Self {
        let text = format!(
            "import {{ adapter, defineGateway, env }} from \"@openeve/core\";\nimport {{ railwayDeploy, neonPostgres, r2Blob, dockerSandbox }} from \"@openeve/providers\";\nexport default defineGateway({{\n{keys}\n}});\n"
        );
        self.with("gateway.ts", &text)
    }

    pub(crate) fn without(self, path: &str) -> Self {
        fs::remove_file(self.root.join(path)).unwrap();
        self
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Compiles the folder.
    pub(crate) fn compile(&self) -> Compilation {
        compile(&self.root)
    }

    /// The same, with schemas evaluated by the real engine.
    pub(crate) fn compile_with_schemas(&self) -> Compilation {
        compile_with(&self.root, Some(&Engine))
    }

    /// Every finding as `code file:line:col`.
    pub(crate) fn findings(&self) -> Vec<String> {
        self.compile()
            .diagnostics
            .iter()
            .map(|found| format!("{} {}", found.code, found.place().unwrap_or_default()))
            .collect()
    }
}

/// The engine that tools run in.
pub(crate) struct Engine;

impl SchemaEvaluator for Engine {
    fn evaluate(&self, module: &str) -> Result<serde_json::Value, String> {
        openeve_script::schema::evaluate(module).map_err(|error| error.to_string())
    }
}

/// The same with schemas evaluated.
#[track_caller]
pub(crate) fn compiled_with_schemas(agent: &Agent) -> Compilation {
    let compilation = agent.compile_with_schemas();
    assert!(compilation.is_ok(), "{}", compilation.render());
    compilation
}

/// Compiles a folder that has no errors.
#[track_caller]
pub(crate) fn compiled(agent: &Agent) -> Compilation {
    let compilation = agent.compile();
    assert!(compilation.is_ok(), "{}", compilation.render());
    compilation
}

#[tokio::test]
async fn compiling_works_inside_of_a_runtime() {
    let agent = Agent::new();
    assert!(agent.compile().is_ok());
}
