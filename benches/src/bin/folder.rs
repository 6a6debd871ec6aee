//! What an author waits for: a build of a large folder, and a reload after one change of a file.
//!
//! `folder [BINARY]` measures the `openeve` that is named, by default the one that
//! `cargo build --profile bench --bin openeve` makes. The folder of 2,000 files is made anew: tools
//! that each import a helper of their own, and skills.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark prints and fails loudly"
)]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use openeve_benches::{machine, median, wall};
use openeve_tests::paths::repository;

/// Tools of the large folder, each with a helper; with its skills, instructions and agent it has
/// 2,000 files.
const TOOLS: usize = 950;
/// Skills of the large folder.
const SKILLS: usize = 98;
/// Builds for the median.
const BUILDS: usize = 5;
/// Changes for the median.
const CHANGES: usize = 31;

fn main() {
    let named = std::env::args().nth(1).map(PathBuf::from);
    let openeve = named.unwrap_or_else(|| repository().join("target/release/openeve"));
    println!("{}", machine());
    println!("{}\n", openeve.display());
    let temporary = tempfile::tempdir().unwrap();
    let large = temporary.path().join("large");
    make(&large, TOOLS, SKILLS);
    let small = temporary.path().join("small");
    make(&small, 3, 1);
    println!("| folder | files | build ms | reload after one change: median ms | slowest ms |");
    println!("|---|--:|--:|--:|--:|");
    for folder in [&small, &large] {
        let build: Vec<Duration> = (0..BUILDS).map(|_| built(&openeve, folder)).collect();
        let reloads = reloads(&openeve, folder);
        println!(
            "| {} | {} | {} | {} | {} |",
            folder.file_name().unwrap().display(),
            files(folder),
            median(&build).as_millis(),
            median(&reloads).as_millis(),
            reloads.iter().max().unwrap().as_millis(),
        );
    }
}

fn make(folder: &Path, tools: usize, skills: usize) {
    let write = |path: String, text: String| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("instructions.md".to_owned(), "You greet people.".to_owned());
    write(
        "agent.ts".to_owned(),
        "import { defineAgent } from \"@openeve/core\";\nexport default defineAgent({ id: \"measured\", model: \"openai/gpt-5-mini\" });\n".to_owned(),
    );
    for number in 0..tools {
        write(format!("tools/t{number}.ts"), tool(number, "hello"));
        write(
            format!("lib/l{number}.ts"),
            format!(
                "export type Name = string;\nexport const greet = (name: Name): string => `${{name}} and ${{{number}}}`;\nexport function unused(x: number): number {{ return x * {number}; }}\n"
            ),
        );
    }
    for number in 0..skills {
        write(
            format!("skills/s{number}/SKILL.md"),
            format!(
                "---\nname: s{number}\ndescription: Knows about {number}.\n---\n# Skill\nText.\n"
            ),
        );
    }
}

fn tool(number: usize, word: &str) -> String {
    format!(
        r#"import {{ defineTool }} from "@openeve/core";
import {{ greet }} from "../lib/l{number}";

interface Given {{ name: string; times?: number }}

export default defineTool({{
  description: "Greets a person as often as asked, with {word}.",
  inputSchema: {{
    type: "object",
    properties: {{ name: {{ type: "string", description: "whom" }}, times: {{ type: "integer", minimum: 1, maximum: 1_000 }} }},
    required: ["name"],
    additionalProperties: false,
  }},
  async execute(input: Given, ctx) {{
    const lines: string[] = [];
    for (let at = 0; at < (input.times ?? 1); at += 1) lines.push(greet(input.name));
    await ctx.emit("greeted", {{ count: lines.length }});
    return {{ lines }};
  }},
}});
"#
    )
}

fn files(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap().flatten();
    entries
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        .map(|entry| match entry.path() {
            path if path.is_dir() => files(&path),
            _ => 1,
        })
        .sum()
}

fn built(openeve: &Path, folder: &Path) -> Duration {
    drop(fs::remove_dir_all(folder.join(".openeve")));
    let begun = wall();
    let status = Command::new(openeve)
        .arg("build")
        .arg(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.unwrap().success());
    wall().saturating_sub(begun)
}

/// From the write of a file to the line that says that its revision runs.
fn reloads(openeve: &Path, folder: &Path) -> Vec<Duration> {
    let mut dev = Dev(Command::new(openeve)
        .arg("dev")
        .arg(folder)
        .args(["--port", "0"])
        .env_remove("DATABASE_URL")
        .env_remove("OPENEVE_MODEL_API_KEY")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap());
    let mut lines = BufReader::new(dev.0.stderr.take().unwrap()).lines();
    let mut until = |mark: &str| {
        lines
            .find(|line| line.as_ref().is_ok_and(|line| line.contains(mark)))
            .expect("dev says what it does")
            .unwrap()
    };
    until("is up at");
    // It watches from a moment after that line on, and says nothing of it.
    std::thread::sleep(Duration::from_secs(1));
    (0..CHANGES)
        .map(|change| {
            let file = folder.join("tools/t1.ts");
            let begun = wall();
            fs::write(file, tool(1, &format!("word {change}"))).unwrap();
            until("reloaded:");
            wall().saturating_sub(begun)
        })
        .collect()
}

struct Dev(Child);

impl Drop for Dev {
    fn drop(&mut self) {
        // So that it ends its Postgres, too.
        drop(Command::new("kill").arg(self.0.id().to_string()).status());
        drop(self.0.wait());
    }
}
