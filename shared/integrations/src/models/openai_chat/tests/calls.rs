//! Tool calls in pieces (public cases A1, A2, A4, A5).

use super::*;

/// Decodes tool-call pieces that end in `reason`: (id, name, arguments) of each call.
fn calls(pieces: &[&str], reason: &str) -> Vec<(String, String, String)> {
    let mut chunks: Vec<String> = pieces
        .iter()
        .map(|piece| delta(&format!(r#"{{"tool_calls":[{piece}]}}"#)))
        .collect();
    chunks.push(end(reason));
    let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
    let completion = decode(&stream(&chunks)).unwrap();
    assert_eq!(completion.finish, Stop::Calls);
    completion
        .calls
        .into_iter()
        .map(|call| (call.provider_call_id, call.name, call.arguments))
        .collect()
}

fn expected(calls: &[(&str, &str, &str)]) -> Vec<(String, String, String)> {
    calls
        .iter()
        .map(|(id, name, arguments)| ((*id).into(), (*name).into(), (*arguments).into()))
        .collect()
}

#[test]
fn a1_blank_arguments_are_an_empty_object() {
    for blank in ["", " \\n"] {
        let piece = format!(
            r#"{{"index":0,"id":"c1","function":{{"name":"ping","arguments":"{blank}"}}}}"#
        );
        assert_eq!(
            calls(&[&piece], "tool_calls"),
            expected(&[("c1", "ping", "{}")])
        );
    }
    let none = r#"{"index":0,"id":"c1","function":{"name":"ping"}}"#;
    assert_eq!(
        calls(&[none], "tool_calls"),
        expected(&[("c1", "ping", "{}")])
    );
}

#[test]
fn a2_a4_arguments_that_are_not_json_stay_as_they_are() {
    let piece = r#"{"index":0,"id":"c1","function":{"name":"rm","arguments":"{\"path\":\"/tmp/x\", \"recur"}}"#;
    assert_eq!(
        calls(&[piece], "tool_calls"),
        expected(&[("c1", "rm", r#"{"path":"/tmp/x", "recur"#)])
    );
}

#[test]
fn a5_parallel_calls_that_all_have_index_zero_stay_apart() {
    let pieces = [
        r#"{"index":0,"id":"c1","function":{"name":"a","arguments":"{}"}}"#,
        r#"{"index":0,"id":"c2","function":{"name":"b","arguments":"{\"x\""}}"#,
        r#"{"index":0,"function":{"arguments":":1}"}}"#,
    ];
    assert_eq!(
        calls(&pieces, "tool_calls"),
        expected(&[("c1", "a", "{}"), ("c2", "b", r#"{"x":1}"#)])
    );
}

#[test]
fn a5_parallel_calls_without_index_stay_apart() {
    let pieces = [
        r#"{"id":"c1","function":{"name":"a","arguments":"{\"x\""}}"#,
        r#"{"id":"c1","function":{"arguments":":1}"}}"#,
        r#"{"id":"c2","function":{"name":"b","arguments":""}}"#,
        r#"{"function":{"arguments":"{}"}}"#,
    ];
    assert_eq!(
        calls(&pieces, "stop"),
        expected(&[("c1", "a", r#"{"x":1}"#), ("c2", "b", "{}")])
    );
}

#[test]
fn a5_parallel_calls_without_ids_or_indices_stay_apart() {
    let piece = |name: &str| {
        format!(r#"{{"index":0,"function":{{"name":"{name}","arguments":"{{\"x\":1}}"}}}}"#)
    };
    let (a, b) = (piece("a"), piece("b"));
    assert_eq!(
        calls(&[&a, &b, &b], "tool_calls"),
        expected(&[
            ("call_0", "a", r#"{"x":1}"#),
            ("call_1", "b", r#"{"x":1}"#),
            ("call_2", "b", r#"{"x":1}"#)
        ])
    );
}

#[test]
fn interleaved_calls_are_kept_apart_by_index() {
    let pieces = [
        r#"{"index":0,"id":"c1","function":{"name":"a","arguments":"{\"x\""}}"#,
        r#"{"index":1,"id":"c2","function":{"name":"b","arguments":"{\"y\""}}"#,
        r#"{"index":0,"function":{"arguments":":1}"}}"#,
        r#"{"index":1,"function":{"arguments":":2}"}}"#,
    ];
    assert_eq!(
        calls(&pieces, "tool_calls"),
        expected(&[("c1", "a", r#"{"x":1}"#), ("c2", "b", r#"{"y":2}"#)])
    );
}

#[test]
fn an_id_and_a_name_repeated_in_each_piece_are_one_call() {
    let piece = |arguments: &str| {
        format!(r#"{{"index":0,"id":"c1","function":{{"name":"a","arguments":"{arguments}"}}}}"#)
    };
    let pieces = [piece("{"), piece("}"), piece("")];
    assert_eq!(
        calls(&[&pieces[0], &pieces[1], &pieces[2]], "tool_calls"),
        expected(&[("c1", "a", "{}")])
    );
}

#[test]
fn an_id_that_comes_late_belongs_to_the_call_before() {
    let pieces = [
        r#"{"index":0,"function":{"name":"a","arguments":""}}"#,
        r#"{"index":0,"id":"c1","function":{"arguments":"{}"}}"#,
    ];
    assert_eq!(calls(&pieces, "tool_calls"), expected(&[("c1", "a", "{}")]));
}

#[test]
fn arguments_sent_as_an_object_are_their_text() {
    let piece = r#"{"id":"c1","function":{"name":"a","arguments":{"x":1}}}"#;
    assert_eq!(
        calls(&[piece], "tool_calls"),
        expected(&[("c1", "a", r#"{"x":1}"#)])
    );
}

#[test]
fn a_body_that_did_not_stream_may_repeat_an_id() {
    let call = r#"{"id":"c","type":"function","function":{"name":"a","arguments":"{}"}}"#;
    let body = format!(
        r#"{{"choices":[{{"index":0,"message":{{"role":"assistant","content":null,"tool_calls":[{call},{call}]}},"finish_reason":"tool_calls"}}]}}"#
    );
    assert_eq!(decode(&body).unwrap().calls.len(), 2);
}

#[test]
fn a_call_comes_back_under_the_tools_own_name() {
    let names = ["files.read all"];
    let aliases = Aliases::new(names);
    let piece = format!(
        r#"{{"tool_calls":[{{"index":0,"id":"c1","function":{{"name":"{}","arguments":"{{}}"}}}}]}}"#,
        aliases.wire(names[0])
    );
    let body = stream(&[&delta(&piece), &end("tool_calls")]);
    let (completion, _) = decode_chunks([body.as_bytes()], &names);
    assert_eq!(completion.unwrap().calls[0].name, "files.read all");
}

#[test]
fn more_calls_than_we_run_are_refused() {
    let pieces: Vec<String> = (0..65)
        .map(|at| {
            delta(&format!(
                r#"{{"tool_calls":[{{"index":{at},"id":"c{at}","function":{{"name":"a","arguments":"{{}}"}}}}]}}"#
            ))
        })
        .chain([end("tool_calls")])
        .collect();
    let chunks: Vec<&str> = pieces.iter().map(String::as_str).collect();
    assert_eq!(
        decode(&stream(&chunks)).unwrap_err().code,
        "model_too_many_calls"
    );
}
