//! A function for the tests of the Lambda server: speaks the Runtime API over plain sockets.
//!
//! The event says what to do: `{"do": "crash"}`, `"hang"`, `"error"`, `"stream"`, `"hang_after"`;
//! anything else is echoed with the process id and the number of events so far.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

fn main() -> io::Result<()> {
    let address = variable("AWS_LAMBDA_RUNTIME_API").ok_or(io::ErrorKind::NotFound)?;
    if variable("FAIL_INIT").is_some() {
        call(&address, "POST", "init/error", "{\"errorType\":\"Init\"}")?;
        return Ok(());
    }
    let mut count = 0_u64;
    loop {
        let (id, event) = call(&address, "GET", "invocation/next", "")?;
        count += 1;
        let path = |what: &str| format!("invocation/{id}/{what}");
        writeln!(io::stdout(), "event {count}: {event}")?;
        if event.contains("crash") {
            std::process::abort();
        } else if event.contains("\"hang\"") {
            hang();
        } else if event.contains("\"error\"") {
            call(
                &address,
                "POST",
                &path("error"),
                "{\"errorType\":\"Asked\"}",
            )?;
        } else if event.contains("\"stream\"") {
            stream(&address, &path("response"))?;
        } else {
            let pid = std::process::id();
            let answer = format!("{{\"pid\":{pid},\"count\":{count},\"event\":{event}}}");
            call(&address, "POST", &path("response"), &answer)?;
            if event.contains("\"hang_after\"") {
                hang();
            }
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a function is configured this way"
)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn hang() -> ! {
    loop {
        std::thread::park();
    }
}

/// Sends a request and gives the request id and the body of the answer.
fn call(address: &str, method: &str, path: &str, body: &str) -> io::Result<(String, String)> {
    let length = body.len();
    exchange(
        address,
        &format!(
            "{method} /2018-06-01/runtime/{path} HTTP/1.1\r\nhost: {address}\r\ncontent-length: {length}\r\n\r\n{body}"
        ),
    )
}

fn stream(address: &str, path: &str) -> io::Result<(String, String)> {
    exchange(
        address,
        &format!(
            "POST /2018-06-01/runtime/{path} HTTP/1.1\r\nhost: {address}\r\n\
         lambda-runtime-function-response-mode: streaming\r\ntransfer-encoding: chunked\r\n\r\n\
         3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"
        ),
    )
}

fn exchange(address: &str, request: &str) -> io::Result<(String, String)> {
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(request.as_bytes())?;
    let mut reader = BufReader::new(stream);
    let (mut id, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim().split_once(": ") {
            Some(("lambda-runtime-aws-request-id", value)) => value.clone_into(&mut id),
            Some(("content-length", value)) => length = value.parse().map_err(io::Error::other)?,
            None if line.trim().is_empty() => break,
            Some(_) | None => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok((id, String::from_utf8_lossy(&body).into_owned()))
}
