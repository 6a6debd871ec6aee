//! What a script's thread and its caller say to each other.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use openeve_domain::event::Event;
use openeve_domain::run::settle_calls::Returned;

/// From the thread to the caller.
#[derive(Debug)]
pub(crate) enum FromScript {
    /// Send this request; answer with [`Fetched`].
    Fetch { id: u32, request: ScriptRequest },
    /// Nobody wants that answer any more.
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

/// From the caller to the thread: what a request came to.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub(crate) id: u32,
    pub(crate) result: Result<ScriptResponse, String>,
}

/// A whole response.
#[derive(Debug)]
pub(crate) struct ScriptResponse {
    pub(crate) status: u16,
    /// Names and values by turns.
    pub(crate) headers: Vec<String>,
    pub(crate) body: Vec<u8>,
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
