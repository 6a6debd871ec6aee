//! Making a sequence: each operation is chosen from a seed and from what a store in memory answered
//! so far, so that most of them do something.

use openeve_domain::bell::Place;
use openeve_domain::commit::{Commit, Failure};
use openeve_domain::delivery::{LeasedDelivery, PartSent};
use openeve_domain::ids::{DeliveryId, LeaseToken, RunId};
use openeve_domain::pause::{Decide, Decision, PauseKind};
use openeve_domain::run::RunState;
use openeve_domain::status::DeliveryStatus;
use openeve_memory::snapshot::{RunRow, Snapshot};
use openeve_runtime::ports::{Claim, CommitAnswer};
use uuid::Uuid;

use super::op::{Answer, Op, ask};
use super::play::Memory;

mod arrival;
mod chance;
mod commit;
mod settle;

use chance::Chance;

/// Agents of the database.
const AGENTS: [&str; 2] = ["tester", "other"];
/// One minute.
const MINUTE_MS: u64 = 60_000;

/// A sequence of a seed.
pub(super) async fn sequence(seed: u64, operations: usize) -> Vec<Op> {
    let mut make = Make {
        chance: Chance::new(seed),
        memory: Memory::new(),
        ids: 0,
        claims: Vec::new(),
        held: Vec::new(),
        commits: Vec::new(),
        leased: Vec::new(),
        rows: Snapshot::default(),
    };
    let mut ops = Vec::with_capacity(operations);
    while ops.len() < operations {
        let op = make.next();
        make.memory.tick(&op);
        let answer = ask(&make.memory.store, &op, make.memory.now()).await;
        make.learn(&op, answer);
        ops.push(op);
    }
    ops
}

/// What is known while a sequence is made.
struct Make {
    chance: Chance,
    memory: Memory,
    ids: u128,
    /// Every claim that was tried.
    claims: Vec<(RunId, LeaseToken)>,
    /// Runs as their holders know them, those that were superseded included.
    held: Vec<RunState>,
    /// Commits that were tried.
    commits: Vec<Commit>,
    /// Deliveries as their senders know them.
    leased: Vec<LeasedDelivery>,
    /// Every row, as of now.
    rows: Snapshot,
}

impl Make {
    fn next(&mut self) -> Op {
        self.rows = self.memory.store.snapshot();
        if self.rows.runs.is_empty() {
            return self.accept();
        }
        match self.chance.below(100) {
            0..10 => self.accept(),
            10..22 => self.claim(),
            22..56 => self.commit(),
            56..58 => self.heartbeat(),
            58..68 => self.decide(),
            68..70 => Op::Cancel(self.agent(), self.run(), self.text("ada", "e\0ve")),
            70..72 => self.set_aside(),
            72..74 => self.redrive_run(),
            74..86 if self.rows.deliveries.is_empty() => self.commit(),
            74..76 => self.redrive_delivery(),
            76..80 => self.lease(),
            80..82 => self.part(),
            82..86 => self.settle(),
            86..89 => {
                let limit = self.chance.of(&[100, 100, 1, 2]);
                let grace_ms = self.chance.of(&[0, MINUTE_MS]);
                let horizon_ms = self.chance.of(&[0, MINUTE_MS, 5 * MINUTE_MS]);
                Op::Due(self.agent(), limit, grace_ms, horizon_ms)
            }
            89 => self.sweep(),
            90 => Op::View(self.agent(), self.run()),
            91 => Op::Pauses(self.agent(), self.run()),
            92 => Op::Events(
                self.agent(),
                self.run(),
                self.chance.of(&[0, 2]),
                self.chance.of(&[3, 100]),
            ),
            93 => self.need(),
            _ => Op::Pass(
                self.chance
                    .of(&[1, 1, 2, 5, 11, 61, 120, 49 * 60, 8 * 24 * 60]),
            ),
        }
    }

    /// Remembers what came of an operation.
    fn learn(&mut self, op: &Op, answer: Answer) {
        match (op, answer) {
            (Op::Claim(..), Answer::Claim(Claim::Claimed(mut state))) => {
                state.pause_ttl_ms = self.chance.of(&[MINUTE_MS, 5 * MINUTE_MS, 90 * MINUTE_MS]);
                // The rounded time is no use to a transition.
                state.wall_ms = 0;
                self.held.push(*state);
            }
            (Op::Commit(commit, _), Answer::Commit(CommitAnswer::Applied(committed))) => {
                self.commits.push((**commit).clone());
                let own = self.held.iter_mut().find(|held| {
                    (held.run_id, held.epoch, held.commits)
                        == (commit.run_id, commit.epoch, commit.follows)
                });
                if let Some(held) = own {
                    held.apply(commit);
                    held.recovery = false;
                    held.status = committed.status;
                    held.cancel_requested = committed.cancel_requested;
                }
            }
            (Op::Commit(commit, _), _) => self.commits.push((**commit).clone()),
            (Op::Lease(..), Answer::Leased(Some(leased))) => self.leased.push(leased),
            _ => {}
        }
    }

    fn claim(&mut self) -> Op {
        let now = self.memory.now();
        let free = |run: &&RunRow| {
            let claimable = run.status.is_claimable() || run.cancel_requested;
            claimable && run.finished_at.is_none() && run.lease_expires_at.is_none_or(|at| at < now)
        };
        let free = self.rows.runs.iter().filter(free);
        let free: Vec<RunId> = free.map(|run| run.id).collect();
        let run = match self.chance.pick(&free) {
            Some(run) if self.chance.likely(7) => run,
            _ => self.run(),
        };
        let token = match self.chance.pick(&self.claims) {
            Some((_, token)) if self.chance.likely(2) => token,
            _ => LeaseToken::new(self.uuid()),
        };
        let own = self.claims.iter().rev().find(|(id, _)| *id == run).copied();
        let token = match own {
            Some((_, token)) if self.chance.likely(2) => token,
            _ => token,
        };
        self.claims.push((run, token));
        Op::Claim(run, token, self.lease_ms())
    }

    fn heartbeat(&mut self) -> Op {
        let known = self.newest_held();
        let (run, epoch) = known.map_or((self.run(), 1), |state| (state.run_id, state.epoch));
        let epoch = if self.chance.likely(8) {
            epoch
        } else {
            epoch - 1
        };
        Op::Heartbeat(run, epoch, self.lease_ms())
    }

    fn decide(&mut self) -> Op {
        let Some(pause) = self.chance.pick(&self.rows.pauses) else {
            return self.claim();
        };
        let decision = match (pause.kind, self.chance.below(5)) {
            (_, 0) => None,
            (_, 1) => Some(Decision::Reject {
                reason: self.text("too dear", "n\0").to_owned(),
            }),
            (PauseKind::Approval, _) => Some(Decision::Approve),
            (PauseKind::Authorization, _) => Some(Decision::Authorize),
            (PauseKind::Input, _) => Some(Decision::Answer {
                text: self.text("seven", "se\0ven").to_owned(),
            }),
        };
        let unknown = u32::from(!self.chance.likely(9));
        Op::Decide(Decide {
            run_id: pause.run_id,
            call_id: pause.call_id,
            generation: u32::try_from(pause.generation).unwrap() + unknown,
            decision,
            by: self.text("ada", "b\0b").to_owned(),
        })
    }

    fn set_aside(&mut self) -> Op {
        let claim = self.claims.last().copied();
        let claim = if self.chance.likely(6) {
            claim
        } else {
            self.chance.pick(&self.claims)
        };
        let (run, token) = claim.unwrap_or((self.run(), LeaseToken::new(self.uuid())));
        let why = Failure {
            code: "unreadable".into(),
            message: self.text("of a newer build", "of a\0").to_owned(),
        };
        Op::SetAside(
            run,
            token,
            why,
            self.chance.of(&[0, MINUTE_MS, 15 * MINUTE_MS]),
        )
    }

    fn lease(&mut self) -> Op {
        let rows = self.rows.deliveries.iter();
        let open = rows.filter(|row| !row.status.is_terminal());
        let open: Vec<DeliveryId> = open.map(|row| row.id).collect();
        let id = match self.chance.pick(&open) {
            Some(id) if self.chance.likely(8) => id,
            _ => self.delivery(),
        };
        let own = self.leased.iter().rev().find(|leased| leased.id == id);
        let own = own.map(|leased| leased.token);
        let other = self.chance.pick(&self.leased).map(|leased| leased.token);
        let token = match (own, other, self.chance.below(10)) {
            (Some(own), _, 0..2) => own,
            (_, Some(other), 2) => other,
            _ => LeaseToken::new(self.uuid()),
        };
        Op::Lease(id, token, self.lease_ms())
    }

    fn redrive_run(&mut self) -> Op {
        let wanted = |run: &&RunRow| run.failure_code.is_some() || run.blocked_code.is_some();
        let wanted = self.rows.runs.iter().filter(wanted);
        let wanted: Vec<RunId> = wanted.map(|run| run.id).collect();
        let run = match self.chance.pick(&wanted) {
            Some(run) if self.chance.likely(8) => run,
            _ => self.run(),
        };
        let fresh = self.fresh_run();
        Op::RedriveRun(self.agent(), run, fresh)
    }

    fn redrive_delivery(&mut self) -> Op {
        let failed = self
            .rows
            .deliveries
            .iter()
            .filter(|row| row.status == DeliveryStatus::Failed);
        let failed: Vec<DeliveryId> = failed.map(|row| row.id).collect();
        let id = match self.chance.pick(&failed) {
            Some(id) if self.chance.likely(8) => id,
            _ => self.delivery(),
        };
        let fresh = self.fresh_delivery();
        Op::RedriveDelivery(self.agent(), id, fresh)
    }

    fn part(&mut self) -> Op {
        let Some(mut leased) = self.newest_leased() else {
            return self.lease();
        };
        if !self.chance.likely(8) {
            leased.token = LeaseToken::new(self.uuid());
        }
        let part = PartSent {
            id: leased.id,
            token: leased.token,
            parts_sent: u32::try_from(self.chance.below(3)).unwrap(),
            provider_id: self
                .chance
                .likely(7)
                .then(|| self.text("p1", "p\0").to_owned()),
        };
        Op::Part(part, self.lease_ms())
    }

    /// With a small limit only where it is no question which rows go.
    fn sweep(&mut self) -> Op {
        let now = self.memory.now();
        let all = &self.rows;
        let old = |id: RunId| {
            let mut runs = all.runs.iter().filter(|run| run.id == id);
            runs.any(|run| run.finished_at.is_some_and(|at| at < now - 3_000_000))
        };
        let gone = all.checkpoints.iter().filter(|row| old(row.run_id)).count();
        let limit = if gone < 2 && self.chance.likely(5) {
            1
        } else {
            1_000
        };
        Op::Sweep(limit)
    }

    fn need(&mut self) -> Op {
        let at = if self.chance.likely(6) {
            Place::Run { run_id: self.run() }
        } else {
            Place::Delivery {
                delivery_id: self.delivery(),
            }
        };
        Op::Need(self.agent(), at)
    }

    /// A run, now and then one that there is not.
    fn run(&mut self) -> RunId {
        match self.chance.pick(&self.rows.runs) {
            Some(run) if !self.chance.likely(1) => run.id,
            _ => RunId::new(Uuid::from_u128(7)),
        }
    }

    fn delivery(&mut self) -> DeliveryId {
        match self.chance.pick(&self.rows.deliveries) {
            Some(delivery) => delivery.id,
            None => DeliveryId::new(Uuid::from_u128(7)),
        }
    }

    fn fresh_run(&mut self) -> RunId {
        if self.chance.likely(9) {
            RunId::new(self.uuid())
        } else {
            self.run()
        }
    }

    fn fresh_delivery(&mut self) -> DeliveryId {
        if self.chance.likely(9) {
            DeliveryId::new(self.uuid())
        } else {
            self.delivery()
        }
    }

    /// A state that its holder knows: mostly one whose holder still holds it.
    fn newest_held(&mut self) -> Option<RunState> {
        let runs = &self.rows.runs;
        let live = |held: &&RunState| {
            runs.iter()
                .any(|run| run.id == held.run_id && run.epoch == held.epoch && run.leased)
        };
        let live: Vec<&RunState> = self.held.iter().filter(live).collect();
        if let Some(held) = self.chance.pick(&live)
            && self.chance.likely(8)
        {
            return Some(held.clone());
        }
        let back = usize::try_from(self.chance.below(4)).unwrap();
        let at = self.held.len().checked_sub(back + 1)?;
        self.held.get(at).cloned()
    }

    fn newest_leased(&mut self) -> Option<LeasedDelivery> {
        if self.chance.likely(6) {
            return self.leased.last().cloned();
        }
        self.chance.pick(&self.leased)
    }

    fn agent(&mut self) -> &'static str {
        if self.chance.likely(8) {
            AGENTS[0]
        } else {
            AGENTS[1]
        }
    }

    fn lease_ms(&mut self) -> u64 {
        self.chance.of(&[1, 1, 2, 10]) * MINUTE_MS
    }

    fn text(&mut self, usual: &'static str, dirty: &'static str) -> &'static str {
        if self.chance.likely(9) { usual } else { dirty }
    }

    fn uuid(&mut self) -> Uuid {
        self.ids += 1;
        Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0000 | self.ids)
    }
}
