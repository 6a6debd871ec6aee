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

/// Prints what was asked for as one line of JSON, for scripts.
pub(crate) fn json(value: &serde_json::Value) {
    answer(&value.to_string());
}

/// A number of things, such as `1 tool` or `2 tools`.
pub(crate) fn counted(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

/// Prints a part of a line at once, for text that comes in pieces.
pub(crate) fn part(text: &str) {
    let mut out = std::io::stderr();
    let _gone = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// A command that was not given what it needs; exits 2.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// The exit code of a command that was not given what it needs.
const USAGE: u8 = 2;

/// The exit code of what a person stopped, as shells have it.
const STOPPED: u8 = 130;

/// How a command ends that Ctrl-C ended before it had done what was asked.
pub(crate) fn stopped() -> ExitCode {
    ExitCode::from(STOPPED)
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
    if error.is::<Usage>() {
        return ExitCode::from(USAGE);
    }
    ExitCode::FAILURE
}

/// A text of somebody else's as a terminal may show it: what would move the cursor, hide or turn
/// around what a person reads before deciding is written out.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        let misleads = character.is_control()
            || matches!(character, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}')
            || ('\u{200b}'..='\u{200f}').contains(&character)
            || ('\u{2028}'..='\u{202e}').contains(&character)
            || ('\u{2060}'..='\u{206f}').contains(&character)
            || ('\u{e0000}'..='\u{e007f}').contains(&character);
        if misleads {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_would_fool_a_terminal_is_written_out() {
        assert_eq!(visible("10 € für Müller, 日本"), "10 € für Müller, 日本");
        assert_eq!(visible("a\u{1b}[2Kb"), "a\\u{1b}[2Kb");
        assert_eq!(visible("pay\r\nnow"), "pay\\r\\nnow");
        assert_eq!(visible("\u{202e}001\u{9b}"), "\\u{202e}001\\u{9b}");
    }

    #[test]
    fn a_command_that_lacks_something_exits_with_two() {
        let error = anyhow::Error::from(Usage("which agent?".to_owned()));
        assert_eq!(failed(&error), ExitCode::from(2));
        assert_eq!(failed(&anyhow::anyhow!("broken")), ExitCode::FAILURE);
    }
}
