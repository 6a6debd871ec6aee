//! Findings in SARIF 2.1.0, the form that code hosts and editors read.
//!
//! Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0".

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::{Code, Compilation, Diagnostic, Severity};

impl Compilation {
    /// Every finding as one SARIF log. Paths are relative to the agent folder, columns count
    /// characters. The same findings give the same log.
    pub fn sarif(&self) -> Value {
        let rule = |code: &Code| {
            json!({
                "id": code.as_str(),
                "shortDescription": { "text": code.about() },
                "defaultConfiguration": { "level": code.severity().to_string() },
            })
        };
        json!({
            "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "openeve",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": Code::ALL.iter().map(rule).collect::<Vec<_>>(),
                }},
                "columnKind": "unicodeCodePoints",
                "results": self.diagnostics.iter().map(result).collect::<Vec<_>>(),
            }],
        })
    }
}

fn result(found: &Diagnostic) -> Value {
    let mut text = found.message.clone();
    if let Some(help) = &found.help {
        let _ = write!(text, "\n{help}");
    }
    let level = match found.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let mut result = json!({
        "ruleId": found.code.as_str(),
        "ruleIndex": Code::ALL.iter().position(|code| *code == found.code),
        "level": level,
        "message": { "text": text },
    });
    if let (Some(file), Some(map)) = (&found.file, result.as_object_mut()) {
        let mut place = json!({ "artifactLocation": { "uri": uri(file) } });
        if let (Some(excerpt), Some(place)) = (&found.excerpt, place.as_object_mut()) {
            let region = json!({
                "startLine": excerpt.line,
                "startColumn": excerpt.column,
                "endColumn": excerpt.column + excerpt.width,
            });
            place.insert("region".to_owned(), region);
        }
        let locations = json!([{ "physicalLocation": place }]);
        map.insert("locations".to_owned(), locations);
    }
    result
}

/// A path as a relative URI.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Agent;

    #[test]
    fn a_finding_has_its_rule_its_level_and_its_place() {
        let log = Agent::new()
            .agent("  model: \"a/b\", resoning: \"low\"")
            .with("schedules/my tool.ts", "")
            .with("routines/a.ts", "")
            .compile()
            .sarif();
        let run = &log["runs"][0];
        let rule = |result: &Value| {
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            run["tool"]["driver"]["rules"][index]["id"].clone()
        };
        let results = run["results"].as_array().unwrap();
        assert!(
            results
                .iter()
                .all(|result| rule(result) == result["ruleId"])
        );
        let unknown = &results[0];
        assert_eq!(
            (&unknown["ruleId"], &unknown["level"]),
            (&json!("unknown-key"), &json!("error"))
        );
        assert_eq!(
            unknown["locations"],
            json!([{"physicalLocation": {
                "artifactLocation": {"uri": "agent.ts"},
                "region": {"startLine": 3, "startColumn": 17, "endColumn": 25},
            }}])
        );
        assert!(
            unknown["message"]["text"]
                .as_str()
                .unwrap()
                .ends_with("did you mean reasoning?")
        );
        assert_eq!(results[1]["level"], "warning");
        let place = &results[2]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "schedules/my%20tool.ts");
    }
}
