//! Feeds the compiler broken folders until the time is over: no panic, no hang, bounded memory.
//!
//! Each folder begins as a case of `docs/agent-folder.md` or as the example; some of its files are
//! then cut, doubled, swapped, nested or strewn with pieces of TypeScript. What comes of it is a pure
//! function of the seed, so a finding is repeated with `--seed N --count 1`.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a tool of the tests prints, measures real time and fails loudly"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use openeve_compiler::SchemaEvaluator;

/// The engine that tools run in.
struct Engine;

impl SchemaEvaluator for Engine {
    fn evaluate(&self, module: &str) -> Result<serde_json::Value, String> {
        openeve_script::schema::evaluate(module).map_err(|error| error.to_string())
    }
}

/// A folder that takes longer hangs.
const HANGS_AFTER: Duration = Duration::from_secs(20);
/// The most that the process may hold resident, in KiB.
const RESIDENT_KIB_MAX: u64 = 1_500_000;
/// A tool whose schema is made by code, which runs.
const MADE: &str = r#"
import { defineTool } from "@openeve/core";
const parts = ["a", "b"].map((name) => [name, { type: "string", description: `the ${name}` }]);
function made(shape: object) {
  return { "~standard": { version: 1, vendor: "x", validate: (value: unknown) => ({ value }), jsonSchema: { input: () => shape } } };
}
export default defineTool({
  description: "Says what it was given.",
  inputSchema: made({ type: "object", properties: Object.fromEntries(parts), required: ["a"] }),
  async execute(input) { return input; },
});
"#;
/// Pieces that are strewn in.
const PIECES: [&str; 40] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "`",
    "${",
    "\"",
    "'",
    "/*",
    "//",
    "...",
    "=>",
    "?.",
    "as const",
    "satisfies X",
    "export default ",
    "import x from './x';",
    "const a = a;",
    "enum E { A = E.A }",
    "await ",
    "async ",
    "class ",
    "\u{0}",
    "\u{2028}",
    "\u{1f980}",
    "1e999",
    "0x",
    "1_000",
    "-",
    "+",
    "env(\"\")",
    "approvalRequired(",
    "undefined",
    ";",
    "<T>",
    "@x ",
    "#!x",
    "<div/>",
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut minutes, mut seed, mut count) = (10, 1, u64::MAX);
    while let Some(name) = arguments.next() {
        let value = arguments
            .next()
            .and_then(|value| value.parse().ok())
            .expect("a number");
        match name.as_str() {
            "--minutes" => minutes = value,
            "--seed" => seed = value,
            "--count" => count = value,
            _ => panic!("usage: mutate [--minutes N] [--seed N] [--count N]"),
        }
    }
    let folders = seeds();
    let current = Arc::new(AtomicU64::new(seed));
    watch(Arc::clone(&current));
    let (begun, mut done, mut built, mut panicked) = (Instant::now(), 0_u64, 0_u64, 0_u64);
    let mut slowest = (Duration::ZERO, 0);
    while done < count && begun.elapsed() < Duration::from_secs(60 * minutes) {
        current.store(seed, Ordering::Relaxed);
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &mutated(&folders, seed));
        let at = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            openeve_compiler::compile_with(folder.path(), Some(&Engine))
        }));
        if at.elapsed() > slowest.0 {
            slowest = (at.elapsed(), seed);
        }
        if let Ok(compilation) = outcome {
            built += u64::from(compilation.is_ok());
            // Whatever is found can be shown.
            let _ = compilation.render().len() + compilation.sarif().to_string().len();
        } else {
            panicked += 1;
            println!("seed {seed} panicked");
        }
        (done, seed) = (done + 1, seed + 1);
    }
    let resident = resident_kib();
    println!(
        "{done} folders in {:.0} s: {built} built, {} refused, {panicked} panicked; slowest {:.2} s (seed {}); at most {} MB resident",
        begun.elapsed().as_secs_f64(),
        done - built - panicked,
        slowest.0.as_secs_f64(),
        slowest.1,
        resident / 1_024
    );
    std::process::exit(i32::from(panicked > 0 || resident > RESIDENT_KIB_MAX));
}

/// Ends the process when one folder takes too long.
fn watch(current: Arc<AtomicU64>) {
    std::thread::spawn(move || {
        let mut last = (u64::MAX, Instant::now());
        loop {
            std::thread::sleep(Duration::from_millis(500));
            let seed = current.load(Ordering::Relaxed);
            if seed != last.0 {
                last = (seed, Instant::now());
            } else if last.1.elapsed() > HANGS_AFTER {
                println!("seed {seed} hangs");
                std::process::exit(1);
            }
        }
    });
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

type Files = Vec<(String, String)>;

/// The folders that everything begins with.
fn seeds() -> Vec<Files> {
    let page = std::fs::read_to_string(repository().join("docs/agent-folder.md")).unwrap();
    let mut folders: Vec<Files> = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("### ") {
            folders.push(plain());
        } else if let Some((_, path)) = line
            .strip_prefix("```")
            .and_then(|info| info.split_once(' '))
            && path.contains('.')
            && let Some(files) = folders.last_mut()
        {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            files.retain(|(known, _)| known != path);
            files.push((path.to_owned(), text.join("\n")));
        }
    }
    let mut made = plain();
    made.push(("tools/made.ts".to_owned(), MADE.to_owned()));
    for _ in 0..folders.len() / 8 {
        folders.push(made.clone());
    }
    let mut example = Files::new();
    gather(&repository().join("examples/concierge"), "", &mut example);
    for _ in 0..folders.len() / 4 {
        folders.push(example.clone());
    }
    folders
}

fn plain() -> Files {
    let agent = "import { defineAgent } from \"@openeve/core\";\nexport default defineAgent({ model: \"openai/gpt-5.4-mini\" });\n";
    let files = [("instructions.md", "Be kind."), ("agent.ts", agent)];
    files
        .map(|(path, text)| (path.to_owned(), text.to_owned()))
        .into()
}

fn gather(folder: &Path, base: &str, files: &mut Files) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        let path = format!("{base}{name}");
        if entry.path().is_dir() && !name.starts_with('.') && name != "node_modules" {
            gather(&entry.path(), &format!("{path}/"), files);
        } else if let Ok(text) = std::fs::read_to_string(entry.path()) {
            files.push((path, text));
        }
    }
}

fn write(folder: &Path, files: &Files) {
    for (path, text) in files {
        let target = folder.join(path);
        // A mutated name may be no path.
        if target
            .parent()
            .is_some_and(|parent| std::fs::create_dir_all(parent).is_ok())
        {
            std::fs::write(target, text).ok();
        }
    }
}

/// A seed's folder.
fn mutated(folders: &[Files], seed: u64) -> Files {
    let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut files = folders[chance.below(folders.len())].clone();
    for _ in 0..=chance.below(3) {
        let at = chance.below(files.len());
        for _ in 0..=chance.below(4) {
            files[at].1 = mutate(&files[at].1, &mut chance);
        }
    }
    files
}

fn mutate(text: &str, chance: &mut Chance) -> String {
    let letters: Vec<char> = text.chars().collect();
    let (mut from, mut to) = (
        chance.below(letters.len() + 1),
        chance.below(letters.len() + 1),
    );
    if from > to {
        std::mem::swap(&mut from, &mut to);
    }
    let (before, middle, after) = (&letters[..from], &letters[from..to], &letters[to..]);
    let text = |parts: &[&[char]]| parts.iter().copied().flatten().collect::<String>();
    let piece: Vec<char> = PIECES[chance.below(PIECES.len())].chars().collect();
    match chance.below(8) {
        0 => text(&[before, after]),
        1 => text(&[before, middle, middle, after]),
        2 => text(&[middle, before, after]),
        3 => text(&[before]),
        4 | 5 => text(&[before, &piece, middle, after]),
        6 => {
            let deep = piece.repeat(1 << chance.below(17));
            text(&[before, &deep, after])
        }
        _ => {
            let (open, close) = [
                ("(", ")"),
                ("[", "]"),
                ("{a:", "}"),
                ("`${", "}`"),
                ("-", ""),
                ("f(", ")"),
                ("async()=>", ""),
            ][chance.below(7)];
            let depth = 1 << chance.below(16);
            let (open, close) = (open.repeat(depth), close.repeat(depth));
            let (open, close): (Vec<char>, Vec<char>) =
                (open.chars().collect(), close.chars().collect());
            text(&[before, &open, &piece, &close, after])
        }
    }
}

/// Xorshift: what a seed gives never changes.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(bound.max(1)).unwrap()).unwrap()
    }
}

/// The most that this process held, in KiB.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or_default()
}
