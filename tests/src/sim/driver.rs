//! The driver: who goes on next, what goes wrong, and when it is quiet.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use openeve_domain::bell::{Bell, Place};
use openeve_domain::limits::{MINUTE_MS, STEP_FUNCTION_TIMEOUT_MS};
use openeve_domain::pause::{PauseKind, PauseStatus};
use openeve_memory::{Clauses, MemoryStore};
use openeve_runtime::delivery::{DeliveryDeps, deliver};
use openeve_runtime::ingress::IngressDeps;
use openeve_runtime::ports::NoObserver;
use openeve_runtime::resume::ResumeDeps;
use openeve_runtime::step::{StepDeps, step};
use openeve_runtime::tick::{TickDeps, tick};

use super::actors;
use super::core::{Core, Worker, WorkerId};
use super::fault::{Fault, Plan};
use super::invariants;
use super::ports::{Ports, unknown};
use super::scenario::{Habit, Say, Scenario, Script};
use crate::tap::TappedStore;

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
/// How long a single interruption may keep a run waiting: its lease and some slack, since the tick
/// before the lease's end has told the queue when to ring.
const RESUMED_WITHIN_MS: i64 = 60_000 + 15_000;

/// What a history came to.
#[derive(Debug, Clone)]
pub struct Report {
    /// What was broken; empty if nothing was.
    pub violations: Vec<String>,
    /// Points passed.
    pub points: u64,
    /// Their names, if asked for.
    pub names: Vec<&'static str>,
    /// Faults that fell.
    pub faults: u64,
    /// Virtual milliseconds from each interruption to the claim that resumed it.
    pub resumed_after: Vec<i64>,
    /// What happened, if asked for.
    pub trace: Vec<String>,
}

/// What is wanted of a simulation beside its verdict.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// The names of the points.
    pub names: bool,
    /// What happened.
    pub trace: bool,
    /// The store's safety clauses.
    pub clauses: Clauses,
}

/// Plays one history and checks it.
pub fn simulate(scenario: &Scenario, plan: &Plan, wanted: &Wanted) -> Report {
    let mut driver = Driver::new(scenario, plan, wanted);
    let came_to_rest = driver.play();
    let snapshot = driver.memory.snapshot();
    let mut core = driver.core.lock().unwrap();
    if !came_to_rest {
        let open: Vec<String> = invariants::open(&snapshot);
        core.violated(format!("I4/I17: it does not come to rest: {open:?}"));
    }
    if matches!(plan, Plan::At(faults) if faults.len() == 1)
        && let Some(late) = core
            .resumed_after
            .iter()
            .find(|ms| **ms > RESUMED_WITHIN_MS)
    {
        let late = *late;
        core.violated(format!(
            "I17: an interrupted run was resumed after {late} ms"
        ));
    }
    for violation in invariants::check(scenario, &snapshot, &core, &driver.answered) {
        core.violated(violation);
    }
    Report {
        violations: std::mem::take(&mut core.violations),
        points: core.points,
        names: core.names.take().unwrap_or_default(),
        faults: core.faults,
        resumed_after: std::mem::take(&mut core.resumed_after),
        trace: core.trace.take().unwrap_or_default(),
    }
}

/// What a worker is for.
#[derive(Debug, Clone)]
enum Task {
    Bell(Bell),
    Post(usize),
    Tick,
    Person,
}

struct Running {
    task: Task,
    begun: i64,
    work: Pin<Box<dyn Future<Output = bool> + Send>>,
}

struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A message on its way in.
struct Post {
    say: Say,
    id: String,
    acknowledged: bool,
    copies: u32,
    at: i64,
    under_way: bool,
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

struct Driver {
    core: Arc<Mutex<Core>>,
    memory: Arc<MemoryStore>,
    script: Arc<Script>,
    running: BTreeMap<WorkerId, Running>,
    workers: WorkerId,
    posts: Vec<Post>,
    /// Ids of messages that were meant as answers.
    answered: Vec<String>,
    habit: Habit,
    cancel: Option<(i64, &'static str)>,
    next_tick: i64,
    next_people: i64,
    last_fire: i64,
    /// Points passed when people last looked.
    looked_at: u64,
    flag: Arc<Flag>,
}

impl Driver {
    fn new(scenario: &Scenario, plan: &Plan, wanted: &Wanted) -> Self {
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
    fn play(&mut self) -> bool {
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

    fn post(&mut self, at: usize) {
        let ports = self.ports(self.workers);
        let deps = self.ingress_deps(&ports);
        let Some(post) = self.posts.get_mut(at) else {
            return;
        };
        post.under_way = true;
        let (id, say) = (post.id.clone(), post.say.clone());
        self.start(Task::Post(at), Box::pin(actors::post(deps, id, say)));
    }

    fn answer(&mut self, bell: Bell) {
        let ports = self.ports(self.workers);
        match bell.at {
            Place::Run { run_id } => {
                let deps = self.step_deps(&ports);
                let work =
                    async move { step(&deps, run_id, STEP_FUNCTION_TIMEOUT_MS).await.is_ok() };
                self.start(Task::Bell(bell), Box::pin(work));
            }
            Place::Delivery { delivery_id } => {
                let deps = self.delivery_deps(&ports);
                let work = async move { deliver(&deps, delivery_id).await.is_ok() };
                self.start(Task::Bell(bell), Box::pin(work));
            }
        }
    }

    fn people(&mut self) {
        self.next_people += 9_000;
        // Nothing has happened since they last looked.
        let points = self.core.lock().unwrap().points;
        if std::mem::replace(&mut self.looked_at, points) == points {
            return;
        }
        let snapshot = self.memory.snapshot();
        for act in actors::acts(self.habit, &snapshot) {
            let deps = self.resume_deps(&self.ports(self.workers));
            let work = async move {
                actors::act(deps, act).await;
                true
            };
            self.start(Task::Person, Box::pin(work));
        }
        let asked = snapshot
            .pauses
            .iter()
            .any(|pause| pause.status == PauseStatus::Pending && pause.kind == PauseKind::Input);
        let writing = self.posts.iter().any(|post| !post.acknowledged);
        if self.habit == Habit::Reply && asked && !writing {
            let now = self.core.lock().unwrap().now;
            let id = format!("answer{}", self.answered.len());
            self.answered.push(id.clone());
            let say = Say {
                at_ms: 0,
                conversation: "a",
                text: "\"yes",
                copies: 1,
            };
            self.posts.push(Post {
                copies: say.copies,
                say,
                id,
                acknowledged: false,
                at: now,
                under_way: false,
            });
        }
    }

    fn cancel(&mut self) {
        self.cancel = None;
        let snapshot = self.memory.snapshot();
        let Some(run) = snapshot.runs.iter().find(|run| !run.status.is_terminal()) else {
            return;
        };
        let deps = self.resume_deps(&self.ports(self.workers));
        let id = run.id;
        let work = async move {
            actors::stop(deps, id).await;
            true
        };
        self.start(Task::Person, Box::pin(work));
    }

    fn start(&mut self, task: Task, work: Pin<Box<dyn Future<Output = bool> + Send>>) {
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

    fn ports(&self, id: WorkerId) -> Ports {
        Ports {
            worker: Worker {
                core: self.core.clone(),
                id,
            },
            memory: self.memory.clone(),
            script: self.script.clone(),
        }
    }

    fn store(&self, ports: &Ports) -> Arc<TappedStore<Ports>> {
        Arc::new(TappedStore {
            store: self.memory.clone(),
            tap: ports.clone(),
        })
    }

    fn step_deps(&self, ports: &Ports) -> StepDeps {
        StepDeps {
            store: self.store(ports),
            engine: Arc::new(ports.clone()),
            tools: Arc::new(ports.clone()),
            arguments: Arc::default(),
            sender: Arc::new(ports.clone()),
            doorbell: Arc::new(ports.clone()),
            clock: Arc::new(ports.clone()),
            ids: Arc::new(ports.clone()),
            observer: Arc::new(NoObserver),
            manifest: self.script.manifest.clone(),
            settings: self.script.settings.clone(),
            draining: Arc::default(),
        }
    }

    fn delivery_deps(&self, ports: &Ports) -> DeliveryDeps {
        DeliveryDeps {
            store: self.store(ports),
            sender: Arc::new(ports.clone()),
            doorbell: Arc::new(ports.clone()),
            clock: Arc::new(ports.clone()),
            ids: Arc::new(ports.clone()),
            observer: Arc::new(NoObserver),
            manifest: self.script.manifest.clone(),
            settings: self.script.settings.clone(),
        }
    }

    fn tick_deps(&self, ports: &Ports) -> TickDeps {
        TickDeps {
            store: self.store(ports),
            doorbell: Arc::new(ports.clone()),
            clock: Arc::new(ports.clone()),
            ids: Arc::new(ports.clone()),
            observer: Arc::new(NoObserver),
            manifest: self.script.manifest.clone(),
            settings: self.script.settings.clone(),
            registered: Arc::new(true.into()),
        }
    }

    fn ingress_deps(&self, ports: &Ports) -> IngressDeps {
        IngressDeps {
            store: self.store(ports),
            doorbell: Arc::new(ports.clone()),
            clock: Arc::new(ports.clone()),
            ids: Arc::new(ports.clone()),
            observer: Arc::new(NoObserver),
            manifest: self.script.manifest.clone(),
            settings: self.script.settings.clone(),
            env: Arc::default(),
            admin_token: None,
        }
    }

    fn resume_deps(&self, ports: &Ports) -> ResumeDeps {
        ResumeDeps {
            store: self.store(ports),
            doorbell: Arc::new(ports.clone()),
            ids: Arc::new(ports.clone()),
            observer: Arc::new(NoObserver),
            agent_id: self.script.manifest.agent.id.clone(),
        }
    }
}
