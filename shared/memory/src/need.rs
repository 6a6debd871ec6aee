//! How a row stands that a dead letter names (`need_run.sql`, `need_delivery.sql`).

use openeve_domain::bell::Place;
use openeve_domain::ids::{DeliveryId, RunId};
use openeve_domain::status::DeliveryStatus;
use openeve_runtime::ports::Need;

use crate::tables::Tables;

impl Tables {
    /// Whether a row needs a bell now.
    pub fn need(&self, now: i64, agent_id: &str, at: Place) -> Need {
        let need = match at {
            Place::Run { run_id } => self.run_needs(now, agent_id, run_id),
            Place::Delivery { delivery_id } => self.delivery_needs(now, agent_id, delivery_id),
        };
        need.unwrap_or(Need::Unknown)
    }

    fn run_needs(&self, now: i64, agent_id: &str, id: RunId) -> Option<Need> {
        let run = self.runs.get(&id).filter(|run| run.agent_id == agent_id)?;
        let wanted = run.status.is_claimable() || run.cancel_requested_at.is_some();
        if run.finished_at.is_some() || !wanted {
            return Some(Need::Nothing);
        }
        let due = !run.is_leased(now)
            && run.not_before.is_none_or(|at| at <= now)
            && !self.is_behind(run);
        Some(if due {
            Need::Now {
                tenant: self.tenant(run.conversation_id),
            }
        } else {
            Need::Later
        })
    }

    fn delivery_needs(&self, now: i64, agent_id: &str, id: DeliveryId) -> Option<Need> {
        let delivery = self.deliveries.get(&id)?;
        let run = self.runs.get(&delivery.run_id)?;
        if run.agent_id != agent_id {
            return None;
        }
        let at = match delivery.status {
            DeliveryStatus::Pending => delivery.next_attempt_at,
            DeliveryStatus::Sending => delivery.lease.map(|held| held.until),
            DeliveryStatus::Sent | DeliveryStatus::Suppressed | DeliveryStatus::Failed => {
                return Some(Need::Nothing);
            }
        };
        Some(if at.is_some_and(|at| at <= now) {
            Need::Now {
                tenant: self.tenant(run.conversation_id),
            }
        } else {
            Need::Later
        })
    }
}
