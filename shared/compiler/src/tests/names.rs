//! Channels and schedules, and names that lead from one file to another.

use serde_json::json;

use super::{Agent, compiled};

#[test]
fn a_channel_says_its_route_and_names_its_secrets() {
    let agent = Agent::new()
        .channel("a", "  route: \"/a\", auth: bearer(env(\"TOKEN\")), reply: { url: env(\"URL\"), secret: env(\"SECRET\") },")
        .channel("b", "  transport: \"http\", route: \"/b\", methods: [\"PUT\", \"POST\"], auth: { bearer: env(\"TOKEN\") }, reply: { url: env(\"URL\") },")
        .channel("c", "  route: \"/c\",");
    let compilation = compiled(&agent);
    let manifest = compilation.manifest.unwrap();
    assert_eq!(
        serde_json::to_value(&manifest.channels).unwrap(),
        json!([
            {
                "name": "a", "transport": "http", "route": "/a", "methods": ["POST"], "source": "channels/a.ts",
                "auth": { "bearer": { "$env": "TOKEN" } },
                "reply": { "url": { "$env": "URL" }, "secret": { "$env": "SECRET" } },
            },
            {
                "name": "b", "transport": "http", "route": "/b", "methods": ["PUT", "POST"], "source": "channels/b.ts",
                "auth": { "bearer": { "$env": "TOKEN" } }, "reply": { "url": { "$env": "URL" } },
            },
            { "name": "c", "transport": "http", "route": "/c", "methods": ["POST"], "source": "channels/c.ts" },
        ])
    );
    assert_eq!(manifest.env, ["SECRET", "TOKEN", "URL"]);
    assert_eq!(compilation.env["TOKEN"], ["channels/a.ts", "channels/b.ts"]);
}

#[test]
fn every_wrong_key_of_a_channel_is_reported_at_its_place() {
    let agent = Agent::new().channel(
        "a",
        "  transport: \"ws\",\n  route: \"/runs/1\",\n  methods: [\"post\", \"BREW\"],\n  auth: bearer(\"s3cret\"),\n  reply: { secret: env(\"1A\"), urls: 1 },\n  verify: true,",
    );
    assert_eq!(
        agent.findings(),
        [
            "bad-value channels/a.ts:3:14",
            "bad-route channels/a.ts:4:10",
            "bad-value channels/a.ts:5:13",
            "bad-value channels/a.ts:5:21",
            "bad-value channels/a.ts:6:16",
            "missing-key channels/a.ts:7:10",
            "bad-value channels/a.ts:7:20",
            "unknown-key channels/a.ts:7:31",
            "unknown-key channels/a.ts:8:3",
        ]
    );
    let compilation = agent.compile();
    assert!(
        compilation
            .diagnostics
            .iter()
            .all(|found| !found.message.contains("s3cret")),
        "a secret stays out of messages"
    );
    assert!(compilation.render().contains("write \"POST\""));
}

#[test]
fn a_channel_says_who_may_decide_and_whether_its_replies_are_judged() {
    let agent = Agent::new()
        .channel(
            "a",
            "  route: \"/a\", approvers: [\"role:admin\", \"ada\", \"ada\"], judgedReplies: true,",
        )
        .channel("b", "  route: \"/b\", judgedReplies: false,");
    let channels = compiled(&agent).manifest.unwrap().channels;
    assert_eq!(channels[0].approvers, ["role:admin", "ada"]);
    assert!(channels[0].judged_replies && !channels[1].judged_replies);
    assert!(channels[1].approvers.is_empty());
}

#[test]
fn a_channel_that_does_not_say_it_plainly_is_told_where() {
    let agent = Agent::new()
        .channel(
            "a",
            "  route: \"/a\",\n  approvers: [\"role:\", who(), \"\"],\n  judgedReplies: \"yes\",",
        )
        .channel(
            "b",
            "  route: \"/b\",\n  approvers: \"ada\",\n  judgedReplies: sometimes(),",
        );
    assert_eq!(
        agent.findings(),
        [
            "bad-value channels/a.ts:4:15",
            "not-static channels/a.ts:4:24",
            "bad-value channels/a.ts:4:31",
            "bad-value channels/a.ts:5:18",
            "bad-value channels/b.ts:4:14",
            "not-static channels/b.ts:5:18",
        ]
    );
}

#[test]
fn a_channel_without_a_method_could_never_be_reached() {
    assert_eq!(
        Agent::new()
            .channel("a", "  route: \"/a\", methods: [],")
            .findings(),
        ["bad-value channels/a.ts:3:25"]
    );
}

#[test]
fn two_channels_cannot_serve_one_route_and_method() {
    let agent = Agent::new()
        .channel("a", "  route: \"/a\", methods: [\"GET\", \"POST\"],")
        .channel("b", "  route: \"/a\", methods: [\"PUT\", \"POST\"],")
        .channel("c", "  route: \"/a\", methods: [\"DELETE\"],");
    assert_eq!(agent.findings(), ["duplicate-route channels/b.ts:3:10"]);
    assert!(
        agent
            .compile()
            .render()
            .contains("channels/a.ts and channels/b.ts both serve /a")
    );
}

#[test]
fn a_schedule_takes_its_defaults_from_its_name() {
    let agent = Agent::new()
        .channel("door", "  route: \"/a\",")
        .schedule("morning", "  cron: \"0 8 * * *\", message: \"Hello\",")
        .schedule("night", "  cron: \"0 0 22 * * *\", timezone: \"Europe/Berlin\", message: \"Bye\", idempotencyKey: \"k\", channel: \"door\", conversation: \"c\", catchUp: \"none\",");
    assert_eq!(
        serde_json::to_value(compiled(&agent).manifest.unwrap().schedules).unwrap(),
        json!([
            {
                "name": "morning", "cron": "0 8 * * *", "timezone": "UTC", "message": "Hello", "idempotencyKey": "morning",
                "conversation": "morning", "catchUp": "latest", "source": "schedules/morning.ts",
            },
            {
                "name": "night", "cron": "0 0 22 * * *", "timezone": "Europe/Berlin", "message": "Bye", "idempotencyKey": "k",
                "channel": "door", "conversation": "c", "catchUp": "none", "source": "schedules/night.ts",
            },
        ])
    );
}

#[test]
fn a_wrong_expression_zone_or_channel_is_reported_at_its_place() {
    let agent = Agent::new()
        .channel("door", "  route: \"/a\",")
        .schedule("a", "  cron: \"61 * * * *\",\n  message: \"a\",")
        .schedule(
            "b",
            "  cron: \"0 8 * * *\",\n  timezone: \"Berlin\",\n  message: \"a\",",
        )
        .schedule(
            "c",
            "  cron: \"0 8 * * *\",\n  message: \"a\",\n  channel: \"dor\",\n  catchUp: \"some\",",
        )
        .schedule("d", "  cron: CRON,\n  trigger: { handler: \"a\" },");
    assert_eq!(
        agent.findings(),
        [
            "bad-cron schedules/a.ts:3:9",
            "bad-timezone schedules/b.ts:4:13",
            "unknown-channel schedules/c.ts:5:12",
            "bad-value schedules/c.ts:6:12",
            "not-static schedules/d.ts:3:9",
            "unknown-trigger schedules/d.ts:4:23",
        ]
    );
    assert!(agent.compile().render().contains("did you mean \"door\"?"));
}

#[test]
fn a_tool_that_the_folder_lacks_cannot_be_a_default_tool() {
    let agent = Agent::new()
        .agent("  model: \"a/b\",\n  defaultTools: [\"echo\", \"eco\", \"sing\"],")
        .tool("echo", "");
    assert_eq!(
        agent.findings(),
        ["unknown-tool agent.ts:4:26", "unknown-tool agent.ts:4:33"]
    );
    let text = agent.compile().render();
    assert!(
        text.contains("did you mean \"echo\"?")
            && text.contains("create tools/sing.ts, or remove the name")
    );
}

#[test]
fn a_tool_with_an_error_of_its_own_still_exists() {
    let agent = Agent::new()
        .agent("  model: \"a/b\", defaultTools: [\"echo\"],")
        .with("tools/echo.ts", "export default 3;");
    assert_eq!(agent.findings(), ["missing-definition tools/echo.ts:1:16"]);
}
