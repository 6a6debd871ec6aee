use super::{Bench, module};
use openeve_runtime::ports::ToolRunner as _;
use serde_json::json;

#[tokio::test]
async fn zz_stress_oom() {
    let bodies = [
        "const all = []; for (;;) all.push(new Uint8Array(1000));",
        "let text = 'x'; for (;;) text = text + text + 'y';",
        "const all = []; for (;;) all.push({ all, a: [1,2,3], f() { return all; } });",
        "const all = []; for (;;) all.push(new TextEncoder().encode('x'.repeat(1000)));",
        "const m = new Map(); for (let n = 0;; n++) m.set({ n }, [m, `${n}`]);",
        "const all = []; for (;;) { try { all.push(Promise.resolve(all).then((x) => [x, all])); } catch {} await null; }",
        "const all = []; for (;;) { try { all.push(JSON.parse('[' + '[1,{},2],'.repeat(50) + '1]')); } catch {} }",
        "const all = []; for (let n = 0;; n++) { class A { #x = all; static y = new URL('https://a/' + n); get() { return this.#x } } all.push(new A(), A); }",
        "const all = []; for (;;) { all.push(async function* () { yield all; }()); all.at(-1).next(); }",
        "const all = []; for (let n = 0;; n++) { all.push(structuredClone({ d: new Date(), e: new Error('x'), r: new RegExp('a' + n), all: [n] })); }",
        "const all = []; for (let n = 0;; n++) { all.push(new Proxy({}, {}), Symbol('s' + n), BigInt(n) ** 100n, new WeakRef({}), new AbortController()); }",
        "const all = []; for (let n = 0;; n++) { all.push(fetch('https://a.example/' + n).catch((e) => [e, all])); await null; }",
        "let f = () => 1; for (;;) { const g = f; f = () => g; f = f.bind(f, f); }",
        "const all = []; for (let n = 0;; n++) { all.push('abc,def'.split(',').map((x) => x + n), `${n}`.replace(/[0-9]/g, (d) => d + d), Object.entries({ a: n })); setTimeout(() => all, 1e6) }",
        "let t = 'a,'.repeat(100000); for (;;) t.split(',');",
        "const all = []; let t = '[' + '{\"a\":1,\"b\":[]},'.repeat(40000) + '1]'; for (;;) all.push(JSON.parse(t));",
        "const all = []; for (;;) all.push(new Array(30000).fill({}), new Array(1e5), Array.from({ length: 10000 }, (_, i) => [i]));",
        "let f = () => 1; for (;;) { const g = f; f = () => g; f = f.bind(f, f, 1, 2, 3, 4, 5, 6); }",
        "return Array.from({ length: 4e7 }).fill(0).map((x) => [x]);",
        "const t = 'ab'.repeat(1e5); const all = []; for (;;) all.push([...t.matchAll(/a(b)/g)], t.replace(/a/g, 'xyz'), t.split(''));",
        "const o = {}; for (let n = 0;; n++) o['k' + n] = n;",
    ];
    let start = std::env::var("START")
        .ok()
        .and_then(|x| x.parse().ok())
        .unwrap_or(300usize);
    for kib in (start..start + 1400).step_by(71) {
        for (n, body) in bodies.iter().enumerate() {
            if std::env::var("ONLY")
                .ok()
                .and_then(|x| x.parse().ok())
                .is_some_and(|o: usize| o != n)
            {
                continue;
            }
            eprintln!("{kib} {n}");
            let bench = Bench::new().limits(|l| {
                l.memory_bytes = kib << 10;
                l.cpu_ms = 3000;
            });
            let out = bench.run(body).await;
            if kib % 5 == 0 {
                eprintln!("{:?}", out.result.unwrap_err().lines().next());
            }
        }
    }
}

#[tokio::test]
async fn zz_speed() {
    let bench = Bench::new().answering(|_| Ok((200, vec![], b"{}".to_vec())));
    for body in [
        "return 1;",
        "await ctx.emit('x'); return (await fetch('https://a.example')).json();",
    ] {
        let tools = bench.tools();
        let tool = bench.tool("probe", &module(body));
        let t = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        for _ in 0..200 {
            tools
                .run(bench.call(&tool, json!({})))
                .await
                .result
                .unwrap();
        }
        let e = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        eprintln!(
            "{body}: {} us",
            ((e.tv_sec - t.tv_sec) * 1_000_000 + (e.tv_nsec - t.tv_nsec) / 1000) / 200
        );
    }
}
