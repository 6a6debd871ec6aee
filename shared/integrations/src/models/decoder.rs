//! Decodes an answer, whether it streams or comes as one body.
//!
//! Which of the two it is shows in its first byte, not in the content type, which proxies get
//! wrong. A body that begins like a web page is a base URL that leads elsewhere.

use openeve_domain::limits::MODEL_ANSWER_BYTES_MAX;
use openeve_domain::run::model_failed::ModelFailure;
use openeve_domain::text::mend_surrogates;
use openeve_domain::usage::Usage;
use serde_json::Value;

use super::answer::Turn;
use super::failures::{ended, too_large, web_page};
use super::openai_chat::ChatTurn;
use super::{Aliases, Completion, Delta, Endpoint, Protocol, error};
use crate::sse;

/// Decodes the body of one answer with status 200.
///
/// Feed it each chunk as it comes, then ask for the answer. A failure is kept: what is fed after
/// it is ignored, and [`Decoder::finish`] returns it again.
#[derive(Debug)]
pub struct Decoder {
    endpoint: Endpoint,
    aliases: Aliases,
    form: Form,
    turn: Box<dyn Turn>,
    failure: Option<ModelFailure>,
    is_done: bool,
}

#[derive(Debug)]
enum Form {
    /// Nothing but blanks so far.
    Unknown(Vec<u8>),
    Stream(sse::Decoder),
    Body(Vec<u8>),
    Ended,
}

impl Decoder {
    /// A decoder for the answer to a request with these aliases.
    pub fn new(endpoint: &Endpoint, aliases: Aliases) -> Self {
        Self {
            endpoint: endpoint.clone(),
            aliases,
            form: Form::Unknown(Vec::new()),
            turn: turn(endpoint.protocol),
            failure: None,
            is_done: false,
        }
    }

    /// Takes the next bytes and returns what can be shown of them.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Delta>, ModelFailure> {
        if self.failure.is_none() && !self.is_done {
            let mut deltas = Vec::new();
            match self.take(bytes, &mut deltas) {
                Ok(()) => return Ok(deltas),
                Err(failure) => self.failure = Some(failure),
            }
        }
        self.failure.clone().map_or_else(|| Ok(Vec::new()), Err)
    }

    /// Whether the stream has said that nothing follows, so that the connection may be dropped.
    pub const fn is_done(&self) -> bool {
        self.is_done
    }

    /// What the request has cost so far; also of use when it fails.
    pub fn usage(&self) -> Option<Usage> {
        self.turn.usage()
    }

    /// The body has ended, or broke off: returns the answer if it is whole.
    pub fn finish(mut self) -> Result<Completion, ModelFailure> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        match std::mem::replace(&mut self.form, Form::Ended) {
            Form::Stream(stream) if !self.is_done => {
                // Half an event is no event: without it the answer has no finish reason.
                if let Some(event) = stream.finish().filter(is_whole) {
                    self.event(&event, &mut Vec::new())?;
                }
            }
            Form::Body(body) => self.body(&body)?,
            Form::Unknown(_) | Form::Stream(_) | Form::Ended => {}
        }
        self.turn.complete(&self.endpoint, &self.aliases)
    }

    fn take(&mut self, bytes: &[u8], deltas: &mut Vec<Delta>) -> Result<(), ModelFailure> {
        match &mut self.form {
            Form::Unknown(seen) => {
                seen.extend_from_slice(bytes);
                let seen = std::mem::take(seen);
                self.form = match seen.iter().find(|byte| !is_blank(**byte)) {
                    None => Form::Unknown(seen),
                    Some(b'<') => return Err(web_page(&self.endpoint)),
                    Some(first) => {
                        let body = Form::Body(Vec::new());
                        let stream = Form::Stream(sse::Decoder::new(MODEL_ANSWER_BYTES_MAX));
                        self.form = if matches!(first, b'{' | b'[') {
                            body
                        } else {
                            stream
                        };
                        return self.take(&seen, deltas);
                    }
                };
                if matches!(&self.form, Form::Unknown(seen) if seen.len() > MODEL_ANSWER_BYTES_MAX)
                {
                    return Err(too_large(&self.endpoint));
                }
            }
            Form::Stream(stream) => {
                let events = stream.feed(bytes).map_err(|_| too_large(&self.endpoint))?;
                for event in events {
                    self.event(&event, deltas)?;
                }
            }
            Form::Body(body) => {
                body.extend_from_slice(bytes);
                if body.len() > MODEL_ANSWER_BYTES_MAX {
                    return Err(too_large(&self.endpoint));
                }
            }
            Form::Ended => {}
        }
        Ok(())
    }

    fn event(&mut self, event: &sse::Event, deltas: &mut Vec<Delta>) -> Result<(), ModelFailure> {
        let data = event.data.trim();
        if self.is_done || data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            self.is_done = true;
            return Ok(());
        }
        // Some models write half a surrogate pair, which is no JSON; it must not cost the answer.
        let chunk = serde_json::from_str::<Value>(data)
            .or_else(|_| serde_json::from_str::<Value>(&mend_surrogates(data)));
        match chunk {
            Ok(chunk) => {
                let (turn, endpoint) = (&mut self.turn, &self.endpoint);
                turn.event(endpoint, &event.name, &chunk, deltas)?;
                self.is_done = turn.is_done();
            }
            Err(_) if event.name == "error" => {}
            Err(_) => return Err(ended(&self.endpoint, "holds an event that is not JSON")),
        }
        if event.name == "error" {
            return Err(error::of_event(&self.endpoint, data));
        }
        Ok(())
    }

    fn body(&mut self, body: &[u8]) -> Result<(), ModelFailure> {
        let start = body
            .iter()
            .position(|byte| !is_blank(*byte))
            .unwrap_or(body.len());
        let json = body.get(start..).unwrap_or_default();
        let Ok(body) = serde_json::from_slice::<Value>(json) else {
            return Err(ended(&self.endpoint, "broke off before its end"));
        };
        self.turn.body(&self.endpoint, &body)
    }
}

fn turn(protocol: Protocol) -> Box<dyn Turn> {
    match protocol {
        Protocol::OpenAiChat => Box::<ChatTurn>::default(),
    }
}

/// Blanks, and the bytes of a byte order mark.
const fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, 0xEF | 0xBB | 0xBF)
}

fn is_whole(event: &sse::Event) -> bool {
    let data = event.data.trim();
    data == "[DONE]" || serde_json::from_str::<serde::de::IgnoredAny>(data).is_ok()
}
