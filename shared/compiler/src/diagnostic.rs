//! Diagnostics: what is wrong with an agent folder, as data.
//!
//! Every stage appends to one list and none of them stops at the first finding. A diagnostic has a
//! stable code, a message that stands alone, the place in the source if there is one, and a help
//! that says what to write instead. It carries the line it points at, so it can be rendered long
//! after the source is gone. Paths are relative to the agent folder, always with `/`.

use std::fmt::{self, Write as _};

use serde::Serialize;

pub use crate::code::Code;
use crate::discover::SourceFile;

/// What is shown of a line, in characters: a minified file has but one.
const LINE_CHARS_MAX: usize = 160;
/// What is shown of a long line before the place it is about.
const LINE_CHARS_BEFORE: usize = 60;

/// Whether a diagnostic stops the build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// No manifest is produced.
    Error,
    /// The build goes on; a person should look.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

/// A range of bytes in a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

/// The line a span begins on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Excerpt {
    /// Line number, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The line, without its end; of a long one the part around the span.
    pub text: String,
    /// Characters of the line that stand before `text`.
    #[serde(skip_serializing_if = "is_zero")]
    pub hidden: u32,
    /// Characters of the span on this line, at least 1.
    pub width: u32,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// What kind of finding it is.
    pub code: Code,
    /// Whether it stops the build.
    pub severity: Severity,
    /// What is wrong, in one sentence that stands alone.
    pub message: String,
    /// The file, relative to the agent folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// The line the span begins on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<Excerpt>,
    /// What to write instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// What it comes from, where many findings may come from one thing.
    #[serde(skip)]
    pub(crate) cause: Option<String>,
}

impl Diagnostic {
    /// A finding without a place.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: message.into(),
            file: None,
            span: None,
            excerpt: None,
            help: None,
            cause: None,
        }
    }

    /// Names the file, without a place in it.
    #[must_use]
    pub fn in_file(mut self, path: impl Into<String>) -> Self {
        self.file = Some(path.into());
        self
    }

    /// Points at a range of a source file.
    #[must_use]
    pub(crate) fn at(mut self, file: &SourceFile, span: Span) -> Self {
        self.file = Some(file.path.clone());
        self.span = Some(span);
        self.excerpt = Some(excerpt(&file.text, span));
        self
    }

    /// Says what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says what it comes from: of several findings of one cause the first is shown.
    #[must_use]
    pub(crate) fn of_cause(mut self, cause: impl Into<String>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// `file:line:col`, or as much of it as is known.
    pub fn place(&self) -> Option<String> {
        let file = self.file.as_deref()?;
        Some(match &self.excerpt {
            Some(excerpt) => format!("{file}:{}:{}", excerpt.line, excerpt.column),
            None => file.to_owned(),
        })
    }

    /// The finding as plain text for a terminal or a log, without colours and without a last newline.
    pub fn render(&self) -> String {
        let mut text = format!("{}[{}]: {}", self.severity, self.code, self.message);
        if let Some(place) = self.place() {
            let _ = write!(text, "\n  --> {place}");
        }
        if let Some(excerpt) = &self.excerpt {
            let number = excerpt.line.to_string();
            let margin = " ".repeat(number.len());
            let indent: String = excerpt
                .text
                .chars()
                .take((excerpt.column - 1).saturating_sub(excerpt.hidden) as usize)
                .map(|c| if c == '\t' { '\t' } else { ' ' })
                .collect();
            let carets = "^".repeat(excerpt.width as usize);
            let _ = write!(
                text,
                "\n {margin} |\n {number} | {}\n {margin} | {indent}{carets}",
                excerpt.text
            );
        }
        if let Some(help) = &self.help {
            let _ = write!(text, "\n  = help: {help}");
        }
        text
    }

    /// The order in which findings are shown: by file, then by place, then by code.
    pub(crate) fn sort_key(&self) -> (Option<&str>, Option<Span>, Code, &str) {
        (self.file.as_deref(), self.span, self.code, &self.message)
    }
}

/// The line on which a span begins. A span outside of the text points at its end.
fn excerpt(text: &str, span: Span) -> Excerpt {
    let start = floor(text, span.start as usize);
    let end = floor(text, span.end as usize).max(start);
    let before = text.get(..start).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let rest = text.get(line_start..).unwrap_or_default();
    let line = rest
        .split('\n')
        .next()
        .unwrap_or_default()
        .trim_end_matches('\r');
    let column = text
        .get(line_start..start)
        .unwrap_or_default()
        .chars()
        .count();
    let stop = end.min(line_start + line.len()).max(start);
    let width = text
        .get(start..stop)
        .unwrap_or_default()
        .chars()
        .count()
        .max(1);
    let from = match line.chars().count() {
        0..=LINE_CHARS_MAX => 0,
        _ => column.saturating_sub(LINE_CHARS_BEFORE),
    };
    let shown: String = line.chars().skip(from).take(LINE_CHARS_MAX).collect();
    let room = LINE_CHARS_MAX.saturating_sub(column - from).max(1);
    Excerpt {
        line: count(before.matches('\n').count() + 1),
        column: count(column + 1),
        text: shown,
        hidden: count(from),
        width: count(width.min(room)),
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the serializer calls it with a reference"
)]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The nearest character border at or before a byte offset.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> SourceFile {
        SourceFile::new("agent.ts", text)
    }

    #[test]
    fn a_finding_renders_as_place_line_carets_and_help() {
        let found = Diagnostic::new(Code::BadValue, "the model is not one")
            .at(
                &file("one\n  model: \"gpt\",\n"),
                Span { start: 13, end: 18 },
            )
            .help("write \"openai/gpt-5.4-mini\"");
        assert_eq!(
            found.render(),
            "error[bad-value]: the model is not one\n  --> agent.ts:2:10\n   |\n 2 |   model: \"gpt\",\n   |          ^^^^^\n  = help: write \"openai/gpt-5.4-mini\""
        );
    }

    #[test]
    fn columns_count_characters_and_a_long_span_stops_at_its_line() {
        let place = excerpt("é = {\n}", Span { start: 5, end: 8 });
        assert_eq!((place.line, place.column, place.width), (1, 5, 1));
        assert_eq!(place.text, "é = {");
    }

    #[test]
    fn of_a_long_line_the_part_around_the_place_is_shown() {
        let text = format!("{}bad{}", "a".repeat(5_000), "b".repeat(5_000));
        let span = Span {
            start: 5_000,
            end: 5_003,
        };
        let found = Diagnostic::new(Code::BundleFailed, "no").at(&file(&text), span);
        let place = found.excerpt.as_ref().unwrap();
        assert_eq!((place.column, place.hidden, place.width), (5_001, 4_940, 3));
        assert_eq!(place.text.len(), LINE_CHARS_MAX);
        let rendered = found.render();
        let carets = rendered.lines().last().unwrap();
        assert_eq!(carets.find('^'), Some(carets.find('|').unwrap() + 2 + 60));
        assert!(rendered.len() < 500, "{rendered}");
    }

    #[test]
    fn a_span_past_the_end_or_inside_a_character_does_no_harm() {
        assert_eq!(excerpt("ab", Span { start: 90, end: 95 }).column, 3);
        assert_eq!(excerpt("é", Span { start: 1, end: 1 }).column, 1);
        assert_eq!(excerpt("", Span::default()).width, 1);
    }
}
