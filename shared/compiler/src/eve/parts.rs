//! What becomes of each part of an agent's folder: which files it has and what carries them over.

use super::agent::{self, About};
use super::edit::quoted;
use super::mover::Mover;
use super::other::{self, Channel};
use super::places::has_ending;
use super::report::{Fate, Note};
use super::source::Module;
use super::text;
use super::tool::{self, Tool};
use crate::discover::{is_core_tool, is_name};

/// Parts that have no counterpart: the start of their paths, and what to do instead.
const UNSUPPORTED: &[(&str, &str)] = &[
    (
        "extensions/",
        "extensions do not exist here: copy what they add into the folder",
    ),
    (
        "hooks/",
        "hooks do not exist here: what must happen is a tool's part, and what happened is in a run's events",
    ),
    (
        "instrumentation/",
        "providers of telemetry do not exist here; write instrumentation.ts with defineInstrumentation({ setup })",
    ),
    ("memory.", "providers of memory do not exist here"),
    ("memory/", "providers of memory do not exist here"),
];

/// Parts that only a root has.
const ROOT_ONLY: &[&str] = &["channels/", "schedules/", "instrumentation.ts"];

impl Mover<'_> {
    /// Carries an agent over, or a subagent.
    pub(super) fn owner(&mut self, owner: &str, name: &str) {
        let mut tools = Vec::new();
        for path in self.of(owner) {
            let inside = format!("{owner}{path}");
            if is_test(&path) {
                let old = self.old(&inside);
                self.enter(&old, None, Fate::LeftOut, vec![known("it is a test")]);
            } else if let Some((_, reason)) = UNSUPPORTED
                .iter()
                .find(|(start, _)| path.starts_with(start))
            {
                self.unsupported(&inside, reason);
            } else if ROOT_ONLY.iter().any(|start| path.starts_with(start)) && !owner.is_empty() {
                self.unsupported(
                    &inside,
                    "a subagent has no channels, schedules and instrumentation",
                );
            } else {
                tools.extend(self.part(owner, &path));
            }
        }
        self.instructions(owner, name);
        let about = About {
            name: name.to_owned(),
            tools,
            is_subagent: !owner.is_empty(),
        };
        self.agent(owner, &about);
    }

    /// Carries one file over by what its path says; a tool's name if it is one that the model sees.
    fn part(&mut self, owner: &str, path: &str) -> Option<String> {
        let inside = format!("{owner}{path}");
        let (part, rest) = path.split_once('/').unwrap_or(("", path));
        let is_code = has_ending(rest, "ts") && rest.strip_suffix(".d.ts").is_none();
        match part {
            "tools" if is_code => return self.tool(&inside, owner, rest),
            "channels" if is_code => self.channel(&inside, rest),
            "schedules" => self.schedule(&inside, rest),
            "skills" => self.skill(&inside, owner, rest),
            "connections" if is_code => {
                self.code(&inside, &inside, other::connection);
            }
            "sandbox" if rest == "sandbox.ts" => {
                self.code(&inside, &inside, other::sandbox);
            }
            "sandbox" if rest.starts_with("workspace/") => {
                let old = self.old(&inside);
                self.copy(&old, &inside);
            }
            "" if path == "sandbox.ts" => {
                self.code(&inside, &inside, other::sandbox);
            }
            "" if path == "instrumentation.ts" => {
                self.code(&inside, &inside, other::instrumentation);
            }
            _ => {}
        }
        None
    }

    fn tool(&mut self, inside: &str, owner: &str, rest: &str) -> Option<String> {
        let stem = rest.strip_suffix(".ts").unwrap_or(rest);
        if stem.contains('/') {
            // A helper that lies among the tools is carried over if a tool imports it.
            return None;
        }
        let name = if is_core_tool(stem) {
            format!("my_{stem}")
        } else {
            stem.to_owned()
        };
        if !is_name(&name) {
            self.unsupported(
                inside,
                "its name is no name here: use a letter, then up to 63 letters, digits, _ or -",
            );
            return None;
        }
        let new = format!("{owner}tools/{name}.ts");
        let mut disabled = false;
        let deferred = self.code(inside, &new, |file| match tool::rewrite(file) {
            Tool::Defined { deferred } => Ok(deferred),
            Tool::Disabled => {
                disabled = true;
                Err(String::new())
            }
            Tool::Unsupported(reason) => Err(reason),
        });
        let old = self.old(inside);
        if disabled {
            let text = "it only switches a tool of eve's own off; the framework's tools here cannot be switched off";
            self.enter(&old, None, Fate::LeftOut, vec![known(text)]);
        }
        let deferred = deferred?;
        if name != stem
            && let Some(entry) = self.entries.get_mut(&old)
        {
            entry.notes.push(left_to_do(&format!("{stem} is a tool of the framework itself, so this one is called {name}; the instructions may speak of it")));
        }
        (!deferred).then_some(name)
    }

    fn channel(&mut self, inside: &str, rest: &str) {
        if rest.contains('/') {
            return;
        }
        let mut notes = Vec::new();
        self.code(inside, inside, |file| match other::channel(file) {
            Channel::Http => {
                notes = std::mem::take(&mut file.notes);
                Err::<(), _>(String::new())
            }
            Channel::Unsupported(reason) => Err(reason),
        });
        if !notes.is_empty() {
            let old = self.old(inside);
            self.out
                .insert(inside.to_owned(), other::HTTP_CHANNEL.as_bytes().to_vec());
            self.enter(&old, Some(inside.to_owned()), Fate::Rewritten, notes);
        }
    }

    fn schedule(&mut self, inside: &str, rest: &str) {
        let Some((stem, ending)) = rest.rsplit_once('.') else {
            return;
        };
        let new = format!("schedules/{}.ts", stem.replace('/', "-"));
        let old = self.old(inside);
        match ending {
            "ts" => {
                self.code(inside, &new, other::schedule);
            }
            "md" => match self.text(&old).and_then(text::schedule) {
                Some(made) => {
                    self.out.insert(new.clone(), made.into_bytes());
                    self.enter(&old, Some(new), Fate::Rewritten, Vec::new());
                }
                None => self.unsupported(inside, "its head names no cron"),
            },
            _ => {}
        }
    }

    fn skill(&mut self, inside: &str, owner: &str, rest: &str) {
        let old = self.old(inside);
        match rest.split_once('/') {
            Some((name, "SKILL.md")) => self.skill_text(&old, owner, name),
            Some(_) => self.copy(&old, inside),
            None => match rest.rsplit_once('.') {
                Some((name, "md")) => self.skill_text(&old, owner, name),
                Some((name, "ts")) => self.skill_module(&old, owner, name),
                _ => {}
            },
        }
    }

    fn skill_text(&mut self, old: &str, owner: &str, name: &str) {
        let new = format!("{owner}skills/{name}/SKILL.md");
        let text = self.text(old).unwrap_or_default();
        let Some(made) = text::skill(name, text) else {
            self.enter(
                old,
                None,
                Fate::Unsupported,
                vec![left_to_do("its head is no YAML")],
            );
            return;
        };
        let fate = if made == text {
            Fate::Copied
        } else {
            Fate::Rewritten
        };
        self.out.insert(new.clone(), made.into_bytes());
        self.enter(old, Some(new), fate, Vec::new());
    }

    fn skill_module(&mut self, old: &str, owner: &str, name: &str) {
        let text = self.text(old).unwrap_or_default();
        let read = Module::read(old, text).map_err(|_| "it is not valid TypeScript".to_owned());
        let read = read.and_then(|module| text::authored(&module, "defineSkill"));
        let authored = match read {
            Ok(authored) => authored,
            Err(reason) => {
                self.enter(old, None, Fate::Unsupported, vec![left_to_do(&reason)]);
                return;
            }
        };
        let described = authored.description.map_or_else(
            || authored.text.clone(),
            |description| {
                format!(
                    "---\ndescription: {}\n---\n\n{}",
                    quoted(&description),
                    authored.text
                )
            },
        );
        let folder = format!("{owner}skills/{name}");
        let made = text::skill(name, &described).unwrap_or(described);
        self.out
            .insert(format!("{folder}/SKILL.md"), made.into_bytes());
        let mut notes = Vec::new();
        match authored.files {
            Some(files) => {
                for (path, text) in files {
                    self.out
                        .insert(format!("{folder}/{path}"), text.into_bytes());
                }
            }
            None => notes.push(left_to_do(
                "files beside the skill are made while it runs; write them as files",
            )),
        }
        self.enter(
            old,
            Some(format!("{folder}/SKILL.md")),
            Fate::Rewritten,
            notes,
        );
    }

    /// `instructions.md`, from all that eve puts together.
    fn instructions(&mut self, owner: &str, name: &str) {
        let mut sources: Vec<String> = Vec::new();
        for path in ["instructions.md", "instructions.ts"] {
            sources.push(format!("{owner}{path}"));
        }
        let files = self.of(owner);
        let listed = files
            .iter()
            .filter(|path| path.starts_with("instructions/") && !is_test(path));
        sources.extend(listed.map(|path| format!("{owner}{path}")));
        let new = format!("{owner}instructions.md");
        let mut texts: Vec<String> = Vec::new();
        let mut from: Vec<(String, Vec<Note>)> = Vec::new();
        for inside in sources {
            let old = self.old(&inside);
            let Some(text) = self.text(&old) else {
                continue;
            };
            if has_ending(&inside, "md") {
                texts.push(text.trim_end().to_owned());
                from.push((old, Vec::new()));
                continue;
            }
            let read =
                Module::read(&old, text).map_err(|_| "it is not valid TypeScript".to_owned());
            match read.and_then(|module| text::authored(&module, "defineInstructions")) {
                Ok(authored) => {
                    texts.push(authored.text.trim_end().to_owned());
                    let notes = if authored.is_user {
                        vec![left_to_do(
                            "it was part of the conversation and is part of the instructions now",
                        )]
                    } else {
                        Vec::new()
                    };
                    from.push((old, notes));
                }
                Err(reason) => self.enter(&old, None, Fate::Unsupported, vec![left_to_do(&reason)]),
            }
        }
        if let ([only], [_]) = (from.as_slice(), texts.as_slice())
            && has_ending(&only.0, "md")
            && only.1.is_empty()
        {
            let old = only.0.clone();
            self.copy(&old, &new);
            return;
        }
        if texts.is_empty() {
            self.missing_instructions(owner, name, &new);
            return;
        }
        self.out
            .insert(new.clone(), (texts.join("\n\n") + "\n").into_bytes());
        for (old, notes) in from {
            self.enter(&old, Some(new.clone()), Fate::Rewritten, notes);
        }
    }

    /// A subagent of eve needs no instructions; one of ours does.
    fn missing_instructions(&mut self, owner: &str, name: &str, new: &str) {
        if owner.is_empty() {
            return;
        }
        self.generate(
            new,
            format!(
                "You are the subagent {name}. Do what you are asked, and answer with the result.\n"
            ),
        );
    }

    fn agent(&mut self, owner: &str, about: &About) {
        let inside = format!("{owner}agent.ts");
        let old = self.old(&inside);
        if self.places.files.contains_key(&old) {
            self.code(&inside, &inside, |file| {
                if agent::rewrite(file, about) {
                    Ok(())
                } else {
                    Err("the agent is defined while it runs; export defineAgent({ model: \"provider/model\", … })".to_owned())
                }
            });
        } else if owner.is_empty() {
            self.generate(&inside, agent::generated(about));
        }
    }
}

/// Whether eve, too, leaves a file out as a test.
fn is_test(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or_default();
    file.contains(".test.")
        || file.contains(".spec.")
        || path.split('/').any(|part| part == "__tests__")
}

fn known(text: &str) -> Note {
    Note {
        line: None,
        text: text.to_owned(),
        todo: false,
    }
}

fn left_to_do(text: &str) -> Note {
    Note {
        line: None,
        text: text.to_owned(),
        todo: true,
    }
}
