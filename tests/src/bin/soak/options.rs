//! What the command line says.

use std::path::PathBuf;

use openeve_domain::limits::{RUN_HEARTBEAT_MS, RUN_LEASE_MS, TICK_INTERVAL_MS};

pub(crate) const USAGE: &str = "\
usage: soak [--minutes N] [--turns N] [--seed N] [--smoke] [--shipped-leases]
            [--conversations N] [--tick-ms N] [--binaries FOLDER] [--strict-order]

  --minutes N         how long messages come and faults strike (30)
  --turns N           messages, spread over that time (5000)
  --seed N            repeats a plan of load and faults
  --smoke             about a minute in all, for continuous integration
  --shipped-leases    leases of 60 s, heartbeats of 30 s and a tick a minute instead of 10, 3 and 2 s
  --conversations N   how many conversations the messages belong to (300)
  --tick-ms N         how often the tick runs, whatever the leases are
  --binaries FOLDER   where the five functions and openeve are (beside this program)
  --strict-order      replies that reach the receiver out of order are violations";

/// Lease, heartbeat and tick under which a crash is noticed within seconds.
const SHORT_MS: (u64, u64, u64) = (10_000, 3_000, 2_000);
/// The same where even that is too long.
const SMOKE_MS: (u64, u64, u64) = (4_000, 1_000, 1_000);
/// The same as shipped.
const SHIPPED_MS: (u64, u64, u64) = (RUN_LEASE_MS, RUN_HEARTBEAT_MS, TICK_INTERVAL_MS);
/// After the faults, a run may still need this many leases to find its way out.
const PATIENCE_LEASES: u64 = 8;

/// One soak.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    /// Of load and faults.
    pub(crate) seed: u64,
    /// How long the load lasts.
    pub(crate) load_ms: u64,
    /// Messages.
    pub(crate) turns: u64,
    /// Conversations.
    pub(crate) conversations: u64,
    /// How often the tick runs.
    pub(crate) tick_ms: u64,
    /// How long a claim and a sender's hold last.
    pub(crate) lease_ms: u64,
    /// How often a working step extends its claim.
    pub(crate) heartbeat_ms: u64,
    /// Time between two faults of Postgres.
    pub(crate) server_every_ms: u64,
    /// The shortest and longest time between two kills of functions.
    pub(crate) kill_every_ms: (u64, u64),
    /// Where the programs are.
    pub(crate) binaries: PathBuf,
    /// Whether the order of arrival at the receiver is a promise.
    pub(crate) strict_order: bool,
}

impl Options {
    /// Reads the arguments after the program's name.
    pub(crate) fn read(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut options = Self {
            seed: fresh_seed(),
            load_ms: 30 * 60_000,
            turns: 5_000,
            conversations: 300,
            tick_ms: SHORT_MS.2,
            lease_ms: SHORT_MS.0,
            heartbeat_ms: SHORT_MS.1,
            server_every_ms: 10_000,
            kill_every_ms: (1_000, 3_000),
            binaries: program.parent().map(PathBuf::from).unwrap_or_default(),
            strict_order: false,
        };
        let (mut arguments, mut leases, mut tick_ms) = (arguments, None, None);
        while let Some(name) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{name} needs a value"));
            match name.as_str() {
                "--smoke" => {
                    (options.load_ms, options.turns, options.conversations) = (40_000, 120, 30);
                    (options.server_every_ms, options.kill_every_ms) = (5_000, (500, 1_500));
                    leases = leases.or(Some(SMOKE_MS));
                }
                "--shipped-leases" => leases = Some(SHIPPED_MS),
                "--strict-order" => options.strict_order = true,
                "--minutes" => options.load_ms = number(&value()?)? * 60_000,
                "--turns" => options.turns = number(&value()?)?,
                "--seed" => options.seed = number(&value()?)?,
                "--conversations" => options.conversations = number(&value()?)?,
                "--tick-ms" => tick_ms = Some(number(&value()?)?),
                "--binaries" => options.binaries = PathBuf::from(value()?),
                _ => return Err(format!("there is no argument {name}")),
            }
        }
        let leases = leases.unwrap_or(SHORT_MS);
        (options.lease_ms, options.heartbeat_ms, options.tick_ms) = leases;
        options.tick_ms = tick_ms.unwrap_or(options.tick_ms);
        Ok(options)
    }

    /// One line for people.
    pub(crate) fn summary(&self) -> String {
        format!(
            "soak: seed {}, {} messages in {} conversations over {} s, leases {} s, a tick every {} ms",
            self.seed,
            self.turns,
            self.conversations,
            self.load_ms / 1_000,
            self.lease_ms / 1_000,
            self.tick_ms
        )
    }

    /// How long everything may take to become quiet once the faults have stopped.
    pub(crate) fn patience_ms(&self) -> u64 {
        60_000 + PATIENCE_LEASES * (self.lease_ms + self.tick_ms)
    }
}

/// At least 1.
fn number(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err(format!("{text:?} is not a whole number above 0")),
        Ok(number) => Ok(number),
    }
}

/// Short enough to be typed again.
fn fresh_seed() -> u64 {
    let now = jiff::Timestamp::now().as_millisecond();
    u64::try_from(now).unwrap_or(1) % 1_000_000 + 1
}
