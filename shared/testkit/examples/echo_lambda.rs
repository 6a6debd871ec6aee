//! A function for the tests of the Lambda server: speaks the Runtime API over plain sockets.
//!
//! The event says what to do: `{"do": "crash"}`, `"hang"`, `"error"`, `"stream"`, `"hang_after"`;
//! a queue's message `feed 7` sends `feed 6` to the queue that `FEED_QUEUE` names, with the trace
//! header, as the AWS SDK does; anything else is echoed with the process id and the number of events
//! so far.

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
        let Answer {
            id,
            trace,
            body: event,
        } = call(&address, "GET", "invocation/next", "")?;
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
            feed(&event, &trace)?;
            let pid = std::process::id();
            let answer = format!("{{\"pid\":{pid},\"count\":{count},\"event\":{event}}}");
            call(&address, "POST", &path("response"), &answer)?;
            if event.contains("\"hang_after\"") {
                hang();
            }
        }
    }
}

/// What the events here need of an answer.
struct Answer {
    id: String,
    trace: String,
    body: String,
}

/// Sends the next message of a countdown, if the event is one that has not ended.
fn feed(event: &str, trace: &str) -> io::Result<()> {
    let Some((_, rest)) = event.split_once("feed ") else {
        return Ok(());
    };
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let left: u64 = digits.parse().map_err(io::Error::other)?;
    let queue = variable("FEED_QUEUE").ok_or(io::ErrorKind::NotFound)?;
    let address = queue.split('/').nth(2).ok_or(io::ErrorKind::InvalidInput)?;
    let Some(next) = left.checked_sub(1) else {
        return Ok(());
    };
    let body = format!("{{\"QueueUrl\":\"{queue}\",\"MessageBody\":\"feed {next}\"}}");
    let length = body.len();
    let request = format!(
        "POST / HTTP/1.1\r\nhost: {address}\r\nx-amz-target: AmazonSQS.SendMessage\r\n\
         x-amzn-trace-id: {trace}\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    exchange(address, &request).map(drop)
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

/// Sends a request to the Runtime API.
fn call(address: &str, method: &str, path: &str, body: &str) -> io::Result<Answer> {
    let length = body.len();
    exchange(
        address,
        &format!(
            "{method} /2018-06-01/runtime/{path} HTTP/1.1\r\nhost: {address}\r\ncontent-length: {length}\r\n\r\n{body}"
        ),
    )
}

fn stream(address: &str, path: &str) -> io::Result<Answer> {
    exchange(
        address,
        &format!(
            "POST /2018-06-01/runtime/{path} HTTP/1.1\r\nhost: {address}\r\n\
         lambda-runtime-function-response-mode: streaming\r\ntransfer-encoding: chunked\r\n\r\n\
         3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"
        ),
    )
}

fn exchange(address: &str, request: &str) -> io::Result<Answer> {
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(request.as_bytes())?;
    let mut reader = BufReader::new(stream);
    let (mut id, mut trace, mut length) = (String::new(), String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim().split_once(": ") {
            Some(("lambda-runtime-aws-request-id", value)) => value.clone_into(&mut id),
            Some(("lambda-runtime-trace-id", value)) => value.clone_into(&mut trace),
            Some(("content-length", value)) => length = value.parse().map_err(io::Error::other)?,
            None if line.trim().is_empty() => break,
            Some(_) | None => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let body = String::from_utf8_lossy(&body).into_owned();
    Ok(Answer { id, trace, body })
}
