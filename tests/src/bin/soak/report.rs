//! What came of it: figures for people, violations for the exit code.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use openeve_tests::paths::repository;

use crate::options::Options;

/// Evidence printed for each rule; the file holds all of it.
const PRINTED_MAX: usize = 8;

/// Figures and violations.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// Evidence by rule.
    pub(crate) violations: BTreeMap<&'static str, Vec<String>>,
    /// What happened to runs that broke a rule, event by event.
    pub(crate) stories: Vec<String>,
    /// Where the database's files are, if they were kept.
    pub(crate) data: Option<PathBuf>,
    figures: Vec<String>,
}

impl Report {
    /// Adds evidence against a rule.
    pub(crate) fn violation(&mut self, rule: &'static str, evidence: String) {
        self.violations.entry(rule).or_default().push(evidence);
    }

    /// Adds a line for people.
    pub(crate) fn figure(&mut self, line: String) {
        self.figures.push(line);
    }

    /// Runs that the evidence names, one or two of each rule.
    pub(crate) fn runs_named(&self, count: usize) -> Vec<String> {
        let mut runs = Vec::new();
        for evidence in self.violations.values() {
            let named = evidence.iter().filter_map(|line| run_named(line)).take(2);
            for run in named {
                if !runs.contains(&run) {
                    runs.push(run);
                }
            }
        }
        runs.truncate(count);
        runs
    }

    /// Prints everything and keeps it beside the logs.
    pub(crate) fn tell(&self, options: &Options) {
        let mut whole = vec![options.summary()];
        whole.extend(self.figures.iter().cloned());
        for line in &self.figures {
            println!("{line}");
        }
        for (rule, evidence) in &self.violations {
            let head = format!("VIOLATION {rule}: {} times", evidence.len());
            println!("{head}");
            whole.push(head);
            for (number, line) in evidence.iter().enumerate() {
                if number < PRINTED_MAX {
                    println!("  {line}");
                }
                whole.push(format!("  {line}"));
            }
        }
        let data = self.data.iter().map(|data| data.display());
        let data = data.map(|data| format!("the database's files are in {data}"));
        for line in self.stories.iter().cloned().chain(data) {
            println!("{line}");
            whole.push(line);
        }
        let verdict = if self.violations.is_empty() {
            "the protocol held".to_owned()
        } else {
            format!(
                "{} rules are broken; again with --seed {}",
                self.violations.len(),
                options.seed
            )
        };
        println!("{verdict}; logs are in {}", folder(options).display());
        whole.push(verdict);
        fs::write(folder(options).join("report.txt"), whole.join("\n") + "\n").ok();
    }

    /// Keeps what the functions printed.
    pub(crate) fn keep_logs(&mut self, options: &Options, logs: &[(&'static str, String)]) {
        let folder = folder(options);
        if let Err(error) = fs::create_dir_all(&folder) {
            self.figure(format!("no logs are kept in {}: {error}", folder.display()));
        }
        for (function, log) in logs {
            fs::write(folder.join(format!("{function}.log")), log).ok();
        }
    }
}

/// The first run in a text, written as the protocol prints it or as the database does.
fn run_named(text: &str) -> Option<String> {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
    let mut before = "";
    words.find_map(|word| {
        let is_run = std::mem::replace(&mut before, word) == "run";
        match uuid::Uuid::try_parse(word.strip_prefix("run_").unwrap_or(word)) {
            Ok(id) if is_run || word.starts_with("run_") => Some(format!("run_{}", id.simple())),
            Ok(_) | Err(_) => None,
        }
    })
}

fn folder(options: &Options) -> PathBuf {
    repository().join(format!("target/soak/{}", options.seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_found_in_evidence_however_it_is_written() {
        let printed = "run_01a22ef32cb9732880849349194af35c";
        let as_stored = "01a22ef3-2cb9-7328-8084-9349194af35c";
        for text in [
            format!("{printed} is completed"),
            format!("call {as_stored} of run {as_stored} is started"),
        ] {
            assert_eq!(run_named(&text).as_deref(), Some(printed), "{text}");
        }
        assert_eq!(run_named(&format!("call {as_stored}")), None);
    }
}
