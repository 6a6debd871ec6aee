//! From places in a bundled module to those in the author's files.
//!
//! Source: ECMA-426, the source map format, version 3: mappings are lines of segments, each of one,
//! four or five Base64 VLQ numbers, every number relative to the one before it. A map that cannot be
//! read is no map; a place that it does not know stays as it was.

use serde_json::Value;

/// A place that is known: where in the module, and where in the source.
struct Segment {
    line: u32,
    column: u32,
    source: usize,
    source_line: u32,
    source_column: u32,
}

/// The map of one module.
pub(crate) struct SourceMap {
    sources: Vec<String>,
    segments: Vec<Segment>,
}

impl SourceMap {
    /// Reads a map's JSON.
    pub(crate) fn read(json: &str) -> Option<Self> {
        let map: Value = serde_json::from_str(json).ok()?;
        let sources = map.get("sources")?.as_array()?;
        let sources = sources
            .iter()
            .map(|source| source.as_str().map(str::to_owned));
        Some(Self {
            sources: sources.collect::<Option<_>>()?,
            segments: segments(map.get("mappings")?.as_str()?)?,
        })
    }

    /// The text with every `file:line:column` of the module made one of its source. `file` is what
    /// the engine calls the module.
    pub(crate) fn place(&self, text: &str, file: &str) -> String {
        let mark = format!("{file}:");
        let mut placed = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(&mark) {
            placed.push_str(before);
            let known = numbers(after).and_then(|(line, column, left)| {
                Some((
                    self.find(line.checked_sub(1)?, column.checked_sub(1)?)?,
                    left,
                ))
            });
            if let Some((place, left)) = known {
                placed.push_str(&place);
                rest = left;
            } else {
                placed.push_str(&mark);
                rest = after;
            }
        }
        placed.push_str(rest);
        placed
    }

    /// The source's place of a place in the module, both counted from zero in, from one out.
    fn find(&self, line: u32, column: u32) -> Option<String> {
        let behind = self
            .segments
            .partition_point(|segment| (segment.line, segment.column) <= (line, column));
        let of_line = |at: usize| self.segments.get(at).filter(|segment| segment.line == line);
        // The engine may name the start of a line, before its first word.
        let segment = behind
            .checked_sub(1)
            .and_then(of_line)
            .or_else(|| of_line(behind))?;
        let source = self.sources.get(segment.source)?;
        let (line, column) = (segment.source_line + 1, segment.source_column + 1);
        Some(format!("{source}:{line}:{column}"))
    }
}

/// `12:5…`: the two numbers and what follows.
fn numbers(text: &str) -> Option<(u32, u32, &str)> {
    let (line, rest) = text.split_once(':')?;
    let end = rest.find(|c: char| !c.is_ascii_digit());
    let (column, left) = rest.split_at(end.unwrap_or(rest.len()));
    Some((line.parse().ok()?, column.parse().ok()?, left))
}

fn segments(mappings: &str) -> Option<Vec<Segment>> {
    let mut segments = Vec::new();
    let mut before = [0_i64; 3];
    for (line, group) in mappings.split(';').enumerate() {
        let mut column = 0;
        for segment in group.split(',').filter(|segment| !segment.is_empty()) {
            let fields = vlq(segment)?;
            column += fields.first()?;
            let [_, source, source_line, source_column, ..] = fields.as_slice() else {
                continue;
            };
            for (total, delta) in before.iter_mut().zip([source, source_line, source_column]) {
                *total += delta;
            }
            let [source, source_line, source_column] = before;
            segments.push(Segment {
                line: u32::try_from(line).ok()?,
                column: u32::try_from(column).ok()?,
                source: usize::try_from(source).ok()?,
                source_line: u32::try_from(source_line).ok()?,
                source_column: u32::try_from(source_column).ok()?,
            });
        }
    }
    Some(segments)
}

/// Base64 VLQ: five bits a letter, the least first; the sixth says that more follow, and the lowest
/// bit of the whole is the sign.
fn vlq(text: &str) -> Option<Vec<i64>> {
    const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut numbers = Vec::new();
    let (mut value, mut shift) = (0_i64, 0_u32);
    for letter in text.chars() {
        let digit = i64::try_from(LETTERS.find(letter)?).ok()?;
        value += (digit & 31).checked_shl(shift)?;
        if digit & 32 != 0 {
            shift = (shift + 5).min(30);
            continue;
        }
        let number = value >> 1;
        numbers.push(if value & 1 == 1 { -number } else { number });
        (value, shift) = (0, 0);
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_the_format_writes_them() {
        assert_eq!(vlq("AAAA"), Some(vec![0, 0, 0, 0]));
        assert_eq!(vlq("IACgB"), Some(vec![4, 0, 1, 16]));
        assert_eq!(vlq("D"), Some(vec![-1]));
        assert_eq!(vlq("!"), None);
    }

    #[test]
    fn a_known_place_is_the_sources_and_an_unknown_one_stays() {
        let json = r#"{"version":3,"sources":["tools/a.ts"],"names":[],"mappings":";IACE"}"#;
        let map = SourceMap::read(json).unwrap();
        assert_eq!(
            map.place("    at execute (tools/a.ts:2:9)", "tools/a.ts"),
            "    at execute (tools/a.ts:2:3)"
        );
        assert_eq!(map.place("tools/a.ts:2:1", "tools/a.ts"), "tools/a.ts:2:3");
        for unknown in [
            "at tools/a.ts:9:1",
            "see tools/a.ts: it fails",
            "tools/a.ts:",
        ] {
            assert_eq!(map.place(unknown, "tools/a.ts"), unknown);
        }
        assert!(SourceMap::read("").is_none());
    }
}
