//! The smallest Postgres client: one connection over a Unix socket, simple queries, text values.
//!
//! Enough to ask whether a server is ready and to create databases without an async client. It
//! knows no passwords: the socket's folder is the access control.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use crate::USER;
use crate::settings::PORT;

/// One row: its values as text, none for NULL.
pub type Row = Vec<Option<String>>;

/// Creating a database from a large template may take this long.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(2);
/// No message of ours or of the server's administration is longer.
const MESSAGE_BYTES_MAX: usize = 64 * 1_024 * 1_024;
/// Protocol 3.0.
const PROTOCOL: i32 = 196_608;

/// A failed connection or statement.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// Nobody answers, or the connection ended. The caller may start the server or try again.
    #[error("the database cannot be reached")]
    Unreachable(#[from] io::Error),
    /// The server refused; the code says why.
    #[error("the database refused: {message} ({code})")]
    Refused {
        /// Its SQLSTATE.
        code: String,
        /// Its message.
        message: String,
    },
    /// Bytes that are not the protocol, or a login that needs more than the socket.
    #[error("the database spoke in a way that we do not understand: {0}")]
    Protocol(String),
}

/// An open connection.
pub(crate) struct Session {
    stream: UnixStream,
}

impl Session {
    /// Connects as our superuser through the socket in a folder.
    pub(crate) fn open(socket_dir: &Path, database: &str) -> Result<Self, SessionError> {
        let stream = UnixStream::connect(socket_dir.join(format!(".s.PGSQL.{PORT}")))?;
        stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
        stream.set_write_timeout(Some(ANSWER_TIMEOUT))?;
        let mut session = Self { stream };
        let mut body = PROTOCOL.to_be_bytes().to_vec();
        for word in [
            "user",
            USER,
            "database",
            database,
            "client_encoding",
            "UTF8",
        ] {
            body.extend_from_slice(word.as_bytes());
            body.push(0);
        }
        body.push(0);
        session.stream.write_all(&framed(None, &body))?;
        session.answer()?;
        Ok(session)
    }

    /// Runs statements and returns the rows of all of them.
    pub(crate) fn query(&mut self, sql: &str) -> Result<Vec<Row>, SessionError> {
        let mut body = sql.as_bytes().to_vec();
        body.push(0);
        self.stream.write_all(&framed(Some(b'Q'), &body))?;
        self.answer()
    }

    /// Reads until the server is ready for the next query.
    fn answer(&mut self) -> Result<Vec<Row>, SessionError> {
        let mut rows = Vec::new();
        let mut refused = None;
        loop {
            let (tag, body) = self.message()?;
            match tag {
                b'Z' => return refused.map_or(Ok(rows), Err),
                b'D' => rows.push(row(&body).ok_or_else(|| garbled("a row"))?),
                b'E' => {
                    let (error, is_fatal) = refusal(&body);
                    // The server closes the connection: nothing follows.
                    if is_fatal {
                        return Err(error);
                    }
                    refused = Some(error);
                }
                b'R' if body != [0, 0, 0, 0] => {
                    return Err(SessionError::Protocol("it asks for a password".to_owned()));
                }
                b'G' | b'H' | b'W' => {
                    return Err(SessionError::Protocol("COPY is not supported".to_owned()));
                }
                _ => {}
            }
        }
    }

    fn message(&mut self) -> Result<(u8, Vec<u8>), SessionError> {
        let mut head = [0_u8; 5];
        self.stream.read_exact(&mut head)?;
        let [tag, length @ ..] = head;
        let length = usize::try_from(i32::from_be_bytes(length))
            .ok()
            .and_then(|length| length.checked_sub(4))
            .filter(|length| *length <= MESSAGE_BYTES_MAX)
            .ok_or_else(|| garbled("a length"))?;
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok((tag, body))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.stream.write_all(&framed(Some(b'X'), &[])).ok();
    }
}

fn framed(tag: Option<u8>, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap_or(u32::MAX);
    let mut bytes: Vec<u8> = tag.into_iter().collect();
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(body);
    bytes
}

fn row(body: &[u8]) -> Option<Row> {
    let (count, mut rest) = body.split_first_chunk::<2>()?;
    let mut values = Vec::new();
    for _ in 0..u16::from_be_bytes(*count) {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let length = i32::from_be_bytes(*length);
        if length < 0 {
            values.push(None);
            rest = after;
            continue;
        }
        let (value, after) = after.split_at_checked(usize::try_from(length).ok()?)?;
        values.push(Some(String::from_utf8_lossy(value).into_owned()));
        rest = after;
    }
    Some(values)
}

/// The error, and whether it ends the connection.
fn refusal(body: &[u8]) -> (SessionError, bool) {
    let (mut code, mut message, mut is_fatal) = (String::new(), String::new(), false);
    for field in body.split(|byte| *byte == 0) {
        match field.split_first() {
            Some((b'C', text)) => code = String::from_utf8_lossy(text).into_owned(),
            Some((b'M', text)) => message = String::from_utf8_lossy(text).into_owned(),
            Some((b'V', text)) => is_fatal = text != b"ERROR",
            _ => {}
        }
    }
    (SessionError::Refused { code, message }, is_fatal)
}

fn garbled(what: &str) -> SessionError {
    SessionError::Protocol(format!("{what} is garbled"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_refusals_are_read_and_short_bytes_are_no_row() {
        let body = [0, 2, 0, 0, 0, 2, b'h', b'i', 255, 255, 255, 255];
        assert_eq!(row(&body), Some(vec![Some("hi".to_owned()), None]));
        assert_eq!(row(&body[..9]), None);
        let (error, is_fatal) = refusal(b"SFATAL\0VFATAL\0C57P03\0Mstarting up\0\0");
        assert!(is_fatal);
        assert!(error.to_string().contains("starting up"), "{error}");
    }
}
