//! The function processes as the system sees them: who lives, who is frozen, how much memory.
//!
//! Only direct children of this very process whose program lies in the soak's own folder, and the
//! children of its own Postgres, are ever touched; nobody else's process is.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rustix::process::{Pid, Signal, kill_process};
use tokio::task::JoinHandle;

use crate::clock::{Start, pause};

/// How often memory is looked at.
const LOOK_MS: u64 = 500;

/// A living process of a function.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    pub(crate) pid: Pid,
    /// The function's name.
    pub(crate) function: String,
    /// Whether it waits for its next event, stopped as Lambda stops it.
    pub(crate) is_frozen: bool,
    /// The most memory it has had resident, in KiB.
    pub(crate) peak_kib: u64,
}

/// The function processes that live now, in order of their ids.
pub(crate) fn living(binaries: &Path) -> Vec<Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut found: Vec<Process> = entries
        .filter_map(|entry| look(entry.file_name().to_str()?.parse().ok()?, binaries))
        .collect();
    found.sort_by_key(|process| process.pid.as_raw_pid());
    found
}

fn look(pid: i32, binaries: &Path) -> Option<Process> {
    let (state, parent) = state_and_parent(pid)?;
    if parent != std::process::id() || matches!(state.as_str(), "Z" | "X") {
        return None;
    }
    let program = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    if program.parent() != Some(binaries) {
        return None;
    }
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(Process {
        pid: Pid::from_raw(pid)?,
        function: program.file_name()?.to_str()?.to_owned(),
        is_frozen: state == "T",
        peak_kib: peak.trim().trim_end_matches(" kB").parse().ok()?,
    })
}

/// Kills one with SIGKILL; whether it was still there.
pub(crate) fn kill(process: &Process) -> bool {
    kill_process(process.pid, Signal::KILL).is_ok()
}

/// Kills one backend of a Postgres of ours that serves this database; whether there was one.
pub(crate) fn kill_backend(postmaster: u32, database: &str) -> bool {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let backend = pids.find(|pid| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let serves = String::from_utf8_lossy(&line).contains(&format!(" {database} "));
        serves && state_and_parent(*pid).is_some_and(|(_, parent)| parent == postmaster)
    });
    let backend = backend.and_then(Pid::from_raw);
    backend.is_some_and(|pid| kill_process(pid, Signal::KILL).is_ok())
}

fn state_and_parent(pid: i32) -> Option<(String, u32)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Both follow the name, which stands in brackets.
    let mut words = stat.rsplit(") ").next()?.split(' ');
    Some((words.next()?.to_owned(), words.next()?.parse().ok()?))
}

/// What the memory of one function was.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory {
    /// The most that any process had, in KiB, with the moment it was seen.
    pub(crate) looks: Vec<(u64, u64)>,
    /// The most processes at once.
    pub(crate) most: usize,
}

impl Memory {
    /// The most of all.
    pub(crate) fn peak_kib(&self) -> u64 {
        self.looks
            .iter()
            .map(|(_, kib)| *kib)
            .max()
            .unwrap_or_default()
    }

    /// The most in one part of the time; the parts are numbered from 0.
    pub(crate) fn peak_kib_in(&self, part: u64, of: u64) -> u64 {
        let end = self.looks.last().map_or(0, |(at, _)| at + 1).max(1);
        let inside = self.looks.iter().filter(|(at, _)| at * of / end == part);
        inside.map(|(_, kib)| *kib).max().unwrap_or_default()
    }
}

/// Looks at the memory of all function processes until it is ended.
pub(crate) struct Watch {
    seen: Arc<Mutex<BTreeMap<String, Memory>>>,
    task: JoinHandle<()>,
}

impl Watch {
    pub(crate) fn start(binaries: PathBuf) -> Self {
        let seen: Arc<Mutex<BTreeMap<String, Memory>>> = Arc::default();
        let kept = Arc::clone(&seen);
        let start = Start::now();
        let task = tokio::spawn(async move {
            loop {
                let at_ms = start.elapsed_ms();
                let mut now: BTreeMap<String, (u64, usize)> = BTreeMap::new();
                for process in living(&binaries) {
                    let (peak, count) = now.entry(process.function).or_default();
                    *peak = (*peak).max(process.peak_kib);
                    *count += 1;
                }
                for (function, (peak, count)) in now {
                    let mut kept = kept.lock().unwrap();
                    let memory = kept.entry(function).or_default();
                    memory.looks.push((at_ms, peak));
                    memory.most = memory.most.max(count);
                }
                pause(LOOK_MS).await;
            }
        });
        Self { seen, task }
    }

    /// Stops looking.
    pub(crate) fn end(self) -> BTreeMap<String, Memory> {
        self.task.abort();
        std::mem::take(&mut *self.seen.lock().unwrap())
    }
}
