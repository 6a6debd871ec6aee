//! The server process as the system sees it: its lock file, whether it lives, its end.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

/// How often a state that cannot be waited for is looked at.
pub(crate) const POLL: Duration = Duration::from_millis(10);
/// Polls until a fast shutdown counts as stuck: 30 s.
const FAST_POLLS_MAX: u32 = 3_000;
/// Polls until an immediate shutdown counts as stuck: 5 s.
const IMMEDIATE_POLLS_MAX: u32 = 500;

/// A running `postgres`: ours, or one that a killed process of ours left behind.
pub(crate) enum Postmaster {
    /// Our child.
    Child(Child),
    /// A process that only its lock file told us of.
    Adopted(Pid),
}

impl Postmaster {
    pub(crate) fn pid(&self) -> Pid {
        match self {
            Self::Child(child) => Pid::from_child(child),
            Self::Adopted(pid) => *pid,
        }
    }

    /// Whether it has ended. A child is reaped by asking.
    pub(crate) fn has_ended(&mut self) -> bool {
        match self {
            Self::Child(child) => !matches!(child.try_wait(), Ok(None)),
            Self::Adopted(pid) => !is_alive(*pid),
        }
    }

    /// Fast shutdown: clients are sent away, a checkpoint is written. Harsher if that gets stuck.
    pub(crate) fn stop(&mut self) {
        self.signal(Signal::INT);
        if self.ended_within(FAST_POLLS_MAX) {
            return;
        }
        self.signal(Signal::QUIT);
        if !self.ended_within(IMMEDIATE_POLLS_MAX) {
            self.kill();
        }
    }

    /// Ends it at once, as a crash would.
    pub(crate) fn kill(&mut self) {
        self.signal(Signal::KILL);
        self.ended_within(IMMEDIATE_POLLS_MAX);
    }

    fn signal(&mut self, signal: Signal) {
        // A process that has ended cannot be signalled, and need not be.
        if !self.has_ended() {
            kill_process(self.pid(), signal).ok();
        }
    }

    fn ended_within(&mut self, polls: u32) -> bool {
        for _ in 0..polls {
            if self.has_ended() {
                return true;
            }
            thread::sleep(POLL);
        }
        false
    }
}

/// The process that a data folder's lock file names, if it is a live `postgres`.
pub(crate) fn named_by_lock_file(data: &Path) -> Option<Pid> {
    let text = fs::read_to_string(data.join("postmaster.pid")).ok()?;
    let pid = Pid::from_raw(text.lines().next()?.trim().parse().ok()?)?;
    (is_alive(pid) && is_postgres(pid)).then_some(pid)
}

/// Whether a process exists and is more than a record waiting for its parent.
fn is_alive(pid: Pid) -> bool {
    if test_kill_process(pid).is_err_and(|error| error != rustix::io::Errno::PERM) {
        return false;
    }
    let state = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid()));
    // The state follows the name, which stands in brackets and may hold anything.
    !state.is_ok_and(|line| {
        line.rsplit(") ")
            .next()
            .is_some_and(|rest| rest.starts_with('Z'))
    })
}

/// Whether a process is a `postgres`: a stale lock file's number may by now be anyone's.
fn is_postgres(pid: Pid) -> bool {
    let pid = pid.as_raw_pid();
    if let Ok(line) = fs::read(format!("/proc/{pid}/cmdline")) {
        return program_is_postgres(&String::from_utf8_lossy(&line));
    }
    let line = Command::new("ps")
        .args(["-o", "command=", "-p", &pid.to_string()])
        .output();
    line.is_ok_and(|line| program_is_postgres(&String::from_utf8_lossy(&line.stdout)))
}

fn program_is_postgres(line: &str) -> bool {
    let program = line.split(['\0', ' ', ':']).next().unwrap_or_default();
    matches!(program.rsplit('/').next(), Some("postgres" | "postmaster"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_file_that_names_another_program_or_nobody_is_stale() {
        let data = tempfile::tempdir().unwrap();
        assert_eq!(named_by_lock_file(data.path()), None);
        fs::write(
            data.path().join("postmaster.pid"),
            format!("{}\n", std::process::id()),
        )
        .unwrap();
        assert_eq!(named_by_lock_file(data.path()), None);
        assert!(program_is_postgres(
            "/usr/lib/postgresql/15/bin/postgres\0-D\0/x"
        ));
        assert!(!program_is_postgres("/usr/bin/vim\0postgres"));
    }

    #[test]
    fn a_child_that_ended_is_not_alive_even_before_it_is_waited_for() {
        let mut child = Command::new("/bin/sh")
            .args(["-c", "exit 0"])
            .spawn()
            .unwrap();
        let pid = Pid::from_child(&child);
        while is_alive(pid) {
            thread::yield_now();
        }
        child.wait().unwrap();
    }
}
