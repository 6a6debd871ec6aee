//! A tool of somebody else's: found, shown, run.
//!
//! Its command line is printed and seen by every process list, so it never holds a secret: those go
//! through its environment or its standard input.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};
use openeve_domain::secret::Secret;
use openeve_host::environment;

use crate::commands::target::quoted;

/// A command to run.
#[derive(Debug, Clone)]
pub(super) struct Tool {
    program: PathBuf,
    arguments: Vec<String>,
    directory: Option<PathBuf>,
    variables: Vec<(String, Secret)>,
    input: Option<Secret>,
}

impl Tool {
    /// A program with arguments.
    pub(super) fn new<S: Into<String>>(
        program: &Path,
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        Self {
            program: program.to_owned(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            directory: None,
            variables: Vec::new(),
            input: None,
        }
    }

    /// More arguments.
    pub(super) fn with<S: Into<String>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Run in a folder.
    pub(super) fn inside(mut self, directory: &Path) -> Self {
        self.directory = Some(directory.to_owned());
        self
    }

    /// With variables beside those of this process.
    pub(super) fn knowing(mut self, variables: &[(String, Secret)]) -> Self {
        self.variables.extend(variables.iter().cloned());
        self
    }

    /// With this on its standard input.
    pub(super) fn reading(mut self, input: Secret) -> Self {
        self.input = Some(input);
        self
    }

    /// The command line, as a shell would take it.
    pub(super) fn shown(&self) -> String {
        let program = self.program.file_name().unwrap_or(self.program.as_os_str());
        let words = std::iter::once(program.to_string_lossy().into_owned())
            .chain(self.arguments.iter().map(|word| quoted(word)));
        words.collect::<Vec<_>>().join(" ")
    }

    /// Runs it to its end. What it says goes to standard error, as it says it.
    ///
    /// # Errors
    /// It could not be run, or ended with another code than 0.
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let mut command = self.command();
        command.stdout(std::io::stderr());
        let shown = self.shown();
        let mut child = command
            .spawn()
            .with_context(|| format!("`{shown}` could not be run"))?;
        if let (Some(input), Some(mut stdin)) = (&self.input, child.stdin.take()) {
            // A tool that does not read to the end says why itself.
            let _deaf = stdin.write_all(input.reveal().as_bytes());
        }
        let status = child.wait()?;
        if !status.success() {
            bail!("`{shown}` failed ({status}); its own words are above");
        }
        Ok(())
    }

    /// Runs it and returns what it prints; none if it fails. For looking, never for changing.
    pub(super) fn answer(&self) -> Option<String> {
        let output = self.command().output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then_some(text)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        for (name, value) in &self.variables {
            command.env(name, value.reveal());
        }
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        command.stdin(if self.input.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        });
        command
    }
}

/// The first of these programs that is on `PATH`.
pub(super) fn found(names: &[&str]) -> Option<PathBuf> {
    let path = environment::variable("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let programs = names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    programs.into_iter().find(|program| is_program(program))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path)
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_shown_as_a_shell_takes_it_and_without_what_is_secret() {
        let tool = Tool::new(Path::new("/usr/bin/fly"), ["secrets", "import", "a b"])
            .knowing(&[("TOKEN".to_owned(), Secret::new("hunter22"))])
            .reading(Secret::new("KEY=hunter22"));
        assert_eq!(tool.shown(), "fly secrets import 'a b'");
        assert!(!format!("{tool:?}").contains("hunter22"));
    }
}
