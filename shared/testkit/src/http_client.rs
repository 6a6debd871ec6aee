//! The smallest HTTP client: one request a connection, plain HTTP to loopback, nothing pooled.

use std::io;

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// An answer, read to its end.
#[derive(Debug, Clone)]
pub struct HttpAnswer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, chunks joined.
    pub body: Vec<u8>,
}

impl HttpAnswer {
    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON; null if it is none.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// Sends one request to `http://host:port/path` and reads the whole answer.
///
/// # Errors
/// The connection failed, or ended before the answer did.
pub async fn request(
    method: &str,
    url: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> io::Result<HttpAnswer> {
    let rest = url
        .strip_prefix("http://")
        .ok_or_else(|| garbled("the URL is not http://"))?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut head = format!(
        "{method} /{path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n",
        body.len()
    );
    // A caller may name another host than the one it connects to.
    if !headers
        .iter()
        .any(|(name, _)| name.eq_ignore_ascii_case("host"))
    {
        head.extend(["host: ", host, "\r\n"]);
    }
    for (name, value) in headers {
        head.extend([*name, ": ", *value, "\r\n"]);
    }
    head.push_str("\r\n");
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(body);
    let mut stream = TcpStream::connect(host).await?;
    stream.set_nodelay(true)?;
    stream.write_all(&bytes).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    parse(&answer)
}

/// Posts JSON.
///
/// # Errors
/// As [`request`].
pub async fn post_json(url: &str, body: &serde_json::Value) -> io::Result<HttpAnswer> {
    let headers = [("content-type", "application/json")];
    request("POST", url, &headers, body.to_string().as_bytes()).await
}

fn parse(answer: &[u8]) -> io::Result<HttpAnswer> {
    let end =
        find(answer, b"\r\n\r\n").ok_or_else(|| garbled("the answer has no end of headers"))?;
    let (head, body) = answer.split_at(end);
    let body = body.get(4..).unwrap_or_default();
    let head = String::from_utf8_lossy(head);
    let mut lines = head.split("\r\n");
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1))
        .and_then(|code| StatusCode::from_bytes(code.as_bytes()).ok())
        .ok_or_else(|| garbled("the answer has no status"))?;
    let mut headers = HeaderMap::new();
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        if let (Ok(name), Ok(value)) = (
            name.parse::<HeaderName>(),
            HeaderValue::from_str(value.trim()),
        ) {
            headers.append(name, value);
        }
    }
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let body = if header("transfer-encoding").is_some_and(|value| value.contains("chunked")) {
        join_chunks(body)?
    } else {
        let length = header("content-length").and_then(|value| value.parse::<usize>().ok());
        if length.is_some_and(|length| length > body.len()) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        body.get(..length.unwrap_or(body.len()))
            .unwrap_or_default()
            .to_vec()
    };
    Ok(HttpAnswer {
        status,
        headers,
        body,
    })
}

fn join_chunks(mut rest: &[u8]) -> io::Result<Vec<u8>> {
    let cut_short = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let mut body = Vec::new();
    loop {
        let end = find(rest, b"\r\n").ok_or_else(cut_short)?;
        let (line, after) = rest.split_at(end);
        let line = String::from_utf8_lossy(line);
        let digits = line.split(';').next().unwrap_or_default().trim();
        let length = usize::from_str_radix(digits, 16).map_err(|_| garbled("a chunk's length"))?;
        if length == 0 {
            return Ok(body);
        }
        let chunk = after
            .get(2..)
            .and_then(|after| after.get(..length))
            .ok_or_else(cut_short)?;
        body.extend_from_slice(chunk);
        rest = after.get(length + 4..).ok_or_else(cut_short)?;
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}

fn garbled(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_with_a_length_and_in_chunks_are_read_and_short_ones_refused() {
        let answer = parse(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi").unwrap();
        assert_eq!(
            (answer.status, answer.text().as_str()),
            (StatusCode::OK, "hi")
        );
        let chunks = b"HTTP/1.1 404 No\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n1;x\r\n!\r\n0\r\n\r\n";
        assert_eq!(parse(chunks).unwrap().text(), "hi!");
        assert!(parse(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi").is_err());
        assert!(parse(&chunks[..chunks.len() - 5]).is_err());
        assert!(parse(b"HTTP/1.1 200 OK").is_err());
    }
}
