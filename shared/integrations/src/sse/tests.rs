//! Streams cut at every byte, and streams that never should have been sent.

use proptest::prelude::*;

use super::*;

const MAX: usize = 1_000;

fn decode(chunks: &[&[u8]]) -> Vec<(String, String)> {
    let mut decoder = Decoder::new(MAX);
    let mut events = Vec::new();
    for chunk in chunks {
        events.extend(decoder.feed(chunk).unwrap());
    }
    events.extend(decoder.finish());
    events
        .into_iter()
        .map(|event| (event.name, event.data))
        .collect()
}

fn whole(text: &str) -> Vec<(String, String)> {
    decode(&[text.as_bytes()])
}

fn data(texts: &[&str]) -> Vec<(String, String)> {
    texts
        .iter()
        .map(|text| (String::new(), (*text).to_owned()))
        .collect()
}

#[test]
fn c2_characters_split_over_chunks_arrive_whole() {
    let text = "data: 你好🦀\n\ndata: {\"city\":\"杭州\"}\n\n";
    let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
    assert_eq!(decode(&bytes), data(&["你好🦀", "{\"city\":\"杭州\"}"]));
}

#[test]
fn c2_a_crlf_split_between_its_bytes_is_one_line_end() {
    assert_eq!(
        decode(&[b"data: a\r", b"\ndata: b\r", b"\n\r", b"\n"]),
        data(&["a\nb"])
    );
}

#[test]
fn a_lone_carriage_return_ends_a_line() {
    assert_eq!(whole("data: a\r\rdata: b\r\r"), data(&["a", "b"]));
}

#[test]
fn c2_a_byte_order_mark_is_skipped_even_when_split() {
    assert_eq!(
        decode(&[b"\xEF", b"\xBB", b"\xBFdata: a\n\n"]),
        data(&["a"])
    );
}

#[test]
fn c4_comments_are_skipped() {
    let text = ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\ndata: a\n\n:\n\n";
    assert_eq!(whole(text), data(&["a"]));
}

#[test]
fn data_lines_are_joined_and_only_one_space_is_dropped() {
    assert_eq!(whole("data:a\ndata:  b\ndata\n\n"), data(&["a\n b\n"]));
}

#[test]
fn an_event_keeps_its_name_and_the_next_one_has_none() {
    let events = whole("event: error\ndata: x\nid: 7\nretry: 5\n\ndata: y\n\n");
    assert_eq!(
        events,
        [("error".into(), "x".into()), (String::new(), "y".into())]
    );
}

#[test]
fn a_name_without_data_is_no_event() {
    assert_eq!(whole("event: ping\n\ndata: x\n\n"), data(&["x"]));
}

#[test]
fn the_last_event_needs_no_blank_line() {
    assert_eq!(whole("data: a\n\ndata: [DONE]"), data(&["a", "[DONE]"]));
    assert_eq!(whole("data: a\n"), data(&["a"]));
    assert_eq!(whole("data: a\r"), data(&["a"]));
}

#[test]
fn an_event_over_the_bound_is_an_error() {
    let mut one_line = Decoder::new(MAX);
    assert_eq!(
        one_line.feed(&[b'x'; MAX + 1]),
        Err(Error::TooLarge {
            event_bytes_max: MAX
        })
    );
    let mut many_lines = Decoder::new(MAX);
    let fed: Result<Vec<_>, _> = (0..200)
        .map(|_| many_lines.feed(b"data: 0123456789\n"))
        .collect();
    assert_eq!(
        fed,
        Err(Error::TooLarge {
            event_bytes_max: MAX
        })
    );
}

#[test]
fn a_long_stream_of_small_events_is_within_the_bound() {
    let mut decoder = Decoder::new(MAX);
    for _ in 0..200 {
        assert_eq!(
            decoder
                .feed(b": ping\n\ndata: 0123456789\n\n")
                .unwrap()
                .len(),
            1
        );
    }
}

proptest! {
    #[test]
    fn chunking_never_changes_the_events(
        lines in proptest::collection::vec("(data|event|:|id)[: ]{0,2}[a-zé🦀]{0,5}", 0..12),
        ends in proptest::collection::vec(prop_oneof![Just("\n"), Just("\r"), Just("\r\n")], 24),
        cuts in proptest::collection::vec(1_usize..7, 1..9),
    ) {
        let mut text = String::new();
        for (at, line) in lines.iter().enumerate() {
            text.push_str(line);
            text.push_str(ends[2 * at]);
            if at % 3 == 2 {
                text.push_str(ends[2 * at + 1]);
            }
        }
        let mut rest = text.as_bytes();
        let mut chunks = Vec::new();
        for cut in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (chunk, tail) = rest.split_at((*cut).min(rest.len()));
            chunks.push(chunk);
            rest = tail;
        }
        prop_assert_eq!(decode(&chunks), whole(&text));
    }
}
