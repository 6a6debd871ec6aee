//! Where the test command has put what the end-to-end tests run.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The checkout.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the package is in the checkout")
        .to_owned()
}

/// A binary of this workspace, beside the test's own.
pub fn binary(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    let folder = test
        .parent()
        .and_then(Path::parent)
        .expect("a test lies in deps/");
    existing(folder.join(name))
}

/// A tool that `tests/tools.sh` installs.
pub fn test_tool(name: &str) -> PathBuf {
    let tools =
        variable("OPENEVE_TOOLS").map_or_else(|| repository().join("target/tools"), PathBuf::from);
    existing(tools.join("bin").join(name))
}

/// The built artifact of the example agent.
pub fn concierge_artifact() -> PathBuf {
    existing(repository().join("examples/concierge/.openeve"))
}

/// A copy of the example agent below a folder, with its packages and without what was built.
pub fn copy_of_concierge(folder: &Path) -> PathBuf {
    let copy = folder.join("concierge");
    copy_folder(&repository().join("examples/concierge"), &copy);
    copy
}

/// Builds one of `tests/agents` in a copy below a folder, with this `openeve`; the artifact.
pub fn built_agent(openeve: &Path, name: &str, folder: &Path) -> PathBuf {
    let copy = folder.join(name);
    copy_folder(&repository().join("tests/agents").join(name), &copy);
    let built = Command::new(openeve).arg("build").arg(&copy).output();
    let built = built.unwrap_or_else(|error| panic!("{}: {error}", openeve.display()));
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    copy.join(".openeve")
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_name().to_str() {
            Some(".openeve" | "@openeve") => {}
            _ if entry.file_type().unwrap().is_dir() => copy_folder(&entry.path(), &target),
            _ => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// One variable of the test's environment.
#[expect(
    clippy::disallowed_methods,
    reason = "a test reads where the test command put things"
)]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn existing(path: PathBuf) -> PathBuf {
    assert!(
        path.exists(),
        "{} does not exist; run the tests with tests/run",
        path.display()
    );
    path
}
