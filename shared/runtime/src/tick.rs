//! The tick: one bounded, idempotent pass over what is due. It takes no input.
//!
//! Due schedule occurrences become runs, each at most once (I12). Rows that need work are rung
//! again, so that a lost doorbell costs a minute at most (I17).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;
use openeve_domain::bell::Bell;
use openeve_domain::channel::{ChannelTurn, IdempotencyKey};
use openeve_domain::commit::Occurrence;
use openeve_domain::ids::{ConversationId, RunId};
use openeve_domain::limits::{DOORBELL_GRACE_MS, LEASE_SLACK_MS, TICK_BATCH_MAX, TICK_INTERVAL_MS};
use openeve_domain::manifest::{Manifest, ScheduleSpec};
use openeve_domain::pause::Decided;
use openeve_domain::run::accept::{Arrival, accept};
use openeve_domain::schedule::Plan;
use serde_json::json;

use crate::config::Settings;
use crate::patience::patiently;
use crate::ports::{Clock, Doorbell, Ids, Observer, PortError, Store};

/// Everything the tick reaches the world through.
#[derive(Clone)]
pub struct TickDeps {
    /// All truth.
    pub store: Arc<dyn Store>,
    /// Rings.
    pub doorbell: Arc<dyn Doorbell>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Identity.
    pub ids: Arc<dyn Ids>,
    /// Whoever watches.
    pub observer: Arc<dyn Observer>,
    /// The agent.
    pub manifest: Arc<Manifest>,
    /// The knobs.
    pub settings: Settings,
    /// Whether this process has registered the agent's revision; its first pass does.
    pub registered: Arc<AtomicBool>,
}

/// What one pass did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Ticked {
    /// Occurrences that became runs.
    pub fired: u64,
    /// Runs rung.
    pub runs_rung: u64,
    /// Runs that are rung when their lease ends.
    pub leases_watched: u64,
    /// Deliveries rung.
    pub deliveries_rung: u64,
    /// Pauses nobody decided in time.
    pub pauses_expired: u64,
}

/// Makes one pass. Fails only if the store does; whatever was done before stays done, and a
/// schedule that could not fire keeps no bell from ringing.
pub async fn tick(deps: &TickDeps) -> Result<Ticked, PortError> {
    let mut ticked = ring_again(deps).await?;
    ticked.fired = fire_schedules(deps).await?;
    Ok(ticked)
}

/// The half of a pass that rings again for rows that need work, and fires no schedule: for a host
/// whose schedules an outside clock fires, and whose bells are lost when it ends.
pub async fn ring_again(deps: &TickDeps) -> Result<Ticked, PortError> {
    if !deps.registered.swap(true, Ordering::Relaxed) {
        deps.store.register(&deps.manifest).await?;
    }
    let mut ticked = Ticked::default();
    let agent_id = &deps.manifest.agent.id;
    let due = patiently(deps.clock.as_ref(), || {
        // Twice the pace: a lease that ends just before a late pass is not left to its grace.
        let pace_ms = deps.settings.tick_interval_ms.saturating_mul(2);
        let horizon_ms = pace_ms.min(TICK_INTERVAL_MS);
        deps.store
            .due(agent_id, TICK_BATCH_MAX, DOORBELL_GRACE_MS, horizon_ms)
    })
    .await?;
    for expired in due.expired {
        ticked.pauses_expired += 1;
        if matches!(
            deps.store.decide(&expired).await?,
            Decided::Taken { resumes: true }
        ) {
            ticked.runs_rung += u64::from(ring(deps, Bell::run(expired.run_id)).await);
        }
    }
    for (run_id, tenant) in due.runs {
        let bell = Bell::run(run_id).of_tenant(&tenant);
        ticked.runs_rung += u64::from(ring(deps, bell).await);
    }
    for (run_id, tenant, wait_ms) in due.expiring {
        let bell = Bell::run(run_id).of_tenant(&tenant);
        let rung = ring_later(deps, bell, wait_ms + LEASE_SLACK_MS).await;
        ticked.leases_watched += u64::from(rung);
    }
    for (id, tenant) in due.deliveries {
        let bell = Bell::delivery(id).of_tenant(&tenant);
        ticked.deliveries_rung += u64::from(ring(deps, bell).await);
    }
    Ok(ticked)
}

async fn fire_schedules(deps: &TickDeps) -> Result<u64, PortError> {
    let now = deps.clock.now();
    let (mut fired, mut failed) = (0, None);
    for schedule in &deps.manifest.schedules {
        // The compiler has checked the expression; a manifest that was tampered with is skipped.
        let plan = match Plan::parse(&schedule.cron, &schedule.timezone) {
            Ok(plan) => plan,
            Err(error) => {
                tracing::error!(schedule = %schedule.name, error = %error, "a schedule cannot be read");
                continue;
            }
        };
        let lookback_ms = deps.settings.schedule_lookback_ms;
        for occurrence in plan.due(now, lookback_ms, TICK_INTERVAL_MS, schedule.catch_up) {
            match fire(deps, schedule, occurrence).await {
                Ok(new) => fired += u64::from(new),
                Err(error) => failed = Some(error),
            }
        }
    }
    // The occurrence is still inside the look-back; the next pass tries again.
    failed.map_or(Ok(fired), Err)
}

/// Turns one occurrence into a run, unless an earlier pass did.
async fn fire(
    deps: &TickDeps,
    schedule: &ScheduleSpec,
    occurrence: Timestamp,
) -> Result<bool, PortError> {
    let turn = ChannelTurn {
        channel: schedule
            .channel
            .clone()
            .unwrap_or_else(|| "schedule".to_owned()),
        conversation_key: schedule.conversation.clone(),
        tenant: None,
        text: schedule.message.clone(),
        sender: Some(format!("schedule:{}", schedule.name)),
        reply_target: json!({"schedule": schedule.name, "occurrence": occurrence}),
    };
    let arrival = Arrival {
        turn,
        idempotency: IdempotencyKey::schedule(&schedule.idempotency_key, occurrence),
        idempotency_ttl_hours: deps.settings.idempotency_ttl_hours,
        trigger: "schedule",
        trace_parent: None,
        occurrence: Some(Occurrence {
            schedule: schedule.name.clone(),
            at: occurrence,
        }),
    };
    let (run, conversation) = (
        RunId::new(deps.ids.uuid()),
        ConversationId::new(deps.ids.uuid()),
    );
    let turn = match accept(&deps.manifest, arrival, run, conversation) {
        Ok(turn) => turn,
        Err(error) => {
            tracing::error!(schedule = %schedule.name, error = %error, "a schedule's message is not acceptable");
            return Ok(false);
        }
    };
    let accepted = deps.store.accept(&turn).await?;
    if accepted.duplicate {
        return Ok(false);
    }
    for event in &turn.events {
        deps.observer.event(accepted.run_id, event);
    }
    let bell = Bell::run(accepted.run_id).of_tenant(&accepted.tenant);
    ring(deps, bell).await;
    Ok(true)
}

async fn ring(deps: &TickDeps, bell: Bell) -> bool {
    ring_later(deps, bell, 0).await
}

async fn ring_later(deps: &TickDeps, bell: Bell, delay_ms: u64) -> bool {
    match deps.doorbell.ring(&bell, delay_ms).await {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(error = %error, "a doorbell did not ring; the next tick will");
            false
        }
    }
}
