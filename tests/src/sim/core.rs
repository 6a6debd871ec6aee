//! What the ports, the actors and the driver share: time, points, the queue, and what happened.

use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use openeve_domain::bell::Bell;
use openeve_domain::commit::Commit;
use openeve_domain::ids::{ConversationId, DeliveryId, RunId, ToolCallId};
use openeve_runtime::ports::PortError;

use super::fault::{Chance, Fault, Plan};

/// Names a worker: one invocation of one handler, or one thing a person does.
pub(super) type WorkerId = u64;

/// A message in the queue.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) bell: Bell,
    pub(super) visible_at: i64,
    pub(super) worker: Option<WorkerId>,
}

/// Where a worker waits.
#[derive(Debug)]
pub(super) struct Wait {
    pub(super) worker: WorkerId,
    pub(super) name: &'static str,
    /// When it may go on at the earliest; a point at once, a timer later.
    pub(super) at: i64,
    pub(super) timer: bool,
    pub(super) waker: Waker,
    /// What the driver decided: the outer option is whether it has.
    pub(super) verdict: Option<Result<(), PortError>>,
}

/// A tool that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Effect {
    /// The call.
    pub(super) call_id: ToolCallId,
    /// The tool.
    pub(super) tool: String,
    /// Answers it was run with, which tell its generations apart.
    pub(super) answers: usize,
    /// When.
    pub(super) at: i64,
}

/// A post that a receiver got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Post {
    /// The delivery, which is the dedupe key together with the part.
    pub(super) delivery_id: DeliveryId,
    /// The part.
    pub(super) part: u32,
    /// The run.
    pub(super) run_id: RunId,
}

/// What is known of the lease on a run, as its holders see it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    pub(super) run_id: RunId,
    pub(super) epoch: i64,
    pub(super) until: i64,
}

/// Everything shared.
pub(super) struct Core {
    /// The virtual clock, which is the database's, in milliseconds since the epoch.
    pub(super) now: i64,
    pub(super) chance: Chance,
    pub(super) plan: Plan,
    /// Points passed so far.
    pub(super) points: u64,
    /// The names of the points passed, if wanted.
    pub(super) names: Option<Vec<&'static str>>,
    /// Whether faults may still fall.
    pub(super) disturbed: bool,
    pub(super) faults: u64,
    pub(super) waits: BTreeMap<u64, Wait>,
    next_token: u64,
    /// Workers that are frozen, until when.
    pub(super) frozen: HashMap<WorkerId, i64>,
    pub(super) skew_ms: HashMap<WorkerId, i64>,
    pub(super) queue: Vec<Message>,
    /// The newest commit of each worker.
    pub(super) last_commit: HashMap<WorkerId, Commit>,
    /// Commits that arrive late.
    pub(super) late: Vec<(i64, Commit)>,
    pub(super) effects: Vec<Effect>,
    pub(super) posts: Vec<Post>,
    /// The newest epoch that a claim returned, by run.
    pub(super) epochs: HashMap<RunId, i64>,
    /// Who works in which conversation.
    pub(super) held: HashMap<ConversationId, Held>,
    /// When a run's holder was killed or frozen, until somebody claims it again.
    pub(super) interrupted: HashMap<RunId, i64>,
    /// How long that took.
    pub(super) resumed_after: Vec<i64>,
    pub(super) violations: Vec<String>,
    pub(super) trace: Option<Vec<String>>,
    ids: u128,
}

impl Core {
    pub(super) fn new(plan: Plan, begin: i64) -> Self {
        let seed = match &plan {
            Plan::Seed(seed) => *seed,
            Plan::Calm | Plan::At(_) => 0,
        };
        Self {
            now: begin,
            chance: Chance::new(seed),
            disturbed: !matches!(plan, Plan::Calm),
            plan,
            points: 0,
            names: None,
            faults: 0,
            waits: BTreeMap::new(),
            next_token: 0,
            frozen: HashMap::new(),
            skew_ms: HashMap::new(),
            queue: Vec::new(),
            last_commit: HashMap::new(),
            late: Vec::new(),
            effects: Vec::new(),
            posts: Vec::new(),
            epochs: HashMap::new(),
            held: HashMap::new(),
            interrupted: HashMap::new(),
            resumed_after: Vec::new(),
            violations: Vec::new(),
            trace: None,
            ids: 0,
        }
    }

    /// Whether the order of things is random.
    pub(super) const fn random(&self) -> bool {
        matches!(self.plan, Plan::Seed(_))
    }

    /// A new id; the same in every history of the same plan.
    pub(super) fn uuid(&mut self) -> uuid::Uuid {
        self.ids += 1;
        uuid::Uuid::from_u128((0x0192_u128 << 112) | (7 << 76) | (2 << 62) | self.ids)
    }

    pub(super) fn violated(&mut self, what: impl Into<String>) {
        let what = what.into();
        self.say(|| format!("VIOLATION {what}"));
        if self.violations.len() < 20 {
            self.violations.push(what);
        }
    }

    pub(super) fn say(&mut self, what: impl FnOnce() -> String) {
        let now = self.now;
        if let Some(trace) = &mut self.trace {
            trace.push(format!("{now:>10} {}", what()));
        }
    }

    pub(super) fn ring(&mut self, bell: Bell, delay_ms: i64) {
        let visible_at = self.now + delay_ms;
        self.queue.push(Message {
            bell,
            visible_at,
            worker: None,
        });
    }

    /// The fault that falls at the next point of this name, if any; counts the point.
    pub(super) fn fault(&mut self, name: &'static str) -> Option<Fault> {
        let number = self.points;
        self.points += 1;
        if let Some(names) = &mut self.names {
            names.push(name);
        }
        if !self.disturbed {
            return None;
        }
        let fault = match &self.plan {
            Plan::Calm => None,
            Plan::At(faults) => faults
                .iter()
                .find(|(at, _)| *at == number)
                .map(|(_, fault)| *fault),
            Plan::Seed(_) => self.chance.happens(FAULTS_PER_MILLE).then(|| {
                let which = self.chance.below(Fault::ALL.len() as u64);
                Fault::ALL[usize::try_from(which).unwrap_or(0)]
            }),
        };
        self.faults += u64::from(fault.is_some());
        fault
    }
}

/// How often a fault falls at a point of a seeded history.
const FAULTS_PER_MILLE: u64 = 40;

/// A handle on what is shared, for one worker.
#[derive(Clone)]
pub(super) struct Worker {
    pub(super) core: Arc<Mutex<Core>>,
    pub(super) id: WorkerId,
}

impl Worker {
    pub(super) fn lock(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap()
    }

    /// Waits until the driver lets this worker go on; an error is what its operation fails with.
    pub(super) fn point(&self, name: &'static str) -> Stop {
        Stop {
            worker: self.clone(),
            name,
            wait_ms: None,
            token: None,
        }
    }

    /// Waits for virtual time to pass.
    pub(super) fn timer(&self, ms: u64) -> Stop {
        Stop {
            worker: self.clone(),
            name: "timer",
            wait_ms: Some(i64::try_from(ms).unwrap_or(i64::MAX / 4)),
            token: None,
        }
    }
}

/// A worker that waits.
pub(super) struct Stop {
    worker: Worker,
    name: &'static str,
    wait_ms: Option<i64>,
    token: Option<u64>,
}

impl Future for Stop {
    type Output = Result<(), PortError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let worker = self.worker.clone();
        let mut core = worker.lock();
        if let Some(token) = self.token {
            let Some(wait) = core.waits.get_mut(&token) else {
                return Poll::Pending;
            };
            if let Some(verdict) = wait.verdict.take() {
                core.waits.remove(&token);
                self.token = None;
                return Poll::Ready(verdict);
            }
            wait.waker.clone_from(context.waker());
            return Poll::Pending;
        }
        let token = core.next_token;
        core.next_token += 1;
        let at = core.now + self.wait_ms.unwrap_or(0);
        core.waits.insert(
            token,
            Wait {
                worker: worker.id,
                name: self.name,
                at,
                timer: self.wait_ms.is_some(),
                waker: context.waker().clone(),
                verdict: None,
            },
        );
        self.token = Some(token);
        Poll::Pending
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        if let Some(token) = self.token
            && let Ok(mut core) = self.worker.core.lock()
        {
            core.waits.remove(&token);
        }
    }
}
