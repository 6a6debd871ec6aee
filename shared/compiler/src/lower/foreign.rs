//! What an author writes into `agent.ts` that belongs elsewhere [A2.04]: tools, secrets, databases,
//! providers of deploys and blob stores. Each is answered with its place.

use super::fields::{Fields, Reader};
use crate::diagnostic::Code;

const TOOLS: &str = "a tool is a file of its own: tools/<name>.ts with defineTool";
const TEXT: &str = "write it in instructions.md, beside agent.ts";
const SECRET: &str = "a secret never stands in the folder: set it in the environment, and name it with env(\"NAME\") in the file that needs it";
const DATABASE: &str = "gateway.ts says where state lives: state: adapter(\"postgres\"); its URL is in the environment, as DATABASE_URL";
const BLOBS: &str = "gateway.ts says where large things live: blob: adapter(\"s3\")";
const DEPLOY: &str = "gateway.ts says where the agent is deployed: deploy: adapter(\"lambda\")";
const RUNTIME: &str = "gateway.ts says what runs it, slot by slot";
const SANDBOX: &str = "sandbox.ts describes the agent's computer, and gateway.ts says what runs it";
const PARTS: &str = "it is a folder of its own beside agent.ts, with a file for each";

/// Key in lower case without `_` and `-` → where it belongs.
const FOREIGN: &[(&str, &str)] = &[
    ("apikey", SECRET),
    ("apikeys", SECRET),
    ("blob", BLOBS),
    ("bucket", BLOBS),
    ("channels", PARTS),
    ("connections", PARTS),
    ("credentials", SECRET),
    ("database", DATABASE),
    ("databaseurl", DATABASE),
    ("db", DATABASE),
    ("deploy", DEPLOY),
    ("deployment", DEPLOY),
    ("env", SECRET),
    ("execute", TOOLS),
    ("gateway", RUNTIME),
    ("hosting", DEPLOY),
    ("instructions", TEXT),
    ("key", SECRET),
    ("mcp", PARTS),
    ("mcpservers", PARTS),
    ("password", SECRET),
    ("prompt", TEXT),
    ("r2", BLOBS),
    ("runtime", RUNTIME),
    ("s3", BLOBS),
    ("sandbox", SANDBOX),
    ("scheduler", RUNTIME),
    ("schedules", PARTS),
    ("secret", SECRET),
    ("secrets", SECRET),
    ("skills", PARTS),
    ("state", DATABASE),
    ("storage", BLOBS),
    ("subagents", PARTS),
    ("system", TEXT),
    ("systemprompt", TEXT),
    ("token", SECRET),
    ("tools", TOOLS),
    ("triggers", PARTS),
];

/// Reports every key that is none of these.
pub(super) fn report(reader: &mut Reader<'_>, fields: Fields<'_>, keys: &[&str]) {
    let mut known = keys.to_vec();
    // It has a code of its own, or is a subagent's.
    known.push("harness");
    for entry in &fields.object.entries {
        let key = entry.key.as_str();
        let Some(help) = place(key).filter(|_| !known.contains(&key)) else {
            continue;
        };
        let message = format!("{} has no key {key:?}: it belongs elsewhere", fields.owner);
        reader.report(Code::UnknownKey, entry.key_span, message, help);
        known.push(key);
    }
    reader.known_keys(fields, &known);
}

fn place(key: &str) -> Option<&'static str> {
    let lower = key.to_ascii_lowercase().replace(['_', '-'], "");
    let found = FOREIGN.iter().find(|(word, _)| *word == lower);
    found.map(|(_, help)| *help)
}
