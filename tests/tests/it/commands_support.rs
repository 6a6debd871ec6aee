//! Running the real `openeve` for the tests of its commands.

use std::path::Path;
use std::process::{Command, Output};

use openeve_tests::paths::binary;
use serde_json::Value;

/// What a command said, and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    /// Standard output as one JSON value.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("{self:?}"))
    }
}

/// Runs a command in a folder, with these variables alone.
pub(crate) async fn openeve(arguments: &[&str], env: &[(&str, &str)], folder: &Path) -> Said {
    let mut command = Command::new(binary("openeve"));
    command
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .envs(env.iter().copied());
    let Output {
        status,
        stdout,
        stderr,
    } = tokio::task::spawn_blocking(move || command.output().unwrap())
        .await
        .unwrap();
    Said {
        code: status.code().unwrap(),
        out: String::from_utf8(stdout).unwrap(),
        err: String::from_utf8(stderr).unwrap(),
    }
}
