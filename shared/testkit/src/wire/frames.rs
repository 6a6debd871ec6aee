//! Cuts a byte stream into protocol messages.

/// Bytes that have arrived and not been taken.
#[derive(Debug, Default)]
pub(super) struct Frames {
    bytes: Vec<u8>,
}

/// One whole message, as it crossed the wire.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// Its type; none for the first messages of a client.
    pub(super) tag: Option<u8>,
    /// Everything, type and length included.
    pub(super) bytes: Vec<u8>,
}

impl Frame {
    /// What follows type and length.
    pub(super) fn body(&self) -> &[u8] {
        self.bytes
            .get(if self.tag.is_some() { 5 } else { 4 }..)
            .unwrap_or_default()
    }

    /// The same message with every occurrence of a text replaced; `None` if there is none.
    pub(super) fn replaced(&self, from: &[u8], to: &[u8]) -> Option<Self> {
        let tag = self.tag?;
        let mut rest = self.body();
        let mut body = Vec::with_capacity(rest.len());
        let mut found = false;
        while let Some(at) = rest.windows(from.len()).position(|bytes| bytes == from) {
            found = true;
            body.extend_from_slice(rest.get(..at)?);
            body.extend_from_slice(to);
            rest = rest.get(at + from.len()..)?;
        }
        body.extend_from_slice(rest);
        let length = u32::try_from(body.len() + 4).ok()?;
        let mut bytes = vec![tag];
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(&body);
        found.then_some(Self {
            tag: Some(tag),
            bytes,
        })
    }
}

impl Frames {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Takes the next whole message that begins with a type.
    pub(super) fn next_typed(&mut self) -> Option<Frame> {
        let tag = *self.bytes.first()?;
        let length = length_at(&self.bytes, 1)?;
        self.take(length + 1).map(|bytes| Frame {
            tag: Some(tag),
            bytes,
        })
    }

    /// Takes the next whole message that begins with its length: those before the login.
    pub(super) fn next_untyped(&mut self) -> Option<Frame> {
        let length = length_at(&self.bytes, 0)?;
        self.take(length).map(|bytes| Frame { tag: None, bytes })
    }

    fn take(&mut self, count: usize) -> Option<Vec<u8>> {
        if self.bytes.len() < count {
            return None;
        }
        let rest = self.bytes.split_off(count);
        Some(std::mem::replace(&mut self.bytes, rest))
    }
}

fn length_at(bytes: &[u8], at: usize) -> Option<usize> {
    let length = bytes.get(at..)?.first_chunk::<4>()?;
    // A length counts itself, so a smaller one is no message; it would never end.
    usize::try_from(u32::from_be_bytes(*length))
        .ok()
        .filter(|length| *length >= 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_out_whole_however_the_bytes_arrive() {
        let mut frames = Frames::default();
        for byte in *b"Q\0\0\0\x06hiS\0\0\0\x04X" {
            frames.push(&[byte]);
        }
        let query = frames.next_typed().unwrap();
        assert_eq!((query.tag, query.body()), (Some(b'Q'), b"hi".as_slice()));
        assert_eq!(frames.next_typed().unwrap().bytes, b"S\0\0\0\x04");
        assert_eq!(frames.next_typed(), None);
        let mut frames = Frames::default();
        frames.push(b"\0\0\0\x06hi");
        assert_eq!(frames.next_untyped().unwrap().body(), b"hi");
    }
}
