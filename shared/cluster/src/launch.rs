//! Starting the server: `initdb` once, then `postgres` until it answers.

use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use crate::USER;
use crate::account::Account;
use crate::error::ClusterError;
use crate::find::Binaries;
use crate::place::{Place, private_folder};
use crate::postmaster::{POLL, Postmaster, named_by_lock_file};
use crate::session::Session;
use crate::settings::Settings;

/// Polls until a server that does not answer counts as stuck: 60 s, as recovery takes time.
const READY_POLLS_MAX: u32 = 6_000;
/// Tries while the processes of a killed server let go of its memory.
const ATTEMPTS_MAX: u32 = 50;
/// Lines of the log that an error quotes.
const LOG_LINES_MAX: usize = 12;

/// What is started, where and as whom.
pub(crate) struct Launch<'a> {
    pub(crate) place: &'a Place,
    pub(crate) binaries: &'a Binaries,
    pub(crate) settings: &'a Settings,
    pub(crate) account: Option<&'a Account>,
}

impl Launch<'_> {
    /// Creates the data folder unless it exists. It is made beside its name and renamed.
    pub(crate) fn ensure_data(&self, say: &mut dyn FnMut(&str)) -> Result<(), ClusterError> {
        let data = &self.place.data;
        if let Ok(version) = fs::read_to_string(data.join("PG_VERSION")) {
            return self.check_version(version.trim());
        }
        let fresh = data.with_extension("new");
        if fresh.exists() {
            fs::remove_dir_all(&fresh).map_err(ClusterError::io("remove", &fresh))?;
        }
        private_folder(&fresh, self.account)?;
        say(&format!(
            "Postgres: creating the data folder {}",
            data.display()
        ));
        let output = self
            .command("initdb")
            .arg("-D")
            .arg(&fresh)
            .args([
                "--username",
                USER,
                "--auth-local=trust",
                "--auth-host=reject",
            ])
            .args([
                "--locale=C",
                "--encoding=UTF8",
                "--no-sync",
                "--no-instructions",
            ])
            .output()
            .map_err(ClusterError::io("run", &self.binaries.program("initdb")))?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(ClusterError::Initdb {
                dir: data.clone(),
                output: last_lines(&text),
            });
        }
        fs::rename(&fresh, data).map_err(ClusterError::io("rename", &fresh))
    }

    /// Adopts the server that already serves this data folder, or starts one.
    pub(crate) fn run(&self, say: &mut dyn FnMut(&str)) -> Result<Postmaster, ClusterError> {
        for _ in 0..READY_POLLS_MAX {
            let Some(pid) = named_by_lock_file(&self.place.data) else {
                return self.start();
            };
            if self.serves_our_data() {
                let pid_number = pid.as_raw_pid();
                say(&format!(
                    "Postgres: taking over the server that still runs (process {pid_number})"
                ));
                return Ok(Postmaster::Adopted(pid));
            }
            thread::sleep(POLL);
        }
        Err(self.failed("a server left by an earlier process does not answer", 0))
    }

    fn start(&self) -> Result<Postmaster, ClusterError> {
        let mut attempt = 1;
        loop {
            let (child, log_start) = self.spawn()?;
            match self.wait_until_ready(child, log_start) {
                Err(ClusterError::Start { lines, .. })
                    if lines.contains("shared memory block") && attempt < ATTEMPTS_MAX =>
                {
                    thread::sleep(POLL * 10);
                    attempt += 1;
                }
                outcome => return outcome,
            }
        }
    }

    fn spawn(&self) -> Result<(Child, u64), ClusterError> {
        let (log, log_start) = self.place.open_log()?;
        let program = self.binaries.program("postgres");
        let child = self
            .command("postgres")
            .args(
                self.settings
                    .arguments(&self.place.data, &self.place.socket_dir),
            )
            .stdout(
                log.try_clone()
                    .map_err(ClusterError::io("open", &self.place.log))?,
            )
            .stderr(log)
            .spawn()
            .map_err(ClusterError::io("run", &program))?;
        Ok((child, log_start))
    }

    fn wait_until_ready(&self, child: Child, log_start: u64) -> Result<Postmaster, ClusterError> {
        let mut server = Postmaster::Child(child);
        for _ in 0..READY_POLLS_MAX {
            if server.has_ended() {
                return Err(self.failed("it ended at once", log_start));
            }
            match Session::open(&self.place.socket_dir, "postgres") {
                Ok(_) => return Ok(server),
                Err(_) => thread::sleep(POLL),
            }
        }
        server.stop();
        Err(self.failed("it did not answer in 60 seconds", log_start))
    }

    /// Whether the socket answers for this very data folder.
    fn serves_our_data(&self) -> bool {
        let answer = Session::open(&self.place.socket_dir, "postgres")
            .and_then(|mut session| session.query("SHOW data_directory"));
        let Some(named) = answer
            .ok()
            .and_then(|rows| rows.into_iter().flatten().next().flatten())
        else {
            return false;
        };
        let resolved = |path: &Path| fs::canonicalize(path).ok();
        resolved(Path::new(&named)).is_some_and(|path| Some(path) == resolved(&self.place.data))
    }

    /// A program in a clean environment, in its own process group, as the right user.
    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.binaries.program(name));
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("LC_ALL", "C")
            .env("TZ", "UTC")
            .current_dir("/")
            .stdin(Stdio::null())
            .process_group(0);
        if let Some(account) = self.account {
            account.apply(&mut command);
        }
        command
    }

    fn check_version(&self, text: &str) -> Result<(), ClusterError> {
        let programs = self.binaries.major();
        match text.parse() {
            Ok(data) if data != programs => Err(ClusterError::Version {
                dir: self.place.data.clone(),
                data,
                bin: self.binaries.dir().to_owned(),
                programs,
            }),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    fn failed(&self, why: &str, log_start: u64) -> ClusterError {
        let mut text = Vec::new();
        if let Ok(mut file) = fs::File::open(&self.place.log) {
            file.seek(SeekFrom::Start(log_start)).ok();
            file.read_to_end(&mut text).ok();
        }
        ClusterError::Start {
            why: why.to_owned(),
            log: self.place.log.clone(),
            lines: last_lines(&String::from_utf8_lossy(&text)),
        }
    }
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let from = lines.len().saturating_sub(LOG_LINES_MAX);
    lines.get(from..).unwrap_or_default().join("\n")
}
