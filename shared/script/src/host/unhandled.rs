//! Rejections nobody handled. Texts alone are kept, never the values.

use std::cell::RefCell;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::rc::Rc;

use openeve_domain::limits::KIB;
use openeve_domain::text::prefix;
use rquickjs::Runtime;

use super::Host;
use crate::engine::describe;

/// Rejections that are kept at once; the first say most.
const KEPT_MAX: usize = 16;

/// What was rejected without a handler so far, by promise.
#[derive(Debug, Default)]
pub(crate) struct Unhandled(RefCell<Vec<(u64, String)>>);

impl Unhandled {
    /// Keeps one. Key 0 is no promise.
    pub(crate) fn add(&self, promise: u64, text: &str) {
        let mut kept = self.0.borrow_mut();
        if kept.len() < KEPT_MAX {
            kept.push((promise, prefix(text, KIB).to_owned()));
        }
    }

    /// A handler was attached after all. The key is an address, which a dead promise may have
    /// had before, so the latest entry is the one that is meant.
    fn handled(&self, promise: u64) {
        let mut kept = self.0.borrow_mut();
        if let Some(at) = kept.iter().rposition(|(key, _)| *key == promise) {
            kept.remove(at);
        }
    }

    /// Takes the texts.
    pub(crate) fn take(&self) -> Vec<String> {
        self.0.take().into_iter().map(|(_, text)| text).collect()
    }
}

impl Host {
    /// Logs rejections that did no other harm.
    pub(crate) fn log_unhandled(&self, texts: &[String]) {
        for text in texts {
            let text = self.placed(format!("never handled: {text}"));
            self.write("warn", &self.environment.redact(&text));
        }
    }
}

/// Follows the engine's rejections.
pub(crate) fn track(runtime: &Runtime, host: &Rc<Host>) {
    let host = Rc::clone(host);
    runtime.set_host_promise_rejection_tracker(Some(Box::new(
        move |_, promise, reason, is_handled| {
            let mut hasher = DefaultHasher::new();
            promise.hash(&mut hasher);
            let key = hasher.finish();
            if is_handled {
                host.unhandled.handled(key);
            } else {
                host.unhandled.add(key, &describe(&reason));
            }
        },
    )));
}
