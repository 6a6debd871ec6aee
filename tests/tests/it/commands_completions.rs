//! `openeve completions`, and colours, through the real binary.

use std::fs;
use std::process::Command;

use crate::commands_support::openeve;

#[tokio::test]
async fn a_shell_completes_a_command_with_the_script() {
    let folder = tempfile::tempdir().unwrap();
    let printed = openeve(&["completions", "bash"], &[], folder.path()).await;
    assert_eq!(printed.code, 0, "{printed:?}");
    let script = folder.path().join("openeve.bash");
    fs::write(&script, &printed.out).unwrap();
    let asked = format!(
        "source {}; COMP_WORDS=(openeve va); COMP_CWORD=1; _openeve openeve va openeve; echo \"${{COMPREPLY[@]}}\"",
        script.display()
    );
    let completed = Command::new("bash").args(["-c", &asked]).output().unwrap();
    let said = String::from_utf8_lossy(&completed.stdout);
    assert_eq!(said.trim(), "validate", "{completed:?}");
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        let printed = openeve(&["completions", shell], &[], folder.path()).await;
        assert!(
            printed.code == 0 && printed.out.contains("validate"),
            "{shell}"
        );
    }
}

#[tokio::test]
async fn findings_are_coloured_only_where_that_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let escape = '\u{1b}';
    let piped = openeve(&["validate", "."], &[], folder.path()).await;
    assert!(piped.err.contains("error[missing-agent]") && !piped.err.contains(escape));
    let forced = [("CLICOLOR_FORCE", "1")];
    let coloured = openeve(&["validate", "."], &forced, folder.path()).await;
    assert!(
        coloured.err.contains("\u{1b}[1;31merror[missing-agent]"),
        "{coloured:?}"
    );
    let off = [("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")];
    let plain = openeve(&["validate", "."], &off, folder.path()).await;
    assert!(!plain.err.contains(escape), "{plain:?}");
    let json = openeve(&["validate", ".", "--json"], &forced, folder.path()).await;
    assert!(!json.out.contains(escape), "{json:?}");
}
