//! How a cluster runs: how durable, how many connections, what else.

use std::path::Path;

/// Whether committed data must survive a crash of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// A commit is on disk before it is answered, as in production.
    Durable,
    /// No `fsync`: survives a crash of Postgres, not of the machine. For tests.
    Fast,
}

/// The server's settings. They apply when it is started, not when it is adopted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// How durable a commit is.
    pub durability: Durability,
    /// Connections at most.
    pub max_connections: u32,
    /// Further settings as (name, value), each passed as `-c name=value`; later ones win.
    pub extra: Vec<(String, String)>,
}

impl Settings {
    /// For `openeve dev`: durable, 50 connections.
    pub const fn dev() -> Self {
        Self {
            durability: Durability::Durable,
            max_connections: 50,
            extra: Vec::new(),
        }
    }

    /// For tests: fast, 300 connections.
    pub const fn test() -> Self {
        Self {
            durability: Durability::Fast,
            max_connections: 300,
            extra: Vec::new(),
        }
    }

    /// Adds one setting.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.extra.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The command line of `postgres` after the program's name.
    pub(crate) fn arguments(&self, data: &Path, socket_dir: &Path) -> Vec<String> {
        let mut settings = vec![
            ("listen_addresses".to_owned(), String::new()),
            ("port".to_owned(), PORT.to_string()),
            (
                "unix_socket_directories".to_owned(),
                socket_dir.display().to_string(),
            ),
            ("unix_socket_permissions".to_owned(), "0700".to_owned()),
            (
                "max_connections".to_owned(),
                self.max_connections.to_string(),
            ),
            ("logging_collector".to_owned(), "off".to_owned()),
            ("log_destination".to_owned(), "stderr".to_owned()),
            ("timezone".to_owned(), "UTC".to_owned()),
            ("log_timezone".to_owned(), "UTC".to_owned()),
        ];
        if self.durability == Durability::Fast {
            for name in ["fsync", "synchronous_commit", "full_page_writes"] {
                settings.push((name.to_owned(), "off".to_owned()));
            }
        }
        settings.extend(self.extra.iter().cloned());
        let mut arguments = vec!["-D".to_owned(), data.display().to_string()];
        for (name, value) in settings {
            arguments.push("-c".to_owned());
            arguments.push(format!("{name}={value}"));
        }
        arguments
    }
}

/// The number in the socket's name; no TCP port has it.
pub(crate) const PORT: u16 = 5432;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_fast_settings_turn_fsync_off_and_extra_settings_come_last() {
        let line = |settings: Settings| {
            settings
                .arguments(Path::new("/data"), Path::new("/sock"))
                .join(" ")
        };
        assert!(!line(Settings::dev()).contains("fsync"));
        let fast = line(Settings::test().with("fsync", "on"));
        assert!(
            fast.contains("-c fsync=off") && fast.ends_with("-c fsync=on"),
            "{fast}"
        );
        assert!(fast.contains("-c listen_addresses= "), "{fast}");
    }
}
