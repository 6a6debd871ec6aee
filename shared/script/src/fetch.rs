//! One `fetch` of a script, carried out through the HTTP port.
//!
//! The body is read when the script asks for it, a piece at a time; pieces that are there already
//! come together. Neither side keeps more than it asked for.

use bytes::{Bytes, BytesMut};
use futures_util::{FutureExt as _, StreamExt as _};
use openeve_domain::limits::{KIB, MIB};
use openeve_runtime::ports::{Body, HttpClient, HttpRequest};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::wire::{News, ResponseHead, ScriptRequest};

/// Pieces that are there already are joined up to this size.
const PIECE_BYTES: usize = 64 * KIB;

/// Sends a request and tells what comes of it, each piece of the body when `asked` says so. An
/// error is what the script reads; it names the host, not the path, which may hold a key.
pub(crate) async fn fetch(
    client: &dyn HttpClient,
    request: ScriptRequest,
    timeout_ms: u64,
    body_bytes_max: usize,
    mut asked: UnboundedReceiver<()>,
    mut tell: impl FnMut(News),
) {
    let origin = request.url.origin().ascii_serialization();
    let failed =
        |why: &dyn std::fmt::Display| News::Failed(format!("fetch of {origin} failed: {why}"));
    let sent = client.send(HttpRequest {
        method: request.method,
        url: request.url.into(),
        headers: request.headers,
        body: request.body,
        timeout_ms,
        follow_redirects: request.follow_redirects,
    });
    let response = match sent.await {
        Ok(response) => response,
        Err(error) => return tell(failed(&error)),
    };
    let mut headers = Vec::with_capacity(response.headers.len() * 2);
    for (name, value) in &response.headers {
        headers.push(name.as_str().to_owned());
        headers.push(String::from_utf8_lossy(value.as_bytes()).into_owned());
    }
    let status = response.status;
    tell(News::Head(ResponseHead { status, headers }));
    let mut body = response.body;
    let mut total = 0;
    while asked.recv().await.is_some() {
        let (bytes, last) = match piece(&mut body).await {
            Ok(piece) => piece,
            Err(error) => return tell(failed(&error)),
        };
        total += bytes.len();
        if total > body_bytes_max {
            let mib = body_bytes_max / MIB;
            return tell(failed(&format_args!(
                "the response is larger than {mib} MiB"
            )));
        }
        tell(News::Piece { bytes, last });
        if last {
            return;
        }
    }
}

/// The next piece, with what else is there already, and whether the body ends with it.
async fn piece(body: &mut Body) -> Result<(Bytes, bool), openeve_runtime::ports::HttpError> {
    let Some(first) = body.next().await else {
        return Ok((Bytes::new(), true));
    };
    let first = first?;
    let mut joined = BytesMut::new();
    loop {
        let so_far = if joined.is_empty() {
            &first[..]
        } else {
            &joined[..]
        };
        if so_far.len() >= PIECE_BYTES {
            break;
        }
        match body.next().now_or_never() {
            None => break,
            Some(None) => {
                let bytes = if joined.is_empty() {
                    first
                } else {
                    joined.freeze()
                };
                return Ok((bytes, true));
            }
            Some(Some(next)) => {
                if joined.is_empty() {
                    joined.extend_from_slice(&first);
                }
                joined.extend_from_slice(&next?);
            }
        }
    }
    Ok((
        if joined.is_empty() {
            first
        } else {
            joined.freeze()
        },
        false,
    ))
}
