//! Conversations with a hotel's tools, written out.

use serde_json::{Value, json};

use super::*;

mod bounds;
mod concierge;
mod newcomer;

fn function(name: &str, description: &str, properties: &Value, required: &[&str]) -> Value {
    let parameters = json!({"type": "object", "properties": properties, "required": required});
    json!({"type": "function", "function": {"name": name, "description": description, "parameters": parameters}})
}

fn tools() -> Vec<Value> {
    let places = json!({"type": "string", "enum": ["restaurant", "spa", "pool", "roof bar"]});
    vec![
        function(
            "opening_hours",
            "Says when a place of the hotel opens and closes.",
            &json!({"place": places}),
            &["place"],
        ),
        function(
            "time_until",
            "Says how long it is from now until a time of day.",
            &json!({"target": {"type": "string", "description": "HH:MM"}, "now": {"type": "string", "description": "HH:MM"}}),
            &["target"],
        ),
        function(
            "book_table",
            "Books a table. The place must be open at that time.",
            &json!({
                "place": places,
                "guests": {"type": "integer"},
                "time": {"type": "string", "description": "HH:MM"},
                "name": {"type": "string", "description": "Who the table is for."},
            }),
            &["place", "guests", "time", "name"],
        ),
    ]
}

/// A Tuesday.
fn now() -> Timestamp {
    "2026-12-01T15:10:00Z".parse().unwrap()
}

/// Plays a conversation in which each tool answers what `result` says, until the answer.
fn play(message: &str, result: impl Fn(&str, &Value) -> String) -> (Vec<(String, Value)>, String) {
    play_with(&tools(), message, result)
}

fn play_with(
    tools: &[Value],
    message: &str,
    result: impl Fn(&str, &Value) -> String,
) -> (Vec<(String, Value)>, String) {
    let mut messages = vec![
        json!({"role": "system", "content": "Be kind."}),
        json!({"role": "user", "content": message}),
    ];
    let mut asked = Vec::new();
    loop {
        match decide(&messages, tools, now()) {
            Decision::Say(text) => return (asked, text),
            Decision::Call(calls) => {
                assert!((1..=2).contains(&calls.len()));
                for (name, arguments) in calls {
                    let id = format!("c{}", asked.len());
                    messages.push(json!({"role": "assistant", "content": null, "tool_calls":
                        [{"id": id, "type": "function", "function": {"name": name, "arguments": arguments.to_string()}}]}));
                    messages.push(json!({"role": "tool", "tool_call_id": id, "content": result(&name, &arguments)}));
                    asked.push((name, arguments));
                }
            }
        }
        assert!(asked.len() <= 6);
    }
}

fn hotel(name: &str, arguments: &Value) -> String {
    match name {
        "opening_hours" => {
            json!({"place": arguments["place"], "opens": "10:00", "closes": "20:00"}).to_string()
        }
        "time_until" => json!({"minutes": 75, "text": "1 hour and 15 minutes"}).to_string(),
        _ => r#"{"booked":true,"reference":"T-1"}"#.to_owned(),
    }
}

fn asked(message: &str) -> Vec<(String, Value)> {
    play(message, hotel).0
}

fn call(name: &str, arguments: Value) -> (String, Value) {
    (name.to_owned(), arguments)
}

#[test]
fn the_example_question_calls_two_tools_one_after_the_other_and_answers() {
    let (calls, text) = play(
        "When does the spa open, and how long is it until then?",
        hotel,
    );
    assert_eq!(
        calls,
        [
            call("opening_hours", json!({"place": "spa"})),
            call("time_until", json!({"target": "10:00"}))
        ]
    );
    for part in [
        "[demo model] opening hours says: ",
        "opens 10:00",
        "time until says: ",
        "1 hour and 15 minutes",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn results_in_prose_do_as_well() {
    let (calls, text) = play(
        "When does the spa open, and how long is it until then?",
        |name, _| match name {
            "opening_hours" => "The spa is open from 10:00 to 20:00.".into(),
            _ => "2 h 5 min".into(),
        },
    );
    assert_eq!(calls[1], call("time_until", json!({"target": "10:00"})));
    assert!(
        text.ends_with("says: The spa is open from 10:00 to 20:00. time until says: 2 h 5 min."),
        "{text}"
    );
}

#[test]
fn the_time_that_was_asked_for_is_taken_from_a_result() {
    let calls = asked("How long until the pool closes?");
    assert_eq!(
        calls,
        [
            call("opening_hours", json!({"place": "pool"})),
            call("time_until", json!({"target": "20:00"}))
        ]
    );
}

#[test]
fn a_plain_question_calls_one_tool() {
    assert_eq!(
        asked("What time does the spa open?"),
        [call("opening_hours", json!({"place": "spa"}))]
    );
    assert_eq!(
        asked("Opening hours of the roof bar please"),
        [call("opening_hours", json!({"place": "roof bar"}))]
    );
    assert_eq!(
        asked("How long until 18:30?"),
        [call("time_until", json!({"target": "18:30"}))]
    );
}

#[test]
fn two_places_are_two_calls_at_once() {
    let calls = asked("When do the spa and the pool open?");
    assert_eq!(
        calls,
        [
            call("opening_hours", json!({"place": "spa"})),
            call("opening_hours", json!({"place": "pool"}))
        ]
    );
}

#[test]
fn a_booking_takes_its_arguments_from_the_message() {
    let ada = json!({"place": "restaurant", "guests": 4, "time": "19:30", "name": "Ada Lovelace"});
    for message in [
        "Book a table at the restaurant for 4 at 19:30 under Ada Lovelace, please.",
        "Please book a table for four guests in the restaurant at 7:30 pm. My name is Ada Lovelace.",
        "Book the restaurant table at 7:30pm, 4 guests, for Ada Lovelace",
    ] {
        assert_eq!(
            asked(message),
            [call("book_table", ada.clone())],
            "{message}"
        );
    }
}

#[test]
fn what_is_missing_is_asked_for() {
    let (calls, text) = play("Book a table at the restaurant for 4 at 19:30", hotel);
    assert_eq!(calls, []);
    assert_eq!(
        text,
        "[demo model] I would call book_table, but your message does not tell me its name. I would understand, in one \
         message: name Ada."
    );
}

#[test]
fn a_greeting_is_answered_with_what_there_is() {
    let (calls, text) = play("Hello!", hotel);
    assert_eq!(calls, []);
    assert!(
        text.starts_with(LABEL) && text.contains("opening_hours, time_until, book_table"),
        "{text}"
    );
    let Decision::Say(text) = decide(
        &[json!({"role": "user", "content": [{"type": "text", "text": "Hi"}]})],
        &[],
        now(),
    ) else {
        panic!("there is nothing to call")
    };
    assert!(text.contains("no tools"), "{text}");
}

#[test]
fn a_later_message_begins_anew() {
    let history = [
        json!({"role": "user", "content": "When does the spa open?"}),
        json!({"role": "assistant", "content": "[demo model] At 10:00."}),
        json!({"role": "user", "content": "When does the pool open?"}),
    ];
    let Decision::Call(calls) = decide(&history, &tools(), now()) else {
        panic!("it must call")
    };
    assert_eq!(calls, [call("opening_hours", json!({"place": "pool"}))]);
}

#[test]
fn a_tool_that_failed_is_quoted_and_not_called_again() {
    let (calls, text) = play("When does the spa open?", |_, _| {
        r#"{"error":"the spa is unknown"}"#.into()
    });
    assert_eq!(calls.len(), 1);
    assert_eq!(
        text,
        "[demo model] opening hours says: error the spa is unknown."
    );
}
