//! The example agent's conversations, with its tools as they stand there.

use super::*;

/// The tools of `examples/concierge`, as far as the demo model looks at them.
pub(super) fn concierge() -> Vec<Value> {
    vec![
        function(
            "opening_hours",
            "Look up when a place in or near the hotel is open, and how far it is on foot. Ask for a day to get that \
             day's hours, or leave it out for the whole week.",
            &json!({
                "place": {"type": "string", "description": "The place's name, or a word of it, such as \"sauna\"."},
                "day": {"type": "string", "enum": ["monday", "tuesday", "friday"]},
            }),
            &["place"],
        ),
        function(
            "time_until",
            "Say how much time is left from now until an instant, or until a clock time such as 18:30.",
            &json!({
                "now": {"type": "string", "description": "The guest's present time with its offset, such as \
                    2026-12-01T17:10:00+01:00."},
                "until": {"type": "string", "description": "An instant with its offset, or a clock time HH:MM, meant as \
                    the next one after now."},
            }),
            &["now", "until"],
        ),
        function(
            "book_table",
            "Book a table. Only call this once the guest has agreed on place, date, time and number of guests.",
            &json!({
                "place": {"type": "string"},
                "date": {"type": "string", "pattern": "^\\d{4}-\\d{2}-\\d{2}$"},
                "time": {"type": "string", "pattern": "^\\d{2}:\\d{2}$"},
                "guests": {"type": "integer"},
                "name": {"type": "string", "description": "The name for the booking."},
            }),
            &["place", "date", "time", "guests", "name"],
        ),
    ]
}

/// What the concierge's tools return: Monday's and Tuesday's hours.
pub(super) fn lindenhof(name: &str, _: &Value) -> String {
    let hours = json!({"monday": "15:00–22:00", "tuesday": "16:00–23:00"});
    match name {
        "opening_hours" => {
            json!({"found": [{"hours": hours, "name": "Sauna", "walkMinutes": 1}]}).to_string()
        }
        "time_until" => json!({"left": "50 minutes"}).to_string(),
        _ => "Booked. Reference T-1.".to_owned(),
    }
}

#[test]
fn the_concierge_is_asked_for_a_place_and_the_time_until_it_opens() {
    let (calls, text) = play_with(
        &concierge(),
        "When does the sauna open, and how long is it until then?",
        lindenhof,
    );
    let until = json!({"now": "2026-12-01T15:10:00Z", "until": "16:00"});
    assert_eq!(
        calls,
        [
            call("opening_hours", json!({"place": "sauna"})),
            call("time_until", until)
        ]
    );
    assert!(
        text.contains("tuesday 16:00–23:00") && text.contains("walk minutes 1"),
        "{text}"
    );
    assert!(
        text.ends_with("time until says: left 50 minutes."),
        "{text}"
    );
}

#[test]
fn the_concierge_takes_the_guests_own_time_and_the_end_of_a_range() {
    let message = "It is 2026-12-01T21:10:00+01:00. How long is it until the sauna closes?";
    let (calls, _) = play_with(&concierge(), message, lindenhof);
    let until = json!({"now": "2026-12-01T21:10:00+01:00", "until": "23:00"});
    assert_eq!(
        calls,
        [
            call("opening_hours", json!({"place": "sauna"})),
            call("time_until", until)
        ]
    );
}

#[test]
fn the_concierge_knows_places_by_their_capitals_and_days_by_their_names() {
    let asked = |message: &str| play_with(&concierge(), message, lindenhof).0;
    assert_eq!(
        asked("Is the Trattoria Lina open on Friday?"),
        [call(
            "opening_hours",
            json!({"place": "Trattoria Lina", "day": "friday"})
        )]
    );
    let booking = |date: &str| json!({"place": "Trattoria Lina", "date": date, "time": "19:30", "guests": 2, "name": "Ada"});
    assert_eq!(
        asked("Please book a table at Trattoria Lina for 2 on 2026-12-04 at 19:30 under Ada."),
        [call("book_table", booking("2026-12-04"))]
    );
    assert_eq!(
        asked("Reserve a table at Trattoria Lina for two tomorrow at 7:30 pm, my name is Ada"),
        [call("book_table", booking("2026-12-02"))]
    );
}
