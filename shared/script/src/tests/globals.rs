//! The web's globals, as far as they exist.

use serde_json::json;

use super::{Bench, output};

#[tokio::test]
async fn code_from_text_sees_what_other_code_sees_and_no_more() {
    let body = "
      const seen = new Function('return [typeof host, typeof info, typeof fetch, this === globalThis]')();
      return [eval('1 + 1'), Function('a', 'return a * 2')(21), seen];";
    assert_eq!(
        Bench::new().value(body).await,
        json!([2, 42, ["undefined", "undefined", "function", true]])
    );
}

#[tokio::test]
async fn urls_follow_the_standard() {
    let body = "
      const url = new URL('../c?q=1#h', 'https://u:p@ex.ample:8443/a/b/');
      url.searchParams.append('r', 'a b'); url.hash = 'x'; url.port = '443';
      const plain = new URLSearchParams('?a=1&a=2&b=%20');
      plain.set('a', '3'); plain.delete('b'); plain.append('c', 'é');
      url.search = '?z=9';
      return [url.href, String(url), url.origin, url.searchParams.get('z'), plain.toString(), [...plain],
        URL.canParse('nope'), JSON.stringify({ url }), new URL('http://x.example').pathname];";
    let href = "https://u:p@ex.ample/a/c?z=9#x";
    assert_eq!(
        Bench::new().value(body).await,
        json!([
            href,
            href,
            "https://ex.ample",
            "9",
            "a=3&c=%C3%A9",
            [["a", "3"], ["c", "é"]],
            false,
            format!("{{\"url\":\"{href}\"}}"),
            "/"
        ])
    );
    let error = Bench::new().error("new URL('nope');").await;
    assert!(error.starts_with("TypeError: invalid URL: nope"), "{error}");
}

#[tokio::test]
async fn text_is_encoded_and_decoded_in_pieces() {
    let body = "
      const bytes = new TextEncoder().encode('é😀');
      const decoder = new TextDecoder();
      let text = '';
      for (const byte of bytes) text += decoder.decode(new Uint8Array([byte]), { stream: true });
      let fatal = 'none';
      try { new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255])); } catch (e) { fatal = e.name; }
      const into = new TextEncoder().encodeInto('aé😀', new Uint8Array(4));
      return [[...bytes], text + decoder.decode(), new TextDecoder().decode(new Uint8Array([255, 65])), fatal, into,
        btoa('hi'), atob('aGk=')];";
    assert_eq!(
        Bench::new().value(body).await,
        json!([[195, 169, 240, 159, 152, 128], "é😀", "\u{fffd}A", "TypeError", {"read": 2, "written": 3}, "aGk=", "hi"])
    );
}

#[tokio::test]
async fn structured_clone_keeps_kinds_cycles_and_sharing() {
    let body = "
      const shared = { n: 1 };
      const from = { date: new Date(5), map: new Map([[shared, new Set([shared])]]), list: [shared, , 3],
        bytes: new Uint8Array([1, 2]).subarray(1), error: new RangeError('r'), re: /a/g };
      from.self = from;
      const to = structuredClone(from);
      const [key, set] = [...to.map][0];
      let refused; try { structuredClone({ f() {} }); } catch (e) { refused = e.name; }
      return [to.self === to, to.date.getTime(), key === to.list[0], set.has(key), key !== shared, 1 in to.list,
        [...to.bytes], to.error instanceof RangeError, to.error.message, String(to.re), refused];";
    assert_eq!(
        Bench::new().value(body).await,
        json!([
            true,
            5,
            true,
            true,
            true,
            false,
            [2],
            true,
            "r",
            "/a/g",
            "DataCloneError"
        ])
    );
}

#[tokio::test]
async fn timers_fire_in_order_and_can_be_cleared() {
    let body = "
      const seen = [];
      setTimeout((x) => seen.push(x), 2.5, 'b'); setTimeout(() => seen.push('a'), 1);
      clearTimeout(setTimeout(() => seen.push('never'), 1));
      let n = 0;
      await new Promise((go) => { const id = setInterval(() => { if (++n === 3) { clearInterval(id); go(); } }, 1); });
      await new Promise((go) => setTimeout(go, 3));
      queueMicrotask(() => seen.push('micro')); await null;
      return [seen, n];";
    assert_eq!(
        Bench::new().value(body).await,
        json!([["a", "b", "micro"], 3])
    );
}

#[tokio::test]
async fn randomness_differs_and_has_the_right_form() {
    let body = "
      const [a, b] = [crypto.randomUUID(), crypto.randomUUID()];
      const filled = crypto.getRandomValues(new Uint32Array(64));
      let over; try { crypto.getRandomValues(new Uint8Array(65537)); } catch (e) { over = e.name; }
      return [a !== b, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(a),
        filled.some((n) => n !== 0), over, performance.now() >= 0];";
    assert_eq!(
        Bench::new().value(body).await,
        json!([true, true, true, "QuotaExceededError", true])
    );
}

#[tokio::test]
async fn a_global_can_be_replaced_before_and_after_its_first_use() {
    let body = "
      globalThis.Headers = 'mine'; const own = [typeof fetch, Headers];
      globalThis.fetch = 1; structuredClone = 2;
      return [own, fetch, structuredClone, typeof Response, Object.keys(globalThis).includes('fetch')];";
    let value = Bench::new().value(body).await;
    assert_eq!(
        value,
        json!([["function", "mine"], 1, 2, "function", false])
    );
}

#[tokio::test]
async fn every_helper_of_the_core_package_evaluates() {
    let module = "
      import * as core from '@openeve/core';
      core.defineAgent({ model: 'a/b' }); core.defineGateway({ state: core.adapter('postgres') });
      core.defineChannel({ auth: core.bearer(core.env('TOKEN')) }); core.defineSchedule({});
      core.defineContext(core.defaultContext({}));
      export default core.defineTool({ needsApproval: core.approvalRequired('why'), execute: () => 'ok' });";
    let outcome = Bench::new().run_module(module, json!({})).await;
    assert_eq!(output(outcome).result, json!("ok"));
}
