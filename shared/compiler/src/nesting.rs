//! How deeply a text nests, estimated before it is parsed.
//!
//! Parser, checker and bundler follow a tree by recursion, so a few kilobytes of brackets would end
//! the process by exhausting its stack. The estimate is of tokens, not of the tree: every open bracket
//! counts for several steps of recursion, every operator, member and prefix since the last separator
//! for one. Texts that people write stay far below the bound.

use crate::diagnostic::Span;

/// Steps of recursion that are followed. Measured: an unoptimised build overflows its stack of 8 MiB
/// at more than twice as many.
const STEPS_MAX: usize = 1_500;
/// Steps for one open bracket.
const BRACKET: usize = 8;
/// Words before an operand that nest as operators do.
const PREFIXES: [&str; 12] = [
    "async", "await", "delete", "else", "extends", "infer", "keyof", "new", "readonly", "typeof",
    "void", "yield",
];

/// What is open at one place of the text.
#[derive(Debug, Default)]
struct Level {
    /// Operators since the last separator.
    steps: usize,
    /// Whether a template goes on once it closes.
    is_in_template: bool,
}

/// Where a text nests too deeply to be followed, if anywhere.
pub(crate) fn too_deep(text: &str) -> Option<Span> {
    let mut scan = Scan {
        bytes: text.as_bytes(),
        at: 0,
        open: 0,
        levels: vec![Level::default()],
    };
    while scan.at < scan.bytes.len() {
        scan.token();
        if scan.steps() > STEPS_MAX {
            let at = u32::try_from(scan.at).unwrap_or(u32::MAX);
            return Some(Span {
                start: at.saturating_sub(1),
                end: at,
            });
        }
    }
    None
}

struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
    /// Steps of all levels but the innermost.
    open: usize,
    levels: Vec<Level>,
}

impl Scan<'_> {
    fn steps(&self) -> usize {
        self.open + self.levels.last().map_or(0, |level| level.steps)
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or_default()
    }

    fn token(&mut self) {
        match self.peek(0) {
            b'/' if self.peek(1) == b'/' => self.skip_to(b"\n"),
            b'/' if self.peek(1) == b'*' => self.skip_to(b"*/"),
            quote @ (b'"' | b'\'') => self.string(quote),
            b'`' => {
                self.at += 1;
                self.template();
            }
            b'(' | b'[' | b'{' => {
                self.at += 1;
                self.step();
                self.enter(false);
            }
            b')' | b']' => {
                self.at += 1;
                self.leave();
            }
            b'}' => {
                self.at += 1;
                if self.leave() {
                    self.template();
                } else if !self.rest_is("else") {
                    self.separate();
                }
            }
            b';' | b',' => {
                self.at += 1;
                self.separate();
            }
            byte if byte.is_ascii_alphabetic() => self.word(),
            byte if b"+-*/%&|^!~<>=?:.@".contains(&byte) => {
                self.at += 1;
                self.step();
            }
            _ => self.at += 1,
        }
    }

    fn step(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            level.steps += 1;
        }
    }

    fn separate(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            level.steps = 0;
        }
    }

    fn enter(&mut self, is_in_template: bool) {
        self.open += BRACKET + self.levels.last().map_or(0, |level| level.steps);
        self.levels.push(Level {
            steps: 0,
            is_in_template,
        });
    }

    /// Closes a bracket; whether a template goes on behind it.
    fn leave(&mut self) -> bool {
        if self.levels.len() < 2 {
            return false;
        }
        let closed = self.levels.pop().is_some_and(|level| level.is_in_template);
        let steps = self.levels.last().map_or(0, |level| level.steps);
        self.open = self.open.saturating_sub(BRACKET + steps);
        closed
    }

    /// Skips a template's text up to its end, or to an expression in it.
    fn template(&mut self) {
        while self.at < self.bytes.len() {
            match (self.peek(0), self.peek(1)) {
                (b'`', _) => {
                    self.at += 1;
                    return;
                }
                (b'$', b'{') => {
                    self.at += 2;
                    self.enter(true);
                    return;
                }
                (b'\\', _) => self.at += 2,
                _ => self.at += 1,
            }
        }
    }

    /// Skips a string; it ends with its line at the latest.
    fn string(&mut self, quote: u8) {
        self.at += 1;
        while self.at < self.bytes.len() {
            let byte = self.peek(0);
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == quote || byte == b'\n' {
                return;
            }
        }
    }

    fn word(&mut self) {
        let start = self.at;
        while self.peek(0).is_ascii_alphanumeric() || b"_$".contains(&self.peek(0)) {
            self.at += 1;
        }
        let word = self.bytes.get(start..self.at).unwrap_or_default();
        if PREFIXES.iter().any(|prefix| prefix.as_bytes() == word) {
            self.step();
        }
    }

    fn skip_to(&mut self, end: &[u8]) {
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        let found = rest.windows(end.len()).position(|window| window == end);
        self.at = found.map_or(self.bytes.len(), |found| self.at + 1 + found + end.len());
    }

    fn rest_is(&self, word: &str) -> bool {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        rest.trim_ascii_start().starts_with(word.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(open: &str, inside: &str, close: &str, times: usize) -> String {
        format!(
            "const a = {}{inside}{};",
            open.repeat(times),
            close.repeat(times)
        )
    }

    #[test]
    fn every_form_that_recurses_is_bounded() {
        for (open, close) in [
            ("(", ")"),
            ("[", "]"),
            ("{a:", "}"),
            ("`${", "}`"),
            ("() => { return ", "}"),
            ("- ", ""),
            ("typeof ", ""),
            ("x => ", ""),
            ("a ? b : ", ""),
            ("1 + ", ""),
            ("a.", ""),
            ("a = ", ""),
            ("A<", ">"),
        ] {
            assert!(
                too_deep(&nested(open, "1", close, 2_000)).is_some(),
                "{open}"
            );
            assert!(too_deep(&nested(open, "1", close, 100)).is_none(), "{open}");
        }
        assert!(too_deep(&"if (a) {} else ".repeat(2_000)).is_some());
        assert!(too_deep(&"if (a) ".repeat(2_000)).is_some());
        assert!(too_deep(&format!("a{}", "()".repeat(2_000))).is_some());
    }

    #[test]
    fn what_only_is_long_is_not_deep() {
        for text in [
            "f(a.b, c + d);\n".repeat(5_000),
            format!("const a = [{}];", "{ a: -1, b: [2] }, ".repeat(5_000)),
            format!("const a = `{}`;", "${b.c} text ".repeat(5_000)),
            format!(
                "// {}\nconst a = \"{}\";",
                "(".repeat(5_000),
                "[{".repeat(5_000)
            ),
            format!("/* {} */", "(".repeat(5_000)),
            "if (a) { b(); } else { c(); }\n".repeat(5_000),
            "function f() { return { a: 1 }; }\n".repeat(5_000),
            ")]}".repeat(5_000),
        ] {
            assert_eq!(too_deep(&text), None, "{}", &text[..40]);
        }
    }

    #[test]
    fn the_place_is_inside_of_the_text() {
        let text = nested("(", "1", ")", 2_000);
        let span = too_deep(&text).unwrap();
        assert!(span.start > 10 && (span.end as usize) < text.len());
        assert_eq!(too_deep(""), None);
        assert_eq!(too_deep("\"\\"), None);
        assert_eq!(too_deep("`${"), None);
        assert_eq!(too_deep("/*"), None);
    }
}
