//! `fetch` and what belongs to it.

use openeve_runtime::ports::HttpError;
use serde_json::json;

use super::Bench;

#[tokio::test]
async fn fetch_sends_what_was_said_and_reads_the_answer() {
    let bench = Bench::new().answering(|request| {
        let headers = vec![
            ("content-type", "application/json"),
            ("set-cookie", "a=1"),
            ("set-cookie", "b=2"),
        ];
        Ok((
            201,
            headers,
            [b"{\"echo\":", &request.body[..], b"}"].concat(),
        ))
    });
    let value = bench
        .value(
            "const r = await fetch(new URL('/things?x=1', 'https://api.example'), {
               method: 'post', headers: { 'X-Key': 'k', 'content-type': 'application/json' },
               body: JSON.stringify({ a: 1 }) });
             return { ok: r.ok, status: r.status, text: r.statusText, url: r.url, type: r.headers.get('Content-Type'),
               cookies: r.headers.getSetCookie(), body: await r.json(), used: r.bodyUsed };",
        )
        .await;
    assert_eq!(
        value,
        json!({"ok": true, "status": 201, "text": "Created", "url": "https://api.example/things?x=1",
            "type": "application/json", "cookies": ["a=1", "b=2"], "body": {"echo": {"a": 1}}, "used": true})
    );
    let seen = bench.http.seen.lock().unwrap();
    let request = seen.first().unwrap();
    assert_eq!(request.method, http::Method::POST);
    assert_eq!(request.headers["x-key"], "k");
    assert_eq!(request.url, "https://api.example/things?x=1");
    assert!(request.follow_redirects && request.timeout_ms <= 20_000);
}

#[tokio::test]
async fn bodies_may_be_bytes_or_forms_and_answers_may_be_bytes() {
    let bench = Bench::new().answering(|request| Ok((200, vec![], request.body.to_vec())));
    let value = bench
        .value(
            "const send = (body, headers) => fetch('http://a.example', { method: 'PUT', body, headers });
             const bytes = await (await send(new Uint8Array([0, 255, 7]).subarray(1))).arrayBuffer();
             const form = await (await send(new URLSearchParams({ a: 'b c' }))).text();
             const copy = await send('x', new Headers([['a', 'b']]));
             return [[...new Uint8Array(bytes)], form, await copy.clone().text(), await copy.text()];",
        )
        .await;
    assert_eq!(value, json!([[255, 7], "a=b+c", "x", "x"]));
    let seen = bench.http.seen.lock().unwrap();
    let types: Vec<_> = seen
        .iter()
        .map(|request| request.headers.get("content-type"))
        .collect();
    assert_eq!(
        types[1].unwrap(),
        "application/x-www-form-urlencoded;charset=UTF-8"
    );
    assert_eq!(types[2].unwrap(), "text/plain;charset=UTF-8");
}

#[tokio::test]
async fn a_failed_request_rejects_with_a_readable_type_error() {
    let bench = Bench::new().answering(|_| Err(HttpError::Connect("name not known".to_owned())));
    let error = bench
        .error("await fetch('https://a.example/secret-path');")
        .await;
    let wanted = "TypeError: fetch of https://a.example failed: no connection: name not known";
    assert!(error.starts_with(wanted), "{error}");
}

#[tokio::test]
async fn a_request_that_cannot_be_sent_is_a_type_error() {
    let bench = Bench::new();
    for arguments in [
        "'/relative'",
        "'ftp://a.example'",
        "'https://user:pass@a.example'",
        "'https://a.example', { body: 'x' }",
        "'https://a.example', { method: 'POST', body: { a: 1 } }",
        "'https://a.example', { method: 'NO WAY' }",
        "'https://a.example', { headers: { 'bad name': 'x' } }",
        "'https://a.example', { headers: { name: 'a\\nb' } }",
    ] {
        let error = bench.error(&format!("await fetch({arguments});")).await;
        assert!(error.starts_with("TypeError: "), "{arguments}: {error}");
    }
    assert!(bench.http.seen.lock().unwrap().is_empty());
}

#[tokio::test]
async fn bodies_over_their_bound_are_refused_both_ways() {
    let bench = Bench::new()
        .limits(|limits| limits.fetch_body_bytes = 1_000)
        .answering(|_| Ok((200, vec![], vec![b'x'; 1_001])));
    let error = bench
        .error("await (await fetch('https://a.example')).text();")
        .await;
    assert!(error.contains("the response is larger than"), "{error}");
    let body = "await fetch('https://a.example', { method: 'POST', body: 'x'.repeat(1001) });";
    assert!(bench.error(body).await.contains("at most 1000 bytes"));
}

#[tokio::test]
async fn requests_over_the_bound_wait_for_their_turn() {
    let bench = Bench::new()
        .limits(|limits| limits.fetches_at_once = 2)
        .answering(|request| Ok((200, vec![], request.url.as_bytes().to_vec())));
    let body = "const all = [...Array(9).keys()].map((n) => fetch(`https://a.example/${n}`));
                return (await Promise.all(all)).map((r) => r.url.at(-1)).join('');";
    assert_eq!(bench.value(body).await, json!("012345678"));
}

#[tokio::test]
async fn a_request_can_be_aborted_and_its_place_is_free_again() {
    let bench = Bench::new().limits(|limits| limits.fetches_at_once = 1);
    let body = "const names = [];
                for (const signal of [AbortSignal.timeout(1), AbortSignal.abort(), AbortSignal.timeout(1)]) {
                  try { await fetch('https://slow.example', { signal }); } catch (e) { names.push(e.name); }
                }
                return names;";
    assert_eq!(
        bench.value(body).await,
        json!(["TimeoutError", "AbortError", "TimeoutError"])
    );
}
