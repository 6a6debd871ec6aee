//! Schemas that are made by code: one bundled module, evaluated once when an agent is built.
//!
//! The module's default export is a JSON Schema, or a schema object that can say itself as one
//! (Standard JSON Schema; Zod 4 through the module's export `toJSONSchema`). It runs in an engine of its
//! own without host functions, network, time or chance, under limits of memory, stack and processor
//! time, on a thread of its own. What comes of it is plain JSON; the same module gives the same.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use openeve_domain::limits::{
    MIB, MINUTE_MS, SCHEMA_CPU_MS, SCRIPT_MEMORY_BYTES, SCRIPT_STACK_BYTES,
};
use serde_json::Value;

use crate::engine::schema_json;

/// When a thread that does not answer is given up.
const WALL_MS: u64 = MINUTE_MS;
/// Native stack beside the script's own.
const HOST_STACK_BYTES: usize = MIB;

/// Why a module gave no schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// It threw, or exports no schema; the text says what, with the places in the bundle.
    #[error("{0}")]
    Threw(String),
    /// It passed a limit.
    #[error("it used more than {what} and was stopped")]
    Limit {
        /// Which.
        what: String,
    },
    /// The engine could not be started, or gave something that is no JSON. Try again.
    #[error("the engine failed: {0}")]
    Engine(String),
}

/// Evaluates a module and returns its schema as plain JSON. Blocks for a few milliseconds, and as
/// long as the limits allow at most.
pub fn evaluate(code: &str) -> Result<Value, SchemaError> {
    evaluate_within(code, SCHEMA_CPU_MS)
}

fn evaluate_within(code: &str, cpu_ms: u64) -> Result<Value, SchemaError> {
    let (to_caller, answer) = channel();
    let code = code.to_owned();
    let spawned = thread::Builder::new()
        .name("openeve-schema".to_owned())
        .stack_size(SCRIPT_STACK_BYTES + HOST_STACK_BYTES)
        .spawn(move || {
            // A caller that is gone needs no answer.
            let _ = to_caller.send(schema_json(&code, SCRIPT_MEMORY_BYTES, cpu_ms));
        });
    spawned.map_err(|error| SchemaError::Engine(error.to_string()))?;
    // The processor is what is bounded; a machine may be busy with other things.
    let wall = Duration::from_millis(WALL_MS);
    let json = match answer.recv_timeout(wall) {
        Ok(result) => result?,
        Err(RecvTimeoutError::Timeout) => {
            let what = format!("{} s", wall.as_secs());
            return Err(SchemaError::Limit { what });
        }
        Err(RecvTimeoutError::Disconnected) => {
            return Err(SchemaError::Engine("its thread panicked".to_owned()));
        }
    };
    serde_json::from_str(&json).map_err(|error| SchemaError::Engine(error.to_string()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn threw(code: &str) -> String {
        match evaluate(code) {
            Err(SchemaError::Threw(why)) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_plain_schema_is_itself() {
        let code = "const name = { type: 'string' }; export default { type: 'object', properties: { name } };";
        assert_eq!(
            evaluate(code).unwrap(),
            json!({"type": "object", "properties": {"name": {"type": "string"}}})
        );
    }

    #[test]
    fn a_standard_schema_says_itself() {
        let code = "export default { '~standard': { vendor: 'x', version: 1, jsonSchema: { input: ({ target }) => ({ type: 'object', title: target }) } } };";
        assert_eq!(
            evaluate(code).unwrap(),
            json!({"type": "object", "title": "draft-2020-12"})
        );
        let code = "export const toJSONSchema = (schema, { io }) => ({ type: 'object', title: schema.name + io }); export default { name: 'a', '~standard': { vendor: 'zod', version: 1 } };";
        assert_eq!(evaluate(code).unwrap()["title"], "ainput");
        let code = "const schema = () => {}; schema.toJsonSchema = () => ({ type: 'object' }); export default schema;";
        assert_eq!(evaluate(code).unwrap(), json!({"type": "object"}));
    }

    #[test]
    fn a_schema_that_is_none_says_what_it_is() {
        assert!(threw("export default 3;").contains("it is a number and no schema"));
        assert!(threw("export default null;").contains("it is null and no schema"));
        assert!(threw("export default () => 1;").contains("it is a function and no schema"));
        assert!(threw("export const a = 1;").contains("the module has no default export"));
        let old = "export default { '~standard': { vendor: 'valibot', version: 1 } };";
        assert!(threw(old).contains("valibot gives no JSON Schema by itself"));
    }

    #[test]
    fn nothing_from_outside_gets_in() {
        for (expression, words) in [
            ("Date.now()", "must not depend on the time"),
            ("new Date()", "must not depend on the time"),
            ("Date()", "must not depend on the time"),
            ("Math.random()", "must not depend on chance"),
            ("fetch('https://example.com')", "fetch"),
            ("crypto.randomUUID()", "crypto"),
            ("setTimeout(() => {}, 1)", "setTimeout"),
            ("await new Promise(() => {})", "never settles"),
        ] {
            let why = threw(&format!("export default {{ a: {expression} }};"));
            assert!(why.contains(words), "{expression}: {why}");
        }
        let code = "export default { a: new Date(0).getTime(), b: typeof process.env.HOME };";
        assert_eq!(evaluate(code).unwrap(), json!({"a": 0, "b": "undefined"}));
    }

    #[test]
    fn one_that_does_not_end_or_takes_all_memory_is_stopped() {
        let limit = |code: &str, cpu_ms| match evaluate_within(code, cpu_ms) {
            Err(SchemaError::Limit { what }) => what,
            other => panic!("{other:?}"),
        };
        assert!(limit("for (;;) {} export default {};", 100).contains("processor time"));
        let code = "const a = []; for (;;) { try { a.push('x'.repeat(1e6) + a.length); } catch {} } export default {};";
        assert!(limit(code, 60_000).contains("memory"));
    }
}
