//! A run that waits for a person says on the terminal who is asked what, and how to decide it.
//!
//! The events that are followed name the call alone; what the person needs to see is read from the
//! store, once for each pause.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use openeve_domain::ids::{RunId, ToolCallId};
use openeve_domain::pause::{PauseKind, PauseStatus};
use openeve_runtime::ports::{PausedCall, Pauses};
use tokio::sync::mpsc::UnboundedReceiver;

use super::follow::label;
use crate::commands::shown;
use crate::commands::target::quoted;
use crate::host::Host;
use crate::output;

/// Tells of every new pause of the runs that come in, until none will come any more.
pub(super) async fn tell(
    host: Arc<Host>,
    url: String,
    again: String,
    mut asking: UnboundedReceiver<RunId>,
) {
    let mut told: HashSet<(ToolCallId, u32)> = HashSet::new();
    while let Some(run_id) = asking.recv().await {
        let ingress = host.ingress();
        let read = ingress.store.pauses(&ingress.manifest.agent.id, run_id);
        let pauses = match read.await {
            Ok(Some(pauses)) => pauses,
            Ok(None) => continue,
            Err(error) => {
                output::say(&format!(
                    "{} what it asks cannot be read: {error}",
                    label(run_id)
                ));
                continue;
            }
        };
        for paused in &pauses.pauses {
            let (pause, call) = (&paused.pause, paused.pause.call_id);
            if pause.status == PauseStatus::Pending && told.insert((call, pause.generation)) {
                output::say(&words(run_id, &pauses, paused, &url, &again));
            }
        }
    }
}

/// How a command in another terminal names the agent folder.
pub(super) fn again(folder: &Path) -> String {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    format!(" --folder {}", quoted(&folder.display().to_string()))
}

/// One block of lines, so that no other run's lines fall into it.
fn words(run_id: RunId, all: &Pauses, paused: &PausedCall, url: &str, again: &str) -> String {
    let label = label(run_id);
    let mut lines = shown::lines(paused, all.requester.as_deref());
    for command in shown::commands(run_id, paused, again) {
        lines.push(format!("  {:<10} {command}", "decide"));
    }
    let call = paused.pause.call_id;
    let (route, body) = match paused.pause.request.kind {
        PauseKind::Approval => ("approve", format!("{{\"call\": \"{call}\"}}")),
        PauseKind::Input => (
            "answer",
            format!("{{\"call\": \"{call}\", \"text\": \"…\"}}"),
        ),
        PauseKind::Authorization => ("reject", format!("{{\"call\": \"{call}\"}}")),
    };
    lines.push(format!(
        "  {:<10} curl -d '{body}' {url}/runs/{run_id}/{route}",
        "or"
    ));
    if paused.pause.request.kind == PauseKind::Input {
        lines.push(format!(
            "  {:<10} post the next message of its conversation: that is the answer",
            "or"
        ));
    }
    let lines: Vec<String> = lines
        .iter()
        .map(|line| format!("{label} ? {line}"))
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use openeve_domain::pause::{Pause, PauseRequest};
    use openeve_domain::status::RunStatus;

    use super::*;

    fn paused(kind: PauseKind) -> (Pauses, PausedCall) {
        let call = "call_00000000000000000000000000000007";
        let one = PausedCall {
            pause: Pause {
                run_id: "run_00000000000000000000000000000001".parse().unwrap(),
                call_id: call.parse().unwrap(),
                generation: 1,
                request: PauseRequest {
                    kind,
                    prompt: "a\u{1b}[2Jfield?".to_owned(),
                    options: vec!["yes".to_owned(), "no".to_owned()],
                    approvers: vec!["requester".to_owned(), "role:admin".to_owned()],
                    url: None,
                },
                status: PauseStatus::Pending,
                decision: None,
                decided_by: None,
            },
            tool: "pay".to_owned(),
            arguments: "{\"euros\":10}".to_owned(),
            expires_at: jiff::Timestamp::UNIX_EPOCH,
        };
        let pauses = Pauses {
            status: RunStatus::WaitingInput,
            channel: "message".to_owned(),
            requester: Some("ada".to_owned()),
            tenant: String::new(),
            pauses: vec![one.clone()],
        };
        (pauses, one)
    }

    #[test]
    fn a_pause_says_who_is_asked_what_and_how_to_decide_it() {
        let (pauses, approval) = paused(PauseKind::Approval);
        let run = approval.pause.run_id;
        let said = words(run, &pauses, &approval, "http://h:1", " --folder a");
        for wanted in [
            "pay: approval",
            "{\"euros\":10}",
            "whoever started the run (ada) or anybody with the role admin",
            "openeve approve run_00000000000000000000000000000001 call_00000000000000000000000000000007 --folder a",
            "openeve reject",
            "http://h:1/runs/run_00000000000000000000000000000001/approve",
        ] {
            assert!(said.contains(wanted), "{wanted} is not in\n{said}");
        }
        assert!(!said.contains('\u{1b}'), "{said}");
        let (pauses, question) = paused(PauseKind::Input);
        let said = words(run, &pauses, &question, "http://h:1", "");
        for wanted in ["openeve answer", "yes | no", "post the next message"] {
            assert!(said.contains(wanted), "{wanted} is not in\n{said}");
        }
    }
}
