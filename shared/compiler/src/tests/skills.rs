//! Skills: what their heads say, what lies beside them, and what was meant to be one.

use serde_json::json;

use super::{Agent, compiled};
use crate::artifact;

fn agent(head: &str) -> Agent {
    Agent::new().with("skills/packing/SKILL.md", head)
}

#[test]
fn a_skill_is_its_directorys_name_and_what_its_head_says() {
    let head = "---\nname: packing\ndescription: >\n  How to pack,\n  and when.\nlicense: MIT\ntools: [book_table, read]\nx-own: 1\n---\n# Packing\n";
    let agent = agent(head)
        .tool("book_table", "")
        .with("skills/packing/lists/summer.md", "socks");
    let compilation = compiled(&agent);
    let skill = &compilation.manifest.as_ref().unwrap().skills[0];
    let mut value = serde_json::to_value(skill).unwrap();
    value["sha256"] = json!("");
    value["files"][0]["sha256"] = json!("");
    assert_eq!(
        value,
        json!({
            "name": "packing", "description": "How to pack, and when.", "tools": ["book_table", "read"], "sha256": "",
            "source": "skills/packing/SKILL.md", "files": [{"path": "skills/packing/lists/summer.md", "sha256": ""}],
        })
    );
    let files = artifact(&compilation).unwrap();
    assert_eq!(files["assets/skills/packing/SKILL.md"], head.as_bytes());
    assert_eq!(files["assets/skills/packing/lists/summer.md"], b"socks");
}

#[test]
fn every_change_of_a_skill_is_another_revision() {
    let revision = |body: &str, list: &str| {
        let agent = agent(&format!("---\ndescription: Packs.\n---\n{body}"));
        let agent = agent.with("skills/packing/list.md", list);
        compiled(&agent).manifest.unwrap().revision
    };
    assert_eq!(revision("a", "b"), revision("a", "b"));
    assert_ne!(revision("a", "b"), revision("c", "b"));
    assert_ne!(revision("a", "b"), revision("a", "c"));
}

#[test]
fn every_wrong_head_is_reported_at_its_line() {
    for (head, expected) in [
        ("", "bad-frontmatter skills/packing/SKILL.md:1:1"),
        ("# Packing", "bad-frontmatter skills/packing/SKILL.md:1:1"),
        (
            "---\nname: packing\n",
            "bad-frontmatter skills/packing/SKILL.md:1:1",
        ),
        (
            "---\n- a\n---\n",
            "bad-frontmatter skills/packing/SKILL.md:1:1",
        ),
        (
            "---\nname: packing\ndescription: \"a\n---\n",
            "bad-frontmatter skills/packing/SKILL.md:4:1",
        ),
        (
            "---\nname: packing\n---\n",
            "missing-key skills/packing/SKILL.md:1:1",
        ),
        (
            "---\nname: packing\ndescripton: a\n---\n",
            "missing-key skills/packing/SKILL.md:3:1",
        ),
        (
            "---\ndescription: ''\n---\n",
            "bad-value skills/packing/SKILL.md:2:1",
        ),
        (
            "---\ndescription: 7\n---\n",
            "bad-value skills/packing/SKILL.md:2:1",
        ),
        (
            "---\ndescription: a\nname: other\n---\n",
            "bad-value skills/packing/SKILL.md:3:1",
        ),
        (
            "---\ndescription: a\ntools: 7\n---\n",
            "bad-value skills/packing/SKILL.md:3:1",
        ),
        (
            "---\ndescription: a\ntools: book_tabel\n---\n",
            "unknown-tool skills/packing/SKILL.md:3:1",
        ),
        (
            "---\ndescription: a\ntools: [book_table, crm__find]\n---\n",
            "unknown-connection skills/packing/SKILL.md:3:1",
        ),
    ] {
        let findings = agent(head).tool("book_table", "").findings();
        assert_eq!(
            findings
                .iter()
                .filter(|found| !found.starts_with("not-yet"))
                .collect::<Vec<_>>(),
            [expected],
            "{head}"
        );
    }
    let text = agent("---\ndescription: a\ntools: [book_tabel]\n---\n")
        .tool("book_table", "")
        .compile()
        .render();
    assert!(text.contains("did you mean \"book_table\"?"), "{text}");
}

#[test]
fn a_head_with_the_line_ends_of_another_system_is_read_the_same() {
    let manifest = compiled(&agent("---\r\ndescription: Packs.\r\n---\r\nBody")).manifest;
    assert_eq!(manifest.unwrap().skills[0].description, "Packs.");
}

#[test]
fn what_was_meant_to_be_a_skill_is_named_with_its_right_place() {
    let agent = Agent::new()
        .with("skills/one.md", "")
        .with("skills/two/skill.md", "")
        .with("skills/three/notes.txt", "")
        .with("skills/4/SKILL.md", "")
        .with("skills/README.md", "");
    let compilation = agent.compile();
    let found: Vec<String> = compilation
        .diagnostics
        .iter()
        .map(|found| {
            format!(
                "{} {}: {}",
                found.code,
                found.place().unwrap(),
                found.help.as_deref().unwrap()
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            "bad-name skills/4: use a letter, then up to 63 letters, digits, _ or -",
            "near-name skills/one.md: move it to skills/one/SKILL.md",
            "near-name skills/three: write skills/three/SKILL.md, with name and description between two lines of ---",
            "near-name skills/two: rename skills/two/skill.md to skills/two/SKILL.md",
        ]
    );
}

#[test]
fn a_part_of_the_folder_under_another_name_is_named_with_the_right_one() {
    let agent = Agent::new()
        .with("tool/echo.ts", "")
        .with("Channels/door.ts", "")
        .with("agents.ts", "")
        .with("gateway.mjs", "")
        .with("system.md", "")
        .with("lib/tool.ts", "")
        .with("tools/echo.txt", "")
        .with("schedules/my tool.ts", "");
    let text = agent.compile().render();
    for meant in [
        "did you mean tools/? if not",
        "did you mean channels/? if not",
        "did you mean gateway.ts? if not",
        "did you mean schedules/my_tool.ts?",
    ] {
        assert!(text.contains(meant), "{meant}: {text}");
    }
    assert!(
        !text.contains("agents.ts") && !text.contains("system.md"),
        "agent.ts and instructions.md are there: {text}"
    );
}
