//! Server-Sent Events, decoded incrementally from bytes that may be cut anywhere.
//!
//! A chunk may end inside a character, between `\r` and `\n`, or inside a field's name: bytes are
//! kept until a line is whole and only then decoded (public case C2). Comments are skipped. An
//! event that is not closed by a blank line when the stream ends is still handed out by
//! [`Decoder::finish`], because many servers leave that line out; whether the last event may be
//! trusted is for the protocol above to say.
//!
//! The unfinished event is bounded: one over the bound is an error, not memory without end.

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The event's name; empty if it has none.
    pub name: String,
    /// The data lines, joined by `\n`.
    pub data: String,
}

/// A stream that cannot be decoded further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An unfinished event grew over the bound; end the request.
    #[error("an event of the stream is larger than {event_bytes_max} bytes")]
    TooLarge {
        /// The bound.
        event_bytes_max: usize,
    },
}

/// Decodes one stream. Feed it in order; after an error feed no more.
#[derive(Debug)]
pub struct Decoder {
    event_bytes_max: usize,
    line: Vec<u8>,
    name: String,
    data: Option<String>,
    first_line: bool,
    after_cr: bool,
}

impl Decoder {
    /// A decoder whose unfinished event may hold this many bytes.
    pub const fn new(event_bytes_max: usize) -> Self {
        Self {
            event_bytes_max,
            line: Vec::new(),
            name: String::new(),
            data: None,
            first_line: true,
            after_cr: false,
        }
    }

    /// Takes the next bytes and returns the events they complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Event>, Error> {
        let mut events = Vec::new();
        for &byte in bytes {
            let after_cr = std::mem::replace(&mut self.after_cr, byte == b'\r');
            match byte {
                b'\n' if after_cr => {}
                b'\r' | b'\n' => events.extend(self.end_line()),
                _ => self.line.push(byte),
            }
            if self.pending_bytes() > self.event_bytes_max {
                return Err(Error::TooLarge {
                    event_bytes_max: self.event_bytes_max,
                });
            }
        }
        Ok(events)
    }

    /// The stream has ended: returns the event that no blank line closed, if there is one.
    pub fn finish(mut self) -> Option<Event> {
        let closed = self.end_line();
        closed.or_else(|| self.dispatch())
    }

    fn pending_bytes(&self) -> usize {
        self.line.len() + self.data.as_ref().map_or(0, String::len) + self.name.len()
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let mut line = line.as_slice();
        if std::mem::replace(&mut self.first_line, false) {
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        if line.is_empty() {
            return self.dispatch();
        }
        let line = String::from_utf8_lossy(line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            "event" => value.clone_into(&mut self.name),
            // A comment has an empty field; `id` and `retry` serve reconnecting, which we never do.
            _ => {}
        }
        None
    }

    fn dispatch(&mut self) -> Option<Event> {
        let name = std::mem::take(&mut self.name);
        self.data.take().map(|data| Event { name, data })
    }
}

#[cfg(test)]
mod tests;
