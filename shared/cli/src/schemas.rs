//! Schemas that are made by code are evaluated in the engine that runs the tools.

use openeve_compiler::SchemaEvaluator;
use serde_json::Value;

/// The engine.
pub(crate) struct Engine;

impl SchemaEvaluator for Engine {
    fn evaluate(&self, module: &str) -> Result<Value, String> {
        openeve_script::schema::evaluate(module).map_err(|error| error.to_string())
    }
}
