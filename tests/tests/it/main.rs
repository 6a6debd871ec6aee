//! Integration: the real handlers over real Postgres, with scripted thinking.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::indexing_slicing,
    reason = "helpers of tests fail loudly, as tests do"
)]

mod accept;
mod budget;
mod cases;
mod commands;
mod commands_completions;
mod commands_deploy;
mod commands_dev;
mod commands_folder;
mod commands_import;
mod commands_init;
mod commands_run;
mod commands_runs;
mod commands_serve;
mod commands_support;
mod commit;
mod conformance;
mod delivery;
mod differential;
mod doctor;
mod endings;
mod migrations;
mod outage;
mod pauses;
mod pauses_http;
mod recovery;
mod schedule;
mod scheduler_http;
mod step;
mod support;
mod types;
