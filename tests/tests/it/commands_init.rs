//! `openeve init` and `openeve types`, through the real binary.

use std::fs;
use std::process::Command;

use openeve_tests::paths::test_tool;
use serde_json::json;

use crate::commands_support::openeve;

#[tokio::test]
async fn every_template_validates_without_a_finding_and_type_checks() {
    for template in ["minimal", "scheduled"] {
        let folder = tempfile::tempdir().unwrap();
        let arguments = ["init", "Über Agent", "--template", template];
        let made = openeve(&arguments, &[], folder.path()).await;
        assert_eq!(made.code, 0, "{made:?}");
        for wanted in ["agent ber-agent", "openeve validate", "openeve dev"] {
            assert!(made.out.contains(wanted), "{wanted} is not in {}", made.out);
        }
        let valid = openeve(&["validate", "Über Agent"], &[], folder.path()).await;
        assert_eq!((valid.code, valid.err.as_str()), (0, ""), "{valid:?}");
        let checked = Command::new(test_tool("tsc"))
            .arg("--project")
            .arg(folder.path().join("Über Agent"))
            .output()
            .unwrap();
        assert!(
            checked.status.success(),
            "{}",
            String::from_utf8_lossy(&checked.stdout)
        );
    }
}

#[tokio::test]
async fn a_file_in_the_way_is_named_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("tools")).unwrap();
    fs::write(folder.path().join("agent.ts"), "mine").unwrap();
    fs::write(folder.path().join("tools/days_until.ts"), "mine too").unwrap();
    let said = openeve(&["init"], &[], folder.path()).await;
    assert_eq!((said.code, said.out.as_str()), (1, ""), "{said:?}");
    assert!(
        said.err.contains("agent.ts, tools/days_until.ts already"),
        "{said:?}"
    );
    let text = fs::read_to_string(folder.path().join("agent.ts")).unwrap();
    assert_eq!(text, "mine");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[tokio::test]
async fn a_template_that_is_not_there_names_those_that_are() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["slack", "nothing"] {
        let said = openeve(&["init", "--template", name], &[], folder.path()).await;
        assert_eq!(said.code, 2, "{said:?}");
        assert!(said.err.contains("minimal, scheduled"), "{said:?}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

#[tokio::test]
async fn what_was_made_is_told_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let said = openeve(&["init", "a", "--json"], &[], folder.path()).await;
    let told = said.json();
    assert_eq!(
        (&told["folder"], &told["template"], &told["agent"]),
        (&json!("a"), &json!("minimal"), &json!("a"))
    );
    for file in told["files"].as_array().unwrap() {
        let path = folder.path().join("a").join(file.as_str().unwrap());
        assert!(path.is_file(), "{}", path.display());
    }
}

#[tokio::test]
async fn types_are_renewed_and_what_is_not_ours_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join(".openeve/types");
    openeve(&["types"], &[], folder.path()).await;
    fs::write(place.join("old.d.ts"), "of another version").unwrap();
    let again = openeve(&["types", "--json"], &[], folder.path()).await;
    assert_eq!(again.code, 0, "{again:?}");
    assert!(place.join("index.d.ts").is_file() && !place.join("old.d.ts").exists());

    fs::write(place.join("package.json"), "{\"name\": \"another\"}").unwrap();
    let refused = openeve(&["types"], &[], folder.path()).await;
    assert_eq!(refused.code, 1, "{refused:?}");
    fs::remove_dir_all(&place).unwrap();
    std::os::unix::fs::symlink(folder.path(), &place).unwrap();
    let refused = openeve(&["types"], &[], folder.path()).await;
    assert!(
        refused.code == 1 && refused.err.contains("link"),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_build_writes_the_types_that_the_folders_tsconfig_asks_for() {
    let folder = tempfile::tempdir().unwrap();
    openeve(&["init", "a"], &[], folder.path()).await;
    let agent = folder.path().join("a");
    // As after a clone: what is written stands in no repository.
    fs::remove_dir_all(agent.join(".openeve")).unwrap();
    let built = openeve(&["build", "a"], &[], folder.path()).await;
    assert_eq!(built.code, 0, "{built:?}");
    assert!(agent.join(".openeve/types/index.d.ts").is_file());
}
