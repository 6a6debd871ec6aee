//! What an answer holds beside its text: reasoning, refusals, parts, usage.

use openeve_domain::usage::Usage;
use serde_json::json;

use super::*;

#[test]
fn usage_is_the_last_that_was_said_and_survives_a_failure() {
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":8,"completion_tokens":2}}"#;
    let expected = Usage {
        input_tokens: 8,
        output_tokens: 2,
        ..Usage::default()
    };
    assert_eq!(
        decode(&stream(&[&text("a"), &end("stop"), usage]))
            .unwrap()
            .usage,
        Some(expected)
    );
    let mut decoder = Decoder::new(&endpoint(), Aliases::default());
    decoder
        .feed(stream(&[&end("length"), usage]).as_bytes())
        .unwrap();
    assert_eq!((decoder.usage(), decoder.is_done()), (Some(expected), true));
    assert!(decoder.finish().is_err());
}

#[test]
fn reasoning_is_kept_with_the_model_that_wrote_it() {
    let body = stream(&[
        &delta(r#"{"reasoning_content":"Let "}"#),
        &delta(r#"{"reasoning_content":"me see.","content":null}"#),
        &text("4"),
        &end("stop"),
    ]);
    let completion = decode(&body).unwrap();
    assert_eq!(completion.text, "4");
    assert_eq!(
        completion.extra,
        json!({"model": "openai/gpt-x", "reasoning_content": "Let me see."})
    );
}

#[test]
fn signed_reasoning_blocks_are_joined_from_their_pieces() {
    let piece = |detail: &str| {
        delta(&format!(
            r#"{{"reasoning":"x","reasoning_details":[{detail}]}}"#
        ))
    };
    let body = stream(&[
        &piece(r#"{"type":"reasoning.text","index":0,"text":"a","signature":null}"#),
        &piece(r#"{"type":"reasoning.text","index":0,"text":"b"}"#),
        &piece(r#"{"type":"reasoning.text","index":0,"signature":"s"}"#),
        &piece(r#"{"type":"reasoning.encrypted","index":0,"data":"d"}"#),
        &text("4"),
        &end("stop"),
    ]);
    let expected = json!([
        {"type": "reasoning.text", "index": 0, "text": "ab", "signature": "s"},
        {"type": "reasoning.encrypted", "index": 0, "data": "d"},
    ]);
    let extra = decode(&body).unwrap().extra;
    assert_eq!(
        (&extra["reasoning_details"], extra.get("reasoning")),
        (&expected, None)
    );
}

#[test]
fn content_in_parts_is_the_text_of_its_texts() {
    let body = stream(&[
        &delta(
            r#"{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"4"}]}"#,
        ),
        &end("stop"),
    ]);
    assert_eq!(decode(&body).unwrap().text, "4");
}

#[test]
fn a_refusal_is_text_and_marked() {
    let body = stream(&[
        &delta(r#"{"content":null,"refusal":"I cannot."}"#),
        &end("stop"),
    ]);
    let completion = decode(&body).unwrap();
    assert_eq!(
        (completion.text.as_str(), completion.refused),
        ("I cannot.", true)
    );
}

#[test]
fn a_second_choice_is_not_mixed_in() {
    let second = r#"{"choices":[{"index":1,"delta":{"content":"b"},"finish_reason":"length"}]}"#;
    let completion = decode(&stream(&[&text("a"), second, &end("stop")])).unwrap();
    assert_eq!(
        (completion.text.as_str(), completion.finish),
        ("a", Stop::Done)
    );
}
