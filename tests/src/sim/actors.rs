//! Whoever is outside: the provider that delivers messages, and people who decide.

use bytes::Bytes;
use http::{HeaderMap, Method};
use openeve_domain::ids::RunId;
use openeve_domain::pause::{Decision, PauseKind, PauseStatus};
use openeve_memory::snapshot::{PauseRow, Snapshot};
use openeve_runtime::ingress::{IngressDeps, IngressRequest, handle};
use openeve_runtime::resume::{Decider, ResumeDeps, Which, cancel, resume_approval, resume_input};
use serde_json::json;

use super::scenario::{Habit, Say};

/// One delivery of a message; whether it was acknowledged.
pub(super) async fn post(deps: IngressDeps, id: String, say: Say) -> bool {
    let body = json!({
        "message": say.text, "conversation": say.conversation, "id": id, "sender": "ada",
    });
    let mut headers = HeaderMap::new();
    headers.insert("content-type", "application/json".parse().unwrap());
    let request = IngressRequest {
        method: Method::POST,
        path: "/message".into(),
        query: String::new(),
        headers,
        body: Bytes::from(body.to_string()),
    };
    let response = handle(&deps, request).await;
    assert!(matches!(response.status, 202 | 503), "{response:?}");
    response.status == 202
}

/// What somebody is about to do to a pause.
#[derive(Debug, Clone)]
pub(super) struct Act {
    pub(super) run_id: RunId,
    pub(super) which: Which,
    pub(super) decision: Decision,
    pub(super) by: &'static str,
}

/// Does it; whatever comes of it is somebody else's to judge.
pub(super) async fn act(deps: ResumeDeps, act: Act) {
    let by = Decider::Person {
        id: Some(act.by.to_owned()),
        roles: Vec::new(),
    };
    let done = match act.decision {
        Decision::Answer { text } => resume_input(&deps, act.run_id, act.which, &text, &by).await,
        decision => resume_approval(&deps, act.run_id, act.which, decision, &by).await,
    };
    drop(done);
}

/// Asks for a run to end.
pub(super) async fn stop(deps: ResumeDeps, run_id: RunId) {
    drop(cancel(&deps, run_id, "ada").await);
}

/// What people do now about everything that waits.
pub(super) fn acts(habit: Habit, snapshot: &Snapshot) -> Vec<Act> {
    let waiting = snapshot
        .pauses
        .iter()
        .filter(|pause| pause.status == PauseStatus::Pending);
    waiting.flat_map(|pause| about(habit, pause)).collect()
}

fn about(habit: Habit, pause: &PauseRow) -> Vec<Act> {
    let one = |decision, by| Act {
        run_id: pause.run_id,
        which: Which {
            call_id: Some(pause.call_id),
            generation: u32::try_from(pause.generation).ok(),
        },
        decision,
        by,
    };
    let reject = || Decision::Reject {
        reason: "no".into(),
    };
    let agree = || match pause.kind {
        PauseKind::Approval => Decision::Approve,
        PauseKind::Input => Decision::Answer { text: "yes".into() },
        PauseKind::Authorization => Decision::Authorize,
    };
    match habit {
        Habit::Ignore => Vec::new(),
        Habit::Reply if pause.kind == PauseKind::Input => Vec::new(),
        Habit::Agree | Habit::Reply => vec![one(agree(), "ada"), one(agree(), "ada")],
        Habit::Refuse => vec![one(reject(), "ada")],
        Habit::Contradict => vec![
            one(agree(), "ada"),
            one(reject(), "ada"),
            one(agree(), "ada"),
        ],
    }
}
