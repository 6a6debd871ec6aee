//! Colours, for terminals alone: what is piped or written as JSON has none.
//!
//! The compiler's findings are plain text; here their lines are told apart by their form.

use std::io::IsTerminal as _;

use openeve_host::environment;

const RED: &str = "\u{1b}[1;31m";
const YELLOW: &str = "\u{1b}[1;33m";
const BLUE: &str = "\u{1b}[34m";
const CYAN: &str = "\u{1b}[36m";
const PLAIN: &str = "\u{1b}[0m";

/// Findings for standard error, coloured if that is a terminal. `NO_COLOR` turns colours off, and
/// `CLICOLOR_FORCE` on.
pub(crate) fn findings(text: &str) -> String {
    let set = |name| environment::variable(name).is_some_and(|value| !value.is_empty());
    let wanted = set("CLICOLOR_FORCE") || std::io::stderr().is_terminal();
    if wanted && !set("NO_COLOR") {
        painted(text)
    } else {
        text.to_owned()
    }
}

fn painted(text: &str) -> String {
    let mut colour = RED;
    let lines = text.lines().map(|line| {
        if line.starts_with("error[") || line.starts_with("warning[") {
            colour = if line.starts_with('e') { RED } else { YELLOW };
            let (head, rest) = line.split_once(": ").unwrap_or((line, ""));
            return format!("{colour}{head}{PLAIN}: {rest}");
        }
        let trimmed = line.trim_start();
        if trimmed.starts_with("--> ") {
            return format!("{BLUE}{line}{PLAIN}");
        }
        if trimmed.starts_with("= help: ") {
            return format!("{CYAN}{line}{PLAIN}");
        }
        match line.split_once('|') {
            Some((gutter, source)) if gutter.chars().all(|c| c == ' ' || c.is_ascii_digit()) => {
                let marks = !source.trim().is_empty() && source.trim().chars().all(|c| c == '^');
                let colour = if marks { colour } else { PLAIN };
                format!("{BLUE}{gutter}|{PLAIN}{colour}{source}{PLAIN}")
            }
            _ => line.to_owned(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_painted_finding_says_the_same() {
        let plain = "error[unknown-key]: no key \"a\"\n  --> a.ts:3:3\n   |\n 3 |   a: 1,\n   |   ^\n  = help: say b\n\nwarning[near-name]: tool/ is none";
        let text = painted(plain);
        assert!(text.starts_with("\u{1b}[1;31merror[unknown-key]\u{1b}[0m: no key"));
        assert!(text.contains("\u{1b}[1;33mwarning[near-name]"));
        let mut bare = text;
        for code in [RED, YELLOW, BLUE, CYAN, PLAIN] {
            bare = bare.replace(code, "");
        }
        assert_eq!(bare, plain);
    }
}
