//! Replies: each arrived exactly once after deduplication, signed and with its own text (I9, I10).

use std::collections::{BTreeMap, BTreeSet};

use super::{Facts, Messages};
use crate::plan::Message;
use crate::report::Report;
use crate::traces::Posted;

const ONCE: &str = "I10 a reply arrives exactly once after deduplication";
const RIGHT: &str = "a reply is what was said";

pub(super) fn check(
    replies: &[Posted],
    facts: &Facts,
    messages: &Messages<'_>,
    report: &mut Report,
) {
    let mut by_run: BTreeMap<&str, Vec<&Posted>> = BTreeMap::new();
    for posted in replies {
        by_run.entry(&posted.run).or_default().push(posted);
        if !posted.is_signed {
            report.violation(RIGHT, format!("webhook {} is not signed", posted.id));
        }
    }
    for run in &facts.runs {
        let posts = by_run.remove(run.id.as_str()).unwrap_or_default();
        let ids: BTreeSet<&str> = posts.iter().map(|posted| posted.id.as_str()).collect();
        let owed = usize::from(run.status == "completed");
        if ids.len() != owed {
            report.violation(
                ONCE,
                format!("{} is {} and arrived as {ids:?}", run.id, run.status),
            );
        }
        if !posts.is_empty() && posts.iter().all(|posted| !posted.was_taken) {
            report.violation(ONCE, format!("no post of {} was taken", run.id));
        }
        let known = run.message.filter(|number| messages.contains_key(number));
        let text = known.map(Message::answer).unwrap_or_default();
        for posted in posts {
            if posted.text != text || posted.conversation != run.conversation {
                let why = format!(
                    "{} said {:?} to {}, not {text:?} to {}",
                    run.id, posted.text, posted.conversation, run.conversation
                );
                report.violation(RIGHT, why);
            }
        }
    }
    for run in by_run.keys() {
        report.violation(ONCE, format!("a reply of {run}, which does not exist"));
    }
}
