//! The driver: who goes on next, what goes wrong, and when it is quiet.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use openeve_domain::bell::{Bell, Place};
use openeve_domain::limits::{MINUTE_MS, STEP_FUNCTION_TIMEOUT_MS};
use openeve_memory::MemoryStore;
use openeve_runtime::tick::tick;

use super::core::{Core, WorkerId};
use super::fault::{Fault, Plan};
use super::history::Wanted;
use super::invariants;
use super::ports::unknown;
use super::scenario::{Habit, Say, Scenario, Script};

/// The virtual clock's beginning: a whole hour, so that schedules are easy to read.
const BEGIN: i64 = 1_800_000_000_000;
const TICK_MS: i64 = 60_000;
/// A queue's visibility time-out: a message of a worker that was killed comes back after this.
const VISIBILITY_MS: i64 = 30 * 60_000;
/// How long seeded histories are disturbed.
const DISTURBED_MS: i64 = 12 * 60_000;
/// Faults of a seeded history at most.
const FAULTS_MAX: u64 = 14;
/// Workers that answer bells at once.
const REPLICAS: usize = 3;
/// Decisions of the driver in one history at most.
const MOVES_MAX: u64 = 60_000;
/// What a worker is for.
#[derive(Debug, Clone)]
pub(super) enum Task {
    Bell(Bell),
    Post(usize),
    Tick,
    Person,
}

pub(super) struct Running {
    pub(super) task: Task,
    pub(super) begun: i64,
    pub(super) work: Pin<Box<dyn Future<Output = bool> + Send>>,
}

pub(super) struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A message on its way in.
pub(super) struct Post {
    pub(super) say: Say,
    pub(super) id: String,
    pub(super) acknowledged: bool,
    pub(super) copies: u32,
    pub(super) at: i64,
    pub(super) under_way: bool,
}

#[derive(Clone, Copy)]
enum Move {
    Resume(u64),
    Take(usize),
    Late(usize),
    Post(usize),
    Tick,
    People,
    Cancel,
}

pub(super) struct Driver {
    pub(super) core: Arc<Mutex<Core>>,
    pub(super) memory: Arc<MemoryStore>,
    pub(super) script: Arc<Script>,
    pub(super) running: BTreeMap<WorkerId, Running>,
    pub(super) workers: WorkerId,
    pub(super) posts: Vec<Post>,
    /// Ids of messages that were meant as answers.
    pub(super) answered: Vec<String>,
    pub(super) habit: Habit,
    pub(super) cancel: Option<(i64, &'static str)>,
    pub(super) next_tick: i64,
    pub(super) next_people: i64,
    pub(super) last_fire: i64,
    /// Points passed when people last looked.
    pub(super) looked_at: u64,
    pub(super) flag: Arc<Flag>,
}

impl Driver {
    pub(super) fn new(scenario: &Scenario, plan: &Plan, wanted: &Wanted) -> Self {
        let mut core = Core::new(plan.clone(), BEGIN);
        core.names = wanted.names.then(Vec::new);
        core.trace = wanted.trace.then(Vec::new);
        let core = Arc::new(Mutex::new(core));
        let clock = core.clone();
        let clock = Arc::new(move || clock.lock().unwrap().now);
        let posts = scenario.says.iter().enumerate().map(|(at, say)| Post {
            id: format!("m{at}"),
            acknowledged: false,
            copies: say.copies,
            at: BEGIN + say.at_ms,
            say: say.clone(),
            under_way: false,
        });
        let last_fire = if scenario.fires > 0 {
            BEGIN + i64::try_from(scenario.fires * 2 * MINUTE_MS).unwrap_or(0)
        } else {
            BEGIN
        };
        Self {
            memory: Arc::new(MemoryStore::with_clauses(clock, wanted.clauses.clone())),
            script: Arc::new(scenario.script()),
            running: BTreeMap::new(),
            workers: 0,
            posts: posts.collect(),
            answered: Vec::new(),
            habit: scenario.habit,
            cancel: scenario.cancel.map(|(at, of)| (BEGIN + at, of)),
            next_tick: BEGIN + TICK_MS,
            next_people: BEGIN + 5_000,
            last_fire,
            looked_at: u64::MAX,
            flag: Arc::new(Flag(AtomicBool::new(false))),
            core,
        }
    }

    /// Plays until it is quiet; `false` if it never is.
    pub(super) fn play(&mut self) -> bool {
        for _ in 0..MOVES_MAX {
            let moves = self.moves();
            if moves.is_empty() {
                if self.is_quiet() {
                    return true;
                }
                self.pass_time();
                continue;
            }
            let which = {
                let mut core = self.core.lock().unwrap();
                if core.random() {
                    core.now += i64::try_from(core.chance.below(25)).unwrap_or(0);
                    usize::try_from(core.chance.below(moves.len() as u64)).unwrap_or(0)
                } else {
                    core.now += 1;
                    0
                }
            };
            let chosen = moves.into_iter().nth(which);
            if let Some(chosen) = chosen {
                self.make(chosen);
            }
            self.calm_down();
        }
        false
    }

    /// Seeded histories are disturbed for a while only.
    fn calm_down(&self) {
        let mut core = self.core.lock().unwrap();
        if core.random()
            && core.disturbed
            && (core.now > BEGIN + DISTURBED_MS || core.faults >= FAULTS_MAX)
        {
            core.disturbed = false;
            core.say(|| "no more faults".to_owned());
        }
    }

    fn moves(&self) -> Vec<Move> {
        let core = self.core.lock().unwrap();
        let now = core.now;
        let mut moves = Vec::new();
        for (token, wait) in &core.waits {
            let thawed = core
                .frozen
                .get(&wait.worker)
                .is_none_or(|until| *until <= now);
            if wait.at <= now && thawed && wait.verdict.is_none() {
                moves.push(Move::Resume(*token));
            }
        }
        for (at, post) in self.posts.iter().enumerate() {
            let wanted = !post.acknowledged || post.copies > 0;
            if wanted && !post.under_way && post.at <= now {
                moves.push(Move::Post(at));
            }
        }
        let answering = self
            .running
            .values()
            .filter(|running| matches!(running.task, Task::Bell(_)))
            .count();
        if answering < REPLICAS {
            for (at, message) in core.queue.iter().enumerate() {
                if message.worker.is_none() && message.visible_at <= now {
                    moves.push(Move::Take(at));
                }
            }
        }
        for (at, (due, _)) in core.late.iter().enumerate() {
            if *due <= now {
                moves.push(Move::Late(at));
            }
        }
        if self.cancel.is_some_and(|(at, _)| at <= now) {
            moves.push(Move::Cancel);
        }
        if self.next_tick <= now {
            moves.push(Move::Tick);
        }
        if self.next_people <= now {
            moves.push(Move::People);
        }
        moves
    }

    /// Nothing is to be done now: time passes until something is.
    fn pass_time(&self) {
        let mut core = self.core.lock().unwrap();
        let now = core.now;
        let waits = core.waits.values().map(|wait| {
            let thaws = core.frozen.get(&wait.worker).copied().unwrap_or(wait.at);
            wait.at.max(thaws)
        });
        let messages = core
            .queue
            .iter()
            .filter(|message| message.worker.is_none())
            .map(|message| message.visible_at);
        let late = core.late.iter().map(|(due, _)| *due);
        let posts = self.posts.iter().map(|post| post.at);
        let others = [self.next_tick, self.next_people];
        let cancel = self.cancel.iter().map(|(at, _)| *at);
        let next = waits
            .chain(messages)
            .chain(late)
            .chain(posts)
            .chain(others)
            .chain(cancel)
            .filter(|at| *at > now)
            .min();
        core.now = next.unwrap_or(now + 1);
    }

    fn is_quiet(&self) -> bool {
        let core = self.core.lock().unwrap();
        let posted = self
            .posts
            .iter()
            .all(|post| post.acknowledged && post.copies == 0 && !post.under_way);
        let idle = self.running.is_empty() && core.queue.is_empty() && core.late.is_empty();
        let fired = core.now >= self.last_fire + 2 * TICK_MS || self.last_fire == BEGIN;
        let quiet = posted && idle && fired && self.cancel.is_none();
        drop(core);
        quiet && invariants::open(&self.memory.snapshot()).is_empty()
    }

    fn make(&mut self, chosen: Move) {
        match chosen {
            Move::Resume(token) => self.resume(token),
            Move::Take(at) => {
                let id = self.workers;
                let bell = {
                    let mut core = self.core.lock().unwrap();
                    let Some(message) = core.queue.get_mut(at) else {
                        return;
                    };
                    message.worker = Some(id);
                    message.bell.clone()
                };
                self.answer(bell);
            }
            Move::Late(at) => {
                let commit = self.core.lock().unwrap().late.remove(at).1;
                let ports = self.ports(u64::MAX);
                let mut late = Box::pin(async move { ports.late(&commit).await });
                // The store in memory answers at once.
                let _ = late.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            }
            Move::Post(at) => self.post(at),
            Move::Tick => {
                self.next_tick += TICK_MS;
                let ports = self.ports(self.workers);
                let deps = self.tick_deps(&ports);
                self.start(
                    Task::Tick,
                    Box::pin(async move { tick(&deps).await.is_ok() }),
                );
            }
            Move::People => self.people(),
            Move::Cancel => self.cancel(),
        }
    }

    /// Lets a worker go on behind its point, or not.
    fn resume(&mut self, token: u64) {
        let (worker, fault, name) = {
            let mut core = self.core.lock().unwrap();
            let Some((worker, name, timer)) = core
                .waits
                .get(&token)
                .map(|wait| (wait.worker, wait.name, wait.timer))
            else {
                return;
            };
            let fault = if timer { None } else { core.fault(name) };
            let fault = fault.filter(|fault| fault.falls_at(name));
            if let Some(fault) = fault {
                core.say(|| format!("FAULT {fault} at {name} of w{worker}"));
            }
            (worker, fault, name)
        };
        match fault {
            Some(Fault::Kill) => return self.kill(worker),
            Some(Fault::Freeze) => return self.freeze(worker, 150_000),
            Some(Fault::Delay) => return self.freeze(worker, 15_000),
            Some(Fault::Duplicate) => self.duplicate(worker),
            Some(Fault::LateCopy) => self.copy_late(worker),
            Some(Fault::Unknown) | None => {}
        }
        let verdict = match fault {
            Some(Fault::Unknown) => Err(unknown()),
            _ => Ok(()),
        };
        let waker = {
            let mut core = self.core.lock().unwrap();
            let Some(wait) = core.waits.get_mut(&token) else {
                return;
            };
            debug_assert_eq!(wait.name, name);
            wait.verdict = Some(verdict);
            wait.waker.clone()
        };
        waker.wake();
        self.poll(worker);
    }

    fn copy_late(&self, worker: WorkerId) {
        let mut core = self.core.lock().unwrap();
        let due = core.now + 30_000;
        if let Some(commit) = core.last_commit.get(&worker).cloned() {
            core.late.push((due, commit));
        }
    }

    fn freeze(&self, worker: WorkerId, ms: i64) {
        let mut core = self.core.lock().unwrap();
        let until = core.now + ms;
        core.frozen.insert(worker, until);
        if ms > 60_000 {
            self.interrupted(&mut core, worker);
        }
    }

    /// Whatever this worker held waits for recovery from now on.
    fn interrupted(&self, core: &mut Core, worker: WorkerId) {
        let Some(Running {
            task: Task::Bell(bell),
            ..
        }) = self.running.get(&worker)
        else {
            return;
        };
        if let Place::Run { run_id } = bell.at
            && core.held.values().any(|held| held.run_id == run_id)
        {
            let now = core.now;
            core.interrupted.entry(run_id).or_insert(now);
        }
    }

    fn duplicate(&mut self, worker: WorkerId) {
        match self
            .running
            .get(&worker)
            .map(|running| running.task.clone())
        {
            Some(Task::Bell(bell)) => self.core.lock().unwrap().ring(bell, 0),
            Some(Task::Post(at)) => {
                if let Some(post) = self.posts.get_mut(at) {
                    post.copies += 1;
                }
            }
            Some(Task::Tick) => self.next_tick = self.core.lock().unwrap().now,
            Some(Task::Person) | None => {}
        }
    }

    fn kill(&mut self, worker: WorkerId) {
        {
            let mut core = self.core.lock().unwrap();
            self.interrupted(&mut core, worker);
        }
        // Dropped outside the lock: its waits remove themselves.
        let Some(running) = self.running.remove(&worker) else {
            return;
        };
        let task = running.task;
        drop(running.work);
        self.ended(worker, &task, None);
    }

    /// What becomes of what a worker was for.
    fn ended(&mut self, worker: WorkerId, task: &Task, well: Option<bool>) {
        let mut core = self.core.lock().unwrap();
        core.say(|| format!("w{worker} ended {well:?}"));
        core.frozen.remove(&worker);
        core.skew_ms.remove(&worker);
        core.last_commit.remove(&worker);
        let now = core.now;
        match task {
            Task::Bell(_) => {
                let at = core
                    .queue
                    .iter()
                    .position(|message| message.worker == Some(worker));
                let Some(at) = at else { return };
                if well == Some(true) {
                    core.queue.remove(at);
                } else if let Some(message) = core.queue.get_mut(at) {
                    message.worker = None;
                    message.visible_at = now + VISIBILITY_MS;
                }
            }
            Task::Post(at) => {
                if let Some(post) = self.posts.get_mut(*at) {
                    post.under_way = false;
                    post.copies = post.copies.saturating_sub(1);
                    post.acknowledged |= well == Some(true);
                    post.at = now + 7_000;
                }
            }
            Task::Tick | Task::Person => {}
        }
    }

    pub(super) fn start(&mut self, task: Task, work: Pin<Box<dyn Future<Output = bool> + Send>>) {
        let id = self.workers;
        self.workers += 1;
        let begun = {
            let mut core = self.core.lock().unwrap();
            if core.random() {
                let skew = i64::try_from(core.chance.below(1_200_000)).unwrap_or(0) - 600_000;
                core.skew_ms
                    .insert(id, if matches!(task, Task::Tick) { 0 } else { skew });
            }
            core.say(|| format!("w{id} begins {task:?}"));
            core.now
        };
        self.running.insert(id, Running { task, begun, work });
        self.poll(id);
    }

    fn poll(&mut self, id: WorkerId) {
        let Some(running) = self.running.get_mut(&id) else {
            return;
        };
        let waker = Waker::from(self.flag.clone());
        let mut context = Context::from_waker(&waker);
        let polled = running.work.as_mut().poll(&mut context);
        let now = self.core.lock().unwrap().now;
        let late = now - running.begun > i64::try_from(STEP_FUNCTION_TIMEOUT_MS).unwrap_or(0);
        match polled {
            Poll::Ready(well) => {
                let task = running.task.clone();
                self.running.remove(&id);
                self.ended(id, &task, Some(well));
            }
            // The platform ends what takes longer than its time-out.
            Poll::Pending if late => self.kill(id),
            Poll::Pending => {}
        }
    }
}
