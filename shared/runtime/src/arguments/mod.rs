//! Arguments of a tool call: what the model wrote, held to the tool's input schema.
//!
//! A call whose arguments do not fit never reaches its tool; the model is told, in words it can
//! act on, where and what was wrong and what is expected. The check helps the model, it does not
//! protect the tool: a schema that cannot be used is reported to the operator and keeps no tool
//! from running.
//!
//! Two forms are forgiven, both common and both without a second meaning: blank text is `{}`, and
//! a string that holds JSON stands for the array or object it holds, where the schema wants one
//! and refuses the string. Nothing else is coerced: `"7"` is not 7, `null` is not an absent
//! property, one value is not an array of one.
//!
//! No input hangs, overflows the stack or panics. Nesting is bounded before anything recurses
//! (`NESTING_MAX`), work is counted before it is done (`cost`), what a schema may look like is
//! checked before it is compiled (`shape`), and a regular expression gives up instead of
//! backtracking for ever. References are never fetched.

mod check;
mod cost;
mod shape;
#[cfg(test)]
mod tests;
mod text;
mod unpack;
mod words;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use openeve_domain::manifest::ToolSpec;
use serde_json::Value;

use check::{Check, Verdict};

/// Levels of objects and arrays in arguments.
const NESTING_MAX: usize = 64;
/// Compiled schemas kept; when there are more, all are dropped and compiled again on use.
const CHECKS_MAX: usize = 1_024;

/// Reads arguments of tool calls. Clones share one cache of compiled schemas.
#[derive(Debug, Clone, Default)]
pub struct Arguments {
    entries: Arc<Mutex<HashMap<String, Arc<Entry>>>>,
}

/// What is known of one tool's schema.
#[derive(Debug)]
struct Entry {
    check: Check,
    warned: AtomicBool,
}

impl Arguments {
    /// An empty cache.
    pub fn new() -> Self {
        Self::default()
    }

    /// The arguments as the tool gets them, or why it does not, addressed to the model and at most
    /// 2,000 bytes long. What cannot be checked, because the tool's schema cannot be used, is
    /// passed on; that is logged once per tool.
    pub fn read(&self, tool: &ToolSpec, text: &str) -> Result<Value, String> {
        let input = text::object(text)?;
        let entry = self.entry(tool);
        match entry.check.run(input) {
            Verdict::Fits(input) => Ok(input),
            Verdict::Refused(why) => Err(why),
            Verdict::Unchecked(input, why) => {
                if !entry.warned.swap(true, Ordering::Relaxed) {
                    tracing::warn!(
                        tool.name = %tool.name,
                        tool.source = %tool.source,
                        error = %why,
                        "the arguments of a tool are not checked"
                    );
                }
                Ok(input)
            }
        }
    }

    /// The compiled schema of a tool, from the cache if it is there.
    fn entry(&self, tool: &ToolSpec) -> Arc<Entry> {
        // Writing a schema recurses; one that is too deep for that is unusable, whatever it says.
        let schema = if shape::is_shallow(&tool.input_schema) {
            tool.input_schema.to_string()
        } else {
            String::new()
        };
        let key = format!("{}\n{schema}", tool.name);
        let entries = || self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries().get(&key) {
            return Arc::clone(entry);
        }
        // Compiled outside the lock; if two compile at once, both use what was stored first.
        let fresh = Arc::new(Entry {
            check: Check::new(&tool.input_schema),
            warned: AtomicBool::new(false),
        });
        let mut entries = entries();
        if entries.len() >= CHECKS_MAX {
            entries.clear();
        }
        Arc::clone(entries.entry(key).or_insert(fresh))
    }
}
