//! What a script's thread and its caller say to each other.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use openeve_domain::event::Event;
use openeve_domain::run::settle_calls::Returned;

/// From the thread to the caller.
#[derive(Debug)]
pub(crate) enum FromScript {
    /// Send this request; answer with its head, or why there is none.
    Fetch { id: u32, request: ScriptRequest },
    /// Answer with the next piece of its body.
    More { id: u32 },
    /// Nobody wants any more of that answer.
    Abort { id: u32 },
    /// The call is over.
    Done(Result<Returned, String>),
}

/// A request, checked, without the time it may take.
#[derive(Debug)]
pub(crate) struct ScriptRequest {
    pub(crate) method: http::Method,
    pub(crate) url: url::Url,
    pub(crate) headers: http::HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) follow_redirects: bool,
}

/// From the caller to the thread: news of a request. Each is the answer to one question.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub(crate) id: u32,
    pub(crate) news: News,
}

/// What there is to say of a request.
#[derive(Debug)]
pub(crate) enum News {
    /// The response has begun.
    Head(ResponseHead),
    /// The next piece of its body, which may be empty, and whether it is the last.
    Piece { bytes: Bytes, last: bool },
    /// There is no response, or no more of it.
    Failed(String),
}

/// How a response begins.
#[derive(Debug)]
pub(crate) struct ResponseHead {
    pub(crate) status: u16,
    /// Names and values by turns.
    pub(crate) headers: Vec<String>,
}

/// The events a call emitted so far; they count even if the call fails or is stopped later.
#[derive(Debug, Clone, Default)]
pub(crate) struct Emitted(Arc<Mutex<Vec<Event>>>);

impl Emitted {
    /// Adds an event if fewer than `max` are there; tells whether it did.
    pub(crate) fn push(&self, event: Event, max: usize) -> bool {
        let mut events = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = events.len() < max;
        if room {
            events.push(event);
        }
        room
    }

    /// Takes them all.
    pub(crate) fn take(&self) -> Vec<Event> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
