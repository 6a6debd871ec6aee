//! The faults: Postgres ends and comes back, processes of functions are killed.

use std::sync::Arc;

use jiff::Timestamp;
use rustix::process::{Pid, Signal, kill_process};

use crate::clock::{Start, pause};
use crate::plan::{Kill, Plan, ServerEnd, ServerFault};
use crate::processes::{kill, kill_backend, living};
use crate::stage::{DATABASE, Home, Stage};

/// How long a kill waits for a process that is at work; some work for milliseconds only.
const AIM_MS: u64 = 800;
/// How often starting Postgres again is tried.
const STARTS_MAX: usize = 3;

/// A fault that struck.
#[derive(Debug, Clone)]
pub(crate) struct Struck {
    pub(crate) at: Timestamp,
    /// A function's name, or how Postgres ended.
    pub(crate) what: String,
    /// Whether it hit a process that was handling an event, or Postgres.
    pub(crate) was_busy: bool,
    /// How long Postgres was away, in milliseconds.
    pub(crate) away_ms: u64,
}

/// Strikes as planned.
pub(crate) async fn strike_all(stage: &Stage, plan: &Plan, start: Start) -> Vec<Struck> {
    let server = async {
        let mut struck = Vec::new();
        for fault in &plan.server {
            start.reach(fault.at_ms).await;
            struck.push(server(&stage.home, fault.clone()).await);
        }
        struck
    };
    let kills = async {
        let mut struck = Vec::new();
        for planned in &plan.kills {
            start.reach(planned.at_ms).await;
            if planned.all {
                struck.extend(kill_host(stage, planned.function).await);
            } else {
                struck.extend(kill_one(stage, planned).await);
            }
        }
        struck
    };
    let (mut struck, kills) = tokio::join!(server, kills);
    struck.extend(kills);
    struck.sort_by_key(|struck| struck.at);
    struck
}

/// Ends Postgres and brings it back. Blocks a thread of its own.
async fn server(home: &Arc<Home>, fault: ServerFault) -> Struck {
    let home = Arc::clone(home);
    let ending = move || {
        let mut cluster = home.cluster.lock().expect("no holder panics");
        let at = Timestamp::now();
        if fault.how == ServerEnd::BackendKilled {
            let postmaster = cluster.pid();
            return Struck {
                at,
                what: "postgres backend killed".to_owned(),
                was_busy: postmaster.is_some_and(|pid| kill_backend(pid, DATABASE)),
                away_ms: 0,
            };
        }
        match fault.how {
            ServerEnd::Killed => cluster.kill(),
            ServerEnd::Immediate => {
                let pid = cluster
                    .pid()
                    .and_then(|pid| Pid::from_raw(pid.cast_signed()));
                if let Some(pid) = pid {
                    kill_process(pid, Signal::QUIT).ok();
                }
            }
            ServerEnd::Restarted | ServerEnd::BackendKilled => {}
        }
        if fault.how != ServerEnd::Restarted {
            std::thread::sleep(std::time::Duration::from_millis(fault.down_ms));
        }
        let mut starts = (0..STARTS_MAX).map(|_| cluster.restart());
        let is_back = starts.any(|started| started.is_ok());
        assert!(
            is_back,
            "Postgres does not start again; see {}",
            cluster.log().display()
        );
        let away = at.duration_until(Timestamp::now());
        Struck {
            at,
            what: format!("Postgres {:?}", fault.how).to_lowercase(),
            was_busy: true,
            away_ms: u64::try_from(away.as_millis()).unwrap_or_default(),
        }
    };
    tokio::task::spawn_blocking(ending)
        .await
        .expect("Postgres comes back")
}

/// Kills every process of a function, as the end of its host does; none if it has none.
async fn kill_host(stage: &Stage, name: &str) -> Option<Struck> {
    let function = stage.function(name);
    let was_busy = function.busy() > 0;
    let has_any = was_busy || !function.idle_pids().is_empty();
    let at = Timestamp::now();
    function.kill_all().await;
    has_any.then(|| Struck {
        at,
        what: format!("every {name}"),
        was_busy,
        away_ms: 0,
    })
}

/// Kills one process of the planned function; none if it has none.
async fn kill_one(stage: &Stage, planned: &Kill) -> Option<Struck> {
    let aiming = Start::now();
    let chosen = loop {
        let gives_up = !planned.busy || aiming.elapsed_ms() > AIM_MS;
        // Asking the function is cheap; looking through the processes is not.
        if gives_up || stage.function(planned.function).busy() > 0 {
            let mut living = living(stage.binaries());
            living.retain(|process| process.function == planned.function);
            if planned.busy && living.iter().any(|process| !process.is_frozen) {
                living.retain(|process| !process.is_frozen);
            }
            let count = u64::try_from(living.len()).ok()?;
            let at_work = living.first().is_some_and(|process| !process.is_frozen);
            if gives_up || at_work {
                let pick = planned.pick.checked_rem(count)?;
                break living.into_iter().nth(usize::try_from(pick).ok()?)?;
            }
        }
        pause(1).await;
    };
    let at = Timestamp::now();
    kill(&chosen).then(|| Struck {
        at,
        what: planned.function.to_owned(),
        was_busy: !chosen.is_frozen,
        away_ms: 0,
    })
}
