//! A pause as a person reads it before deciding.
//!
//! Tool, arguments and question come from the model: they are shown whole, with everything written
//! out that would make a terminal show something else.

use openeve_domain::ids::RunId;
use openeve_domain::pause::{PauseKind, PauseStatus};
use openeve_runtime::ports::PausedCall;
use openeve_runtime::resume::{verdict, who_may};

use crate::output::visible;

/// What is asked, of whom, about what.
pub(crate) fn lines(paused: &PausedCall, requester: Option<&str>) -> Vec<String> {
    let (pause, request) = (&paused.pause, &paused.pause.request);
    let mut lines = vec![format!(
        "{}: {}, {}",
        visible(&paused.tool),
        request.kind.as_str(),
        standing(paused)
    )];
    let mut line = |name: &str, text: &str| {
        if !text.is_empty() {
            lines.push(format!("  {name:<10} {}", visible(text)));
        }
    };
    line(
        "call",
        &format!("{} (generation {})", pause.call_id, pause.generation),
    );
    line("arguments", &paused.arguments);
    line("asks", &request.prompt);
    line("options", &request.options.join(" | "));
    line("at", request.url.as_deref().unwrap_or_default());
    line("for", &who_may(&request.approvers, requester));
    lines
}

/// The commands that decide it; `again` says where to find the run.
pub(crate) fn commands(run_id: RunId, paused: &PausedCall, again: &str) -> Vec<String> {
    let call = paused.pause.call_id;
    let reject = format!("openeve reject {run_id} {call} --reason '…'{again}");
    match paused.pause.request.kind {
        PauseKind::Approval => vec![format!("openeve approve {run_id} {call}{again}"), reject],
        PauseKind::Input => vec![
            format!("openeve answer {run_id} '…' --call {call}{again}"),
            reject,
        ],
        PauseKind::Authorization => vec![reject],
    }
}

fn standing(paused: &PausedCall) -> String {
    let pause = &paused.pause;
    let by = pause.decided_by.as_deref().filter(|by| !by.is_empty());
    match (pause.status, &pause.decision) {
        (PauseStatus::Pending, _) => format!("waits until {}", paused.expires_at),
        (PauseStatus::Decided, Some(decision)) => format!(
            "decided: {} by {}",
            verdict(decision),
            visible(by.unwrap_or("somebody unnamed"))
        ),
        (status, _) => status.as_str().to_owned(),
    }
}
