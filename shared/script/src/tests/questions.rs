//! What becomes of a call that asks a person.

use openeve_domain::pause::{PauseKind, PauseRequest};
use openeve_domain::run::settle_calls::{Outcome, Returned};
use openeve_runtime::ports::ToolRunner as _;
use serde_json::{Value, json};

use super::{Bench, module, output};

/// Runs the body of an `execute` with these answers to its earlier questions.
async fn answered(bench: &Bench, body: &str, answers: &[&str]) -> Outcome {
    let tool = bench.tool("probe", &module(body));
    let mut call = bench.call(&tool, json!({}));
    call.answers = answers.iter().map(|one| (*one).to_owned()).collect();
    bench.tools().run(call).await
}

#[track_caller]
fn question(outcome: Outcome) -> PauseRequest {
    match outcome.result {
        Ok(Returned::Pause(request)) => request,
        other => panic!("no pause but {other:?}"),
    }
}

fn asks(prompt: &str) -> PauseRequest {
    PauseRequest {
        kind: PauseKind::Input,
        prompt: prompt.to_owned(),
        options: Vec::new(),
        approvers: Vec::new(),
        url: None,
    }
}

#[tokio::test]
async fn a_question_without_an_answer_pauses_the_call() {
    let bench = Bench::new();
    let body = "return await ctx.askQuestion('How many?');";
    assert_eq!(question(bench.run(body).await), asks("How many?"));
    let body = "await ctx.askQuestion('Which?', { options: ['a', 'b'], approvers: ['role:admin', 'ada'] });";
    let expected = PauseRequest {
        options: vec!["a".into(), "b".into()],
        approvers: vec!["role:admin".into(), "ada".into()],
        ..asks("Which?")
    };
    assert_eq!(question(bench.run(body).await), expected);
}

#[tokio::test]
async fn the_nth_question_returns_the_nth_answer() {
    let bench = Bench::new();
    let body = "const a = await ctx.askQuestion('A?'); const b = await ctx.askQuestion('B?'); return [a, b];";
    assert_eq!(question(answered(&bench, body, &[]).await), asks("A?"));
    assert_eq!(question(answered(&bench, body, &["1"]).await), asks("B?"));
    for answers in [&["1", ""][..], &["1", "", "more"]] {
        let outcome = answered(&bench, body, answers).await;
        assert_eq!(output(outcome).result, json!(["1", ""]));
    }
}

#[tokio::test]
async fn a_pause_cannot_be_caught_and_nothing_runs_after_it() {
    let bench = Bench::new().answering(|_| Ok((200, vec![], vec![])));
    let after = "await ctx.emit('after'); await fetch('https://a.example/'); return 'went on';";
    for ask in [
        "try { await ctx.askQuestion('?'); } catch { } finally { ctx.emit('finally'); }",
        "await ctx.askQuestion('?').catch(() => {}).finally(() => ctx.emit('finally'));",
        "ctx.askQuestion('?');",
        "const f = async () => { try { await ctx.askQuestion('?'); } finally { ctx.emit('f'); } }; f(); ctx.emit('g');",
        "await new Promise((go) => { ctx.askQuestion('?'); }).catch(() => ctx.emit('caught')); ctx.emit('g');",
        "new Promise(() => ctx.askQuestion('?')); ctx.emit('g'); fetch('https://a.example/'); console.log('x');",
        "await Promise.allSettled([1].map(() => ctx.askQuestion('?')));",
        "for (const one of (function* () { try { yield 1; } finally { ctx.emit('closed'); } })()) await ctx.askQuestion('?');",
        "await Promise.resolve().then(() => ctx.askQuestion('?')).then(() => ctx.emit('then'), () => ctx.emit('caught'));",
        "await new Promise((go) => setTimeout(() => { try { ctx.askQuestion('?'); } finally { go(); } }, 0));",
        "Promise.reject(new Error('lost')); setInterval(() => ctx.emit('tick'), 0); await ctx.askQuestion('?');",
    ] {
        let outcome = bench.run(&format!("{ask}\n{after}")).await;
        assert_eq!(outcome.emitted, [], "{ask}");
        assert_eq!(question(outcome), asks("?"), "{ask}");
    }
    assert!(bench.http.seen.lock().unwrap().is_empty());
}

#[tokio::test]
async fn of_two_questions_at_once_the_first_counts() {
    let bench = Bench::new();
    for body in [
        "return Promise.all([ctx.askQuestion('A?'), ctx.askQuestion('B?')]);",
        "const ask = async (text) => { try { return await ctx.askQuestion(text); } catch { return 'caught'; } };
         return Promise.all([ask('A?'), ask('B?')]);",
        "return Promise.all(['A?', 'B?'].map((text) => new Promise((go) => go(ctx.askQuestion(text)))));",
    ] {
        assert_eq!(question(answered(&bench, body, &[]).await), asks("A?"), "{body}");
        assert_eq!(question(answered(&bench, body, &["1"]).await), asks("B?"), "{body}");
        let both = answered(&bench, body, &["1", "2"]).await;
        assert_eq!(output(both).result, json!(["1", "2"]), "{body}");
    }
}

#[tokio::test]
async fn what_was_emitted_before_a_question_is_kept() {
    let body = "await ctx.emit('begun', 1); await ctx.askQuestion('?'); await ctx.emit('ended');";
    let outcome = Bench::new().run(body).await;
    let kinds: Vec<_> = outcome
        .emitted
        .iter()
        .map(|one| one.kind.as_str())
        .collect();
    assert_eq!(kinds, ["begun"]);
    question(outcome);
}

#[tokio::test]
async fn a_request_under_way_does_not_hold_a_pause_up() {
    let body =
        "fetch('https://slow.example/').catch(() => {}); await null; await ctx.askQuestion('?');";
    assert_eq!(question(Bench::new().run(body).await), asks("?"));
}

#[tokio::test]
async fn a_question_that_cannot_be_asked_is_an_error_the_tool_sees() {
    let bench = Bench::new();
    for (arguments, why) in [
        ("", "needs a question, a string"),
        ("7", "needs a question, a string"),
        ("' '", "1 to 4000 characters, this one 0"),
        ("'é'.repeat(4001)", "1 to 4000 characters, this one 4001"),
        ("'?', ['a']", "must be { options, approvers }"),
        ("'?', 'a'", "must be { options, approvers }"),
        ("'?', null", "must be { options, approvers }"),
        ("'?', { choices: [] }", "no option \"choices\""),
        (
            "'?', { options: 'a' }",
            "options must be an array of strings",
        ),
        (
            "'?', { options: ['a', , 'b'] }",
            "options must be an array of strings",
        ),
        (
            "'?', { options: ['a', 1] }",
            "options must be an array of strings",
        ),
        (
            "'?', { options: Array(21).fill('a') }",
            "at most 20 options, this one 21",
        ),
        ("'?', { options: [''] }", "1 to 200 characters each"),
        (
            "'?', { options: ['a'.repeat(201)] }",
            "1 to 200 characters each",
        ),
        (
            "'?', { approvers: 'ada' }",
            "approvers must be an array of strings",
        ),
        ("'?', { approvers: [] }", "leave it out"),
        ("'?', { approvers: ['role:'] }", "role: and a role"),
        ("'?', { approvers: [' '] }", "role: and a role"),
        ("'?', { approvers: ['role: a'] }", "role: and a role"),
    ] {
        let error = bench
            .error(&format!("await ctx.askQuestion({arguments});"))
            .await;
        assert!(
            error.starts_with("TypeError: ") && error.contains(why),
            "{arguments}: {error}"
        );
    }
}

#[tokio::test]
async fn a_question_that_cannot_be_asked_is_none_and_can_be_caught() {
    let body = "let why = ''; try { await ctx.askQuestion(); } catch (e) { why = e.name; }
                return [why, await ctx.askQuestion('é'.repeat(4000), { options: Array(20).fill('a') })];";
    let outcome = answered(&Bench::new(), body, &["1"]).await;
    assert_eq!(output(outcome).result, json!(["TypeError", "1"]));
}

#[tokio::test]
async fn a_secret_is_not_asked_about() {
    let bench = Bench::new()
        .env("API_KEY", "sk-live-123")
        .env("CITY", "Berlin");
    let body = "const { API_KEY: key, CITY: city } = process.env;
                await ctx.askQuestion(`${key} in ${city}?`, { options: [key, city] });";
    let asked = question(bench.run(body).await);
    assert_eq!(asked.prompt, "[secret] in Berlin?");
    assert_eq!(asked.options, ["[secret]", "Berlin"]);
}

#[tokio::test]
async fn half_a_surrogate_pair_in_a_question_becomes_a_replacement_mark() {
    let asked = question(
        Bench::new()
            .run("ctx.askQuestion('😀'.slice(0, 1) + '?');")
            .await,
    );
    assert_eq!(asked.prompt, "\u{fffd}?");
}

#[tokio::test]
async fn a_limit_that_was_passed_before_is_told_instead_of_a_question() {
    let bench = Bench::new().limits(|limits| limits.cpu_ms = 40);
    let body = "const busy = new Promise(() => { for (;;) {} }); await ctx.askQuestion('?');";
    assert!(bench.error(body).await.contains("processor time"));
    let bench = Bench::new().limits(|limits| limits.memory_bytes = 4 << 20);
    let body = "const all = 'x'.repeat(6000000); await ctx.askQuestion('?');";
    assert!(bench.error(body).await.contains("4 MiB of memory"));
}

#[tokio::test]
async fn a_paused_call_leaves_no_thread_behind() {
    let bench = Bench::new();
    let tools = bench.tools();
    let tool = bench.tool("probe", &module("await ctx.askQuestion('?');"));
    question(tools.run(bench.call(&tool, Value::Null)).await);
    assert_eq!(tools.abandoned_threads(), 0);
}
