//! What somebody types in the first minutes, and what they are told when it is not enough.

use super::concierge::{concierge, lindenhof};
use super::*;

fn asked(message: &str) -> Vec<(String, Value)> {
    play_with(&concierge(), message, lindenhof).0
}

fn said(message: &str) -> String {
    let (calls, text) = play_with(&concierge(), message, lindenhof);
    assert_eq!(calls, [], "{message}");
    text
}

fn booking(place: &str, date: &str) -> (String, Value) {
    call(
        "book_table",
        json!({"place": place, "date": date, "time": "19:00", "guests": 2, "name": "Ada"}),
    )
}

#[test]
fn the_readme_message_books_the_table() {
    for message in [
        "Book the trattoria tomorrow at 19:00 for two, name Ada",
        "Book a table for two at the trattoria tomorrow at 19:00 under Ada",
        "Reserve a table in the trattoria for tomorrow, 7 pm, two people. The name is Ada.",
        "I'd like a table for two tomorrow at 19:00 at the trattoria, please. I'm Ada.",
    ] {
        assert_eq!(
            asked(message),
            [booking("trattoria", "2026-12-02")],
            "{message}"
        );
    }
}

#[test]
fn a_name_is_understood_however_it_is_given() {
    for name in [
        "name Ada",
        "Name Ada",
        "name: Ada",
        "name:Ada",
        "name is Ada",
        "name=Ada",
        "named Ada",
        "called Ada",
        "for Ada",
        "under Ada",
        "under the name of Ada",
        "my name is Ada",
        "My name's Ada",
        "I'm Ada",
        "\"Ada\"",
        "name \"Ada\"",
    ] {
        for message in [
            format!("Book the trattoria tomorrow at 19:00 for two, {name}"),
            format!("Book the trattoria tomorrow at 19:00 for two {name}. Thank you!"),
            format!("Book the trattoria for two, {name}, tomorrow at 19:00"),
        ] {
            assert_eq!(
                asked(&message),
                [booking("trattoria", "2026-12-02")],
                "{message}"
            );
        }
    }
    let message = "My name is Ada. Book the trattoria for two tomorrow at 19:00.";
    assert_eq!(asked(message), [booking("trattoria", "2026-12-02")]);
}

#[test]
fn a_name_in_small_letters_is_a_name_too() {
    let calls = asked("book trattoria lina tomorrow at 7pm for 2, name ada");
    let arguments = json!({"place": "trattoria lina", "date": "2026-12-02", "time": "19:00", "guests": 2, "name": "ada"});
    assert_eq!(calls, [call("book_table", arguments)]);
}

#[test]
fn a_day_is_understood_by_its_date_or_name() {
    for (day, date) in [
        ("today", "2026-12-01"),
        ("tonight", "2026-12-01"),
        ("tomorrow", "2026-12-02"),
        ("the day after tomorrow", "2026-12-03"),
        ("on Friday", "2026-12-04"),
        ("on monday", "2026-12-07"),
        ("next Tuesday", "2026-12-08"),
        ("this coming sunday", "2026-12-06"),
        ("on 2026-12-24", "2026-12-24"),
    ] {
        let message = format!("Book the trattoria {day} at 19:00 for two, name Ada");
        assert_eq!(asked(&message), [booking("trattoria", date)], "{message}");
    }
}

#[test]
fn arguments_listed_by_name_are_understood() {
    for message in [
        "Book a table: place: Trattoria Lina, date: tomorrow, time: 19:00, guests: 2, name: Ada",
        "book_table place=\"Trattoria Lina\" date=2026-12-02 time=19:00 guests=2 name=Ada",
        "Book \"Trattoria Lina\" tomorrow at 19:00 for two, \"Ada\"",
    ] {
        assert_eq!(
            asked(message),
            [booking("Trattoria Lina", "2026-12-02")],
            "{message}"
        );
    }
}

#[test]
fn a_word_of_a_parameters_description_alone_calls_the_tool() {
    for message in ["sauna?", "Sauna", "And the sauna?"] {
        let place = if message == "Sauna" { "Sauna" } else { "sauna" };
        assert_eq!(
            asked(message),
            [call("opening_hours", json!({"place": place}))],
            "{message}"
        );
    }
    assert!(said("Thanks, see you!").contains("opening_hours, time_until, book_table"));
}

#[test]
fn a_name_counts_more_than_a_description_and_a_stem_of_it_is_enough() {
    let why = json!({"why": {"type": "string"}});
    let tools = [
        function(
            "dice",
            "Rolls for you, and does not throw a grenade.",
            &json!({}),
            &[],
        ),
        function("thrower", "Always fails.", &why, &["why"]),
    ];
    let asked = |message: &str| play_with(&tools, message, |_, _| "ok".into()).0;
    assert_eq!(
        asked("Throw a grenade"),
        [call("thrower", json!({"why": "grenade"}))]
    );
    assert_eq!(asked("roll!"), [call("dice", json!({}))]);
    assert_eq!(asked("Is it for you?"), []);
}

#[test]
fn a_tool_that_wants_nothing_but_a_name_is_given_one() {
    let name = json!({"name": {"type": "string"}});
    let tools = [function("greet", "Greets somebody.", &name, &["name"])];
    for message in ["Greet Ada", "Greet \"Ada\"", "greet name ada"] {
        let (calls, _) = play_with(&tools, message, |_, _| "ok".into());
        let greeted = calls[0].1["name"].as_str().unwrap().to_lowercase();
        assert_eq!(greeted, "ada", "{message}");
    }
}

#[test]
fn what_is_missing_is_named_with_words_that_would_be_understood() {
    let whole = "Book the trattoria tomorrow at 19:00, 2 guests, name Ada";
    for part in ["tomorrow", "at 19:00", "2 guests", "name Ada"] {
        let text = said(&whole.replace(part, ""));
        assert!(text.ends_with(&format!(": {part}.")), "{text}");
    }
    assert_eq!(
        said("Book a table"),
        "[demo model] I would call book_table, but your message does not tell me its place, date, time, guests and \
         name. I would understand, in one message: the place in quotes, tomorrow, at 19:00, 2 guests, name Ada."
    );
    let (_, text) = play("Book a table for 4 at 19:30, name Ada", hotel);
    assert!(text.ends_with("in one message: restaurant."), "{text}");
}

#[test]
fn the_hint_says_how_the_agents_own_model_is_used() {
    let text = said("Hello!");
    assert!(
        text.ends_with("Set OPENEVE_MODEL_API_KEY to use the agent's own model instead."),
        "{text}"
    );
}
