//! `ctx.askQuestion`: the answers that are there, and the one question that pauses the call.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use openeve_domain::core_tools::QUESTION_OPTIONS_MAX;
use openeve_domain::pause::{PauseKind, PauseRequest};
use rquickjs::{Ctx, Exception, Function, Object, Result};

use super::Host;

/// Characters of a question.
const PROMPT_CHARS_MAX: usize = 4_000;
/// Characters of an answer to choose from.
const OPTION_CHARS_MAX: usize = 200;
/// Those who may answer one question.
const APPROVERS_MAX: usize = 100;
/// Characters of one of them.
const APPROVER_CHARS_MAX: usize = 200;

/// The questions of one call.
#[derive(Debug, Default)]
pub(crate) struct Questions {
    /// What was answered to earlier ones, in order.
    answers: Vec<String>,
    asked: Cell<usize>,
    /// The first without an answer.
    open: RefCell<Option<PauseRequest>>,
}

impl Questions {
    pub(super) fn new(answers: &[String]) -> Self {
        Self {
            answers: answers.to_vec(),
            ..Self::default()
        }
    }

    /// Takes the question that nobody has answered yet.
    pub(crate) fn take(&self) -> Option<PauseRequest> {
        self.open.borrow_mut().take()
    }
}

impl Host {
    /// Whether the call waits for an answer. Its script is about to be ended; nothing that it
    /// does until then counts.
    pub(crate) fn paused(&self) -> bool {
        self.questions.open.borrow().is_some()
    }

    /// The next question's answer; none if it pauses the call. Says what is wrong with a question
    /// that cannot be asked, which then counts as none.
    fn ask(
        &self,
        prompt: &str,
        options: &[String],
        approvers: Option<&[String]>,
    ) -> std::result::Result<Option<String>, String> {
        check(prompt, options, approvers)?;
        if self.paused() {
            return Ok(None);
        }
        let questions = &self.questions;
        let number = questions.asked.get();
        questions.asked.set(number + 1);
        if let Some(answer) = questions.answers.get(number) {
            return Ok(Some(answer.clone()));
        }
        let shown = |text: &String| self.environment.redact_result(text);
        *questions.open.borrow_mut() = Some(PauseRequest {
            kind: PauseKind::Input,
            prompt: self.environment.redact_result(prompt),
            options: options.iter().map(shown).collect(),
            approvers: approvers.unwrap_or_default().iter().map(shown).collect(),
            url: None,
        });
        Ok(None)
    }
}

fn check(
    prompt: &str,
    options: &[String],
    approvers: Option<&[String]>,
) -> std::result::Result<(), String> {
    let fits = |text: &str, max: usize| (1..=max).contains(&length(text));
    if !fits(prompt, PROMPT_CHARS_MAX) {
        return Err(format!(
            "a question has 1 to {PROMPT_CHARS_MAX} characters, this one {}",
            length(prompt)
        ));
    }
    if options.len() > QUESTION_OPTIONS_MAX {
        return Err(format!(
            "a question has at most {QUESTION_OPTIONS_MAX} options, this one {}",
            options.len()
        ));
    }
    if !options.iter().all(|option| fits(option, OPTION_CHARS_MAX)) {
        return Err(format!(
            "a question's options have 1 to {OPTION_CHARS_MAX} characters each"
        ));
    }
    let Some(approvers) = approvers else {
        return Ok(());
    };
    if approvers.is_empty() || approvers.len() > APPROVERS_MAX {
        return Err(format!(
            "approvers names 1 to {APPROVERS_MAX}; leave it out for the channel's, else the requester"
        ));
    }
    let named = |approver: &String| {
        let name = approver.strip_prefix("role:").unwrap_or(approver);
        let bare = |text: &str| text.trim().len() == text.len();
        bare(name) && bare(approver) && fits(name, APPROVER_CHARS_MAX)
    };
    if !approvers.iter().all(named) {
        return Err(format!(
            "an approver is a user's id, role: and a role, requester or anyone, of at most \
             {APPROVER_CHARS_MAX} characters"
        ));
    }
    Ok(())
}

/// How many characters a text has; none if it says nothing.
fn length(text: &str) -> usize {
    if text.trim().is_empty() {
        return 0;
    }
    text.chars().count()
}

pub(super) fn install<'js>(host: &Rc<Host>, object: &Object<'js>) -> Result<()> {
    let ctx = object.ctx();
    let state = Rc::clone(host);
    let ask = move |ctx: Ctx<'js>,
                    prompt: String,
                    options: Vec<String>,
                    approvers: Option<Vec<String>>| {
        state
            .ask(&prompt, &options, approvers.as_deref())
            .map_err(|why| Exception::throw_type(&ctx, &why))
    };
    object.set("ask", Function::new(ctx.clone(), ask)?)
}
