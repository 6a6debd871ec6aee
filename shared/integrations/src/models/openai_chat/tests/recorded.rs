//! Traffic recorded from real servers. It lies outside the repository and is never copied into it;
//! a checkout without it says that this part was skipped.

use std::path::{Path, PathBuf};

use http::HeaderMap;
use serde::Deserialize;

use super::*;

const PROVIDERS: [&str; 6] = [
    "openai",
    "deepseek",
    "openrouter",
    "mistral",
    "llamacpp",
    "xai",
];

#[derive(Deserialize)]
struct Interaction {
    when: Asked,
    then: Answered,
}

#[derive(Deserialize)]
struct Asked {
    path: String,
}

#[derive(Deserialize)]
struct Answered {
    status: u16,
    body: String,
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            found.push(path);
        }
    }
}

fn interactions(provider: &Path) -> Vec<(String, Interaction)> {
    let mut found = Vec::new();
    files(provider, &mut found);
    let mut interactions = Vec::new();
    for path in found {
        let text = std::fs::read_to_string(&path).unwrap();
        for document in serde_norway::Deserializer::from_str(&text) {
            interactions.push((
                path.display().to_string(),
                Interaction::deserialize(document).unwrap(),
            ));
        }
    }
    interactions
}

/// Cuts a body at places that look random and are the same in every run.
fn pieces(body: &[u8], mut seed: u64) -> Vec<&[u8]> {
    let mut rest = body;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let length = usize::try_from(seed % 97).unwrap() + 1;
        let (piece, tail) = rest.split_at(length.min(rest.len()));
        pieces.push(piece);
        rest = tail;
    }
    pieces
}

/// Decodes one answer however it is cut, and checks the result against its own finish reason.
fn decoded(path: &str, body: &str) {
    let (whole, shown) = decode_chunks([body.as_bytes()], &[]);
    let streamed = decode_chunks(body.as_bytes().chunks(1), &[]);
    assert_eq!(streamed.0, whole, "{path}");
    for seed in [1, 0x9E37_79B9_7F4A_7C15, 0xDEAD_BEEF] {
        let (cut, shown_cut) = decode_chunks(pieces(body.as_bytes(), seed), &[]);
        assert_eq!((&cut, shown_cut), (&whole, shown.clone()), "{path} {seed}");
    }
    match whole {
        Ok(completion) => {
            assert!(
                completion.usage.is_some_and(|usage| usage.input_tokens > 0),
                "{path}"
            );
            assert_eq!(
                completion.calls.is_empty(),
                completion.finish != Stop::Calls,
                "{path}"
            );
            for call in &completion.calls {
                assert!(
                    !call.name.is_empty() && !call.provider_call_id.is_empty(),
                    "{path}"
                );
                serde_json::from_str::<serde_json::Value>(&call.arguments).expect(path);
            }
            assert!(
                !body.contains(r#""finish_reason":"tool_calls""#) || !completion.calls.is_empty(),
                "{path}"
            );
            if body.starts_with("data") {
                assert_eq!(shown, completion.text, "{path}");
            }
        }
        Err(failure) => {
            assert_eq!(
                failure.code, "model_truncated",
                "{path}: {}",
                failure.message
            );
            assert!(body.contains(r#""finish_reason":"length""#), "{path}");
        }
    }
    // Cut before its end it never counts, except behind the finish reason.
    let (half, _) = decode_chunks([&body.as_bytes()[..body.len() / 3]], &[]);
    assert!(
        half.is_err() || body[..body.len() / 3].contains(r#""finish_reason":""#),
        "{path}"
    );
}

#[test]
#[expect(clippy::print_stdout, reason = "a skipped test must say so")]
fn every_recorded_answer_decodes_however_it_is_cut() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/recorded/rig");
    if !root.is_dir() {
        println!("skipped: there is no recorded traffic beside this checkout");
        return;
    }
    let (mut answers, mut refusals) = (0, 0);
    for provider in PROVIDERS {
        for (path, interaction) in interactions(&root.join(provider)) {
            let answered = interaction.then;
            if answered.status == 200 && interaction.when.path.ends_with("/chat/completions") {
                decoded(&path, &answered.body);
                answers += 1;
            } else if answered.status != 200 {
                let body = answered.body.as_bytes();
                let now = jiff::Timestamp::UNIX_EPOCH;
                let failure =
                    classify_error(&endpoint(), answered.status, &HeaderMap::new(), body, now);
                println!("{}: {}", failure.code, failure.message);
                refusals += 1;
            }
        }
    }
    println!("{answers} answers and {refusals} refusals");
    assert!(answers > 100 && refusals > 10);
}
