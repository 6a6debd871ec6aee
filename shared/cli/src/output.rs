//! The only place that prints. Answers go to standard output, everything else to standard error.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line talks to people"
)]

use std::io::Write as _;
use std::process::ExitCode;

/// Says one line about what is going on.
pub(crate) fn say(line: &str) {
    eprintln!("{line}");
}

/// Prints one line of what was asked for.
pub(crate) fn answer(line: &str) {
    println!("{line}");
}

/// Prints a part of a line at once, for text that comes in pieces.
pub(crate) fn part(text: &str) {
    eprint!("{text}");
    drop(std::io::stderr().flush());
}

/// Says why a command failed, cause by cause.
pub(crate) fn failed(error: &anyhow::Error) -> ExitCode {
    let mut causes: Vec<String> = Vec::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        // Many errors already quote their cause; saying it twice helps nobody.
        if !causes.iter().any(|said| said.contains(&cause)) {
            causes.push(cause);
        }
    }
    eprintln!("error: {}", causes.join("\n  because: "));
    ExitCode::FAILURE
}
