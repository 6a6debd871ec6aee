//! The only place that prints. Answers go to standard output, everything else to standard error.

use std::io::Write as _;
use std::process::ExitCode;

/// Says one line about what is going on.
pub(crate) fn say(line: &str) {
    // Whoever reads may be gone; a run must not end because nobody looks.
    let _gone = writeln!(std::io::stderr(), "{line}");
}

/// Prints one line of what was asked for.
pub(crate) fn answer(line: &str) {
    let _gone = writeln!(std::io::stdout(), "{line}");
}

/// Prints a part of a line at once, for text that comes in pieces.
pub(crate) fn part(text: &str) {
    let mut out = std::io::stderr();
    let _gone = out.write_all(text.as_bytes()).and_then(|()| out.flush());
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
    say(&format!("error: {}", causes.join("\n  because: ")));
    ExitCode::FAILURE
}
