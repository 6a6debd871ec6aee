//! Planning a batch: what the agent says of each call's tool, decided once and stored with the call.
//!
//! A call is gated only if its arguments fit: nobody is asked to approve what cannot run. A tool's
//! own predicate is asked here, before the batch is committed, and never again (public case B11).

use futures_util::future::join_all;
use openeve_domain::core_tools::{self, ASK_QUESTION};
use openeve_domain::ids::ToolCallId;
use openeve_domain::limits::GATE_WALL_MS;
use openeve_domain::manifest::{ApprovalSpec, Execution, ToolSpec};
use openeve_domain::pause::{PauseKind, PauseRequest};
use openeve_domain::run::begin_batch::{CallRequest, PlannedCall};
use openeve_domain::status::SideEffects;

use super::batch::understood;
use super::hold::{Hold, Stop};
use crate::ports::{Gate, Invocation};

/// Plans every call of a batch, predicates side by side, while the heartbeat goes on.
pub(super) async fn all(
    hold: &mut Hold<'_>,
    requests: Vec<CallRequest>,
) -> Result<Vec<PlannedCall>, Stop> {
    let planned = requests.into_iter().map(|request| {
        let id = ToolCallId::new(hold.deps.ids.uuid());
        one(hold, id, request)
    });
    let planned = join_all(planned.collect::<Vec<_>>());
    hold.beating(planned).await
}

async fn one(hold: &Hold<'_>, id: ToolCallId, request: CallRequest) -> PlannedCall {
    let deps = hold.deps;
    let Some(tool) = core_tools::find(&deps.manifest, &request.name) else {
        return PlannedCall {
            id,
            request,
            side_effects: SideEffects::None,
            sequential: false,
            gate: None,
        };
    };
    PlannedCall {
        gate: gate(hold, id, tool, &request).await,
        id,
        request,
        side_effects: tool.side_effects,
        sequential: tool.execution == Execution::Sequential || tool.approval.is_some(),
    }
}

async fn gate(
    hold: &Hold<'_>,
    id: ToolCallId,
    tool: &ToolSpec,
    request: &CallRequest,
) -> Option<PauseRequest> {
    let deps = hold.deps;
    let (_, input) = understood(deps, &request.name, &request.arguments).ok()?;
    if tool.name == ASK_QUESTION {
        let mut question = core_tools::question(&input);
        address(&mut question.approvers, hold.channel_approvers());
        return Some(question);
    }
    let approval = tool.approval.as_ref()?;
    let reason = if approval.predicate {
        let invocation = Invocation {
            run_id: hold.state.run_id,
            conversation_id: hold.state.conversation_id,
            call_id: id,
            tool,
            input,
            timeout_ms: hold.work_ms(GATE_WALL_MS),
            answers: Vec::new(),
        };
        match deps.tools.gate(invocation).await {
            Ok(Gate::Open) => return None,
            Ok(Gate::Ask { reason }) => reason.or_else(|| approval.reason.clone()),
            // A gate that fails stays closed.
            Err(why) => Some(format!("the tool could not tell whether to ask: {why}")),
        }
    } else {
        approval.reason.clone()
    };
    Some(approve(hold, approval, reason))
}

fn approve(hold: &Hold<'_>, approval: &ApprovalSpec, reason: Option<String>) -> PauseRequest {
    let mut approvers = approval.approvers.clone();
    address(&mut approvers, hold.channel_approvers());
    PauseRequest {
        kind: PauseKind::Approval,
        prompt: reason.unwrap_or_default(),
        options: Vec::new(),
        approvers,
        url: None,
    }
}

/// Whom a pause asks when its tool names nobody: whoever the channel says; else the requester,
/// which the domain fills in.
pub(super) fn address(approvers: &mut Vec<String>, channel: &[String]) {
    if approvers.is_empty() {
        approvers.extend_from_slice(channel);
    }
}
