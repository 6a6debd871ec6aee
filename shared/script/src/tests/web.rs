//! The web's interfaces: what they say, side by side with Node.

use serde_json::{Value, json};

use super::{Bench, output};

/// The cases, a module that exports `told`, which says what came of each.
const CASES: &str = include_str!("web_cases.mjs");
/// What Node 20.20.2 said, a line a case.
const EXPECTED: &str = include_str!("web_cases.jsonl");

#[tokio::test]
async fn the_webs_interfaces_say_what_node_says() {
    let module = format!("{CASES}\nexport default {{ execute: () => told() }};");
    let outcome = Bench::new().run_module(&module, json!({})).await;
    let said = output(outcome).result;
    let said: Vec<&str> = said
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let expected: Vec<&str> = EXPECTED.lines().collect();
    assert!(expected.len() > 50);
    let wrong: Vec<String> = expected
        .iter()
        .zip(&said)
        .filter(|(expected, said)| expected != said)
        .map(|(expected, said)| format!("node   {expected}\nengine {said}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert_eq!(said.len(), expected.len());
}

#[tokio::test]
async fn an_answer_is_read_piece_by_piece() {
    let bench = Bench::new().answering(|_| Ok((200, vec![], vec![b'x'; 300_000])));
    let body = "
      const response = await fetch('https://a.example/');
      const before = response.bodyUsed;
      let [pieces, bytes] = [0, 0];
      for await (const piece of response.body) { pieces += 1; bytes += piece.length; }
      let again; try { await response.text(); } catch (error) { again = error.name; }
      return [before, pieces > 2, bytes, response.bodyUsed, again];";
    assert_eq!(
        bench.value(body).await,
        json!([false, true, 300_000, true, "TypeError"])
    );
}

#[tokio::test]
async fn an_answer_whose_body_nobody_reads_keeps_no_other_request_from_its_turn() {
    let bench = Bench::new()
        .limits(|limits| limits.fetches_at_once = 1)
        .answering(|_| Ok((200, vec![], vec![b'x'; 100_000])));
    let body = "
      const statuses = [];
      for (let at = 0; at < 3; at += 1) statuses.push((await fetch('https://a.example/')).status);
      return statuses;";
    assert_eq!(bench.value(body).await, json!([200, 200, 200]));
}

#[tokio::test]
async fn a_body_that_is_cancelled_frees_its_place() {
    let bench = Bench::new()
        .limits(|limits| limits.fetches_at_once = 1)
        .answering(|_| Ok((200, vec![], vec![b'x'; 5_000_000])));
    let body = "
      const first = await fetch('https://a.example/');
      const reader = first.body.getReader();
      const { value } = await reader.read();
      await reader.cancel();
      const second = await fetch('https://a.example/');
      await second.body.cancel();
      return [value.length > 0, second.status];";
    assert_eq!(bench.value(body).await, json!([true, 200]));
}

#[tokio::test]
async fn an_abort_in_the_midst_of_a_body_breaks_it_off() {
    let bench = Bench::new().answering(|_| Ok((200, vec![], vec![b'x'; 5_000_000])));
    let body = "
      const controller = new AbortController();
      const response = await fetch('https://a.example/', { signal: controller.signal });
      const reader = response.body.getReader();
      await reader.read();
      controller.abort();
      try { for (;;) if ((await reader.read()).done) return 'whole'; } catch (error) { return error.name; }";
    assert_eq!(bench.value(body).await, json!("AbortError"));
}

#[tokio::test]
async fn a_body_over_the_bound_fails_where_it_is_read() {
    let bench = Bench::new()
        .limits(|limits| limits.fetch_body_bytes = 1_000_000)
        .answering(|_| Ok((200, vec![], vec![b'x'; 1_000_001])));
    let body = "
      const seen = [];
      const response = await fetch('https://a.example/');
      try { await response.text(); } catch (error) { seen.push(error.message); }
      const streamed = await fetch('https://a.example/');
      try { for await (const piece of streamed.body); } catch (error) { seen.push(error.message); }
      return seen;";
    let value = bench.value(body).await;
    for text in value.as_array().unwrap() {
        assert!(
            text.as_str()
                .unwrap()
                .contains("https://a.example failed: the response is larger than"),
            "{text}"
        );
    }
    assert_eq!(value.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_form_and_a_stream_are_sent_whole() {
    let bench = Bench::new().answering(|request| Ok((200, vec![], request.body.to_vec())));
    let body = "
      const form = new FormData();
      form.append('name', 'Ada'); form.append('file', new File(['data'], 'a.txt', { type: 'text/plain' }));
      const sent = await fetch('https://a.example/', { method: 'POST', body: form });
      const text = await sent.text();
      const parts = ReadableStream.from(['a', 'b']).pipeThrough(new TextEncoderStream());
      const streamed = await fetch(new Request('https://a.example/', { method: 'PUT', body: parts, duplex: 'half' }));
      return [text.includes('name=\"file\"; filename=\"a.txt\"'), text.includes('Ada'), await streamed.text()];";
    assert_eq!(bench.value(body).await, json!([true, true, "ab"]));
}

#[tokio::test]
async fn the_calls_own_signal_aborts_before_its_time_is_over() {
    let mut bench = Bench::new();
    bench.timeout_ms = 1_200;
    let body = "
      try { await fetch('https://slow.example/', { signal: ctx.abortSignal }); }
      catch (error) { return [error.name, ctx.abortSignal.aborted]; }";
    assert_eq!(bench.value(body).await, json!(["TimeoutError", true]));
}

#[tokio::test]
async fn the_page_names_every_global_and_no_other() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/engine.md");
    let page = std::fs::read_to_string(page).unwrap();
    let section = page.split("\n## Globals\n").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let mut named: Vec<&str> = rows
        .flat_map(|row| {
            row.split(" | ")
                .next()
                .unwrap()
                .split('`')
                .skip(1)
                .step_by(2)
        })
        .collect();
    named.sort_unstable();
    // What the language has is what an engine without our globals would have.
    let body = "
      const language = new Set(['Object', 'Function', 'Error', 'EvalError', 'RangeError', 'ReferenceError',
        'SyntaxError', 'TypeError', 'URIError', 'InternalError', 'AggregateError', 'Iterator', 'Array', 'parseInt',
        'parseFloat', 'isNaN', 'isFinite', 'decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent',
        'escape', 'unescape', 'Infinity', 'NaN', 'undefined', 'Number', 'Boolean', 'String', 'Math', 'Reflect',
        'Symbol', 'eval', 'globalThis', 'Date', 'RegExp', 'JSON', 'Proxy', 'Map', 'Set', 'WeakMap', 'WeakSet',
        'ArrayBuffer', 'SharedArrayBuffer', 'Uint8ClampedArray', 'Int8Array', 'Uint8Array', 'Int16Array',
        'Uint16Array', 'Int32Array', 'Uint32Array', 'BigInt64Array', 'BigUint64Array', 'Float16Array', 'Float32Array',
        'Float64Array', 'DataView', 'Atomics', 'Promise', 'BigInt', 'WeakRef', 'FinalizationRegistry', 'DisposableStack', 'AsyncDisposableStack', 'SuppressedError']);
      return Object.getOwnPropertyNames(globalThis).filter((name) => !language.has(name)).sort();";
    assert_eq!(Bench::new().value(body).await, json!(named));
}
