//! Files that nest too deeply for the bundler to follow: it would exhaust its stack.
//!
//! Every file passes here before it is parsed, packages' as well. One that nests too deeply becomes an
//! empty module, and the run fails with it.

use std::borrow::Cow;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rolldown::plugin::{
    HookLoadArgs, HookLoadOutput, HookLoadReturn, HookUsage, Plugin, SharedLoadPluginContext,
};
use rolldown_common::ModuleType;

use super::rolldown_run::Finding;
use crate::nesting::too_deep;

/// The endings of what is parsed.
const PARSED: [&str; 9] = ["cjs", "cts", "js", "json", "jsx", "mjs", "mts", "ts", "tsx"];

/// Paths of the files that were found in one run.
pub(super) type Found = Arc<Mutex<Vec<String>>>;

/// The plugin of one run.
#[derive(Debug)]
pub(super) struct Deep(pub(super) Found);

/// What was found, as the syntax errors that they are.
pub(super) fn findings(found: &Found) -> Vec<Finding> {
    let found = found.lock().unwrap_or_else(PoisonError::into_inner);
    let finding = |path: &String| Finding {
        kind: "PARSE_ERROR".to_owned(),
        message: "it nests more deeply than the compiler follows".to_owned(),
        file: Some(path.clone()),
        specifier: None,
        utf16_at: None,
    };
    found.iter().map(finding).collect()
}

impl Plugin for Deep {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("openeve:deep")
    }

    fn register_hook_usage(&self) -> HookUsage {
        HookUsage::Load
    }

    async fn load(
        &self,
        _context: SharedLoadPluginContext,
        args: &HookLoadArgs<'_>,
    ) -> HookLoadReturn {
        let path = Path::new(args.id);
        let ending = path.extension().and_then(|ending| ending.to_str());
        if args.id.starts_with('\0') || ending.is_none_or(|ending| !PARSED.contains(&ending)) {
            return Ok(None);
        }
        // What cannot be read, or is no text, is the bundler's to tell.
        let deep = fs::read_to_string(path).is_ok_and(|text| too_deep(&text).is_some());
        Ok(deep.then(|| {
            let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            found.push(args.id.to_owned());
            HookLoadOutput {
                code: "".into(),
                module_type: Some(ModuleType::Js),
                ..HookLoadOutput::default()
            }
        }))
    }
}
