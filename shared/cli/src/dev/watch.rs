//! Reloading on change: a valid folder replaces the running revision, an invalid one says why.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use notify::{RecursiveMode, Watcher as _};
use openeve_compiler::Compiler;
use serde_json::json;
use tokio::sync::mpsc::unbounded_channel;

use super::{DevArguments, built};
use crate::commands::compiled_apart;
use crate::host::Host;
use crate::output;

/// Editors write a file in several steps, which follow each other at once; this long after the first
/// one it is read. What comes later is read again.
const SETTLE: Duration = Duration::from_millis(30);

/// Watches until the watcher ends, which it never does by itself.
pub(super) async fn reload_on_change(
    arguments: &DevArguments,
    host: &Arc<Host>,
    compiler: &Arc<Compiler>,
) -> anyhow::Result<()> {
    let folder = arguments.folder.as_path();
    let (notice, mut notices) = unbounded_channel();
    let root = std::path::absolute(folder)?;
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if let Ok(event) = event
            && matters(&event, &root)
        {
            let _closed = notice.send(());
        }
    })
    .context("the folder cannot be watched")?;
    watcher
        .watch(folder, RecursiveMode::Recursive)
        .context("the folder cannot be watched")?;
    let mut revision = host.ingress().manifest.revision.clone();
    let mut broken = false;
    let mut again = false;
    while again || notices.recv().await.is_some() {
        settle().await;
        while notices.try_recv().is_ok() {}
        let compilation = compiled_apart(folder, true, compiler).await;
        // What is wrong with a folder in the midst of a change may be mended by the next moment.
        again = !compilation.is_ok() && !notices.is_empty();
        if again {
            continue;
        }
        match built(folder, &compilation) {
            Ok(None) => {
                broken = true;
                output::say("the previous revision goes on until this is mended");
                continue;
            }
            Ok(Some(artifact)) if artifact.manifest.revision != revision => {
                if let Err(error) = host.reload(&artifact).await {
                    output::say(&format!("not reloaded: {error:#}"));
                    continue;
                }
                revision.clone_from(&artifact.manifest.revision);
                let short = revision.get(..12).unwrap_or(&revision);
                output::say(&format!("reloaded: revision {short}"));
                if arguments.json {
                    output::json(&json!({"kind": "dev.reloaded", "revision": revision}));
                }
            }
            Ok(Some(_)) if broken => output::say("mended: the running revision is this one"),
            Ok(Some(_)) => {}
            Err(error) => {
                output::say(&format!("not reloaded: {error:#}"));
                continue;
            }
        }
        broken = false;
    }
    Ok(())
}

/// Whether a change may concern the agent: not what we write ourselves, nor what npm does.
fn matters(event: &notify::Event, root: &Path) -> bool {
    let looks = matches!(event.kind, notify::EventKind::Access(_));
    let authored = |path: &PathBuf| {
        let first = path
            .strip_prefix(root)
            .ok()
            .and_then(|inner| inner.components().next());
        first.is_none_or(|part| {
            let name = part.as_os_str().to_string_lossy();
            name != "node_modules" && !name.starts_with('.')
        })
    };
    !looks && event.paths.iter().any(authored)
}

#[expect(
    clippy::disallowed_methods,
    reason = "a file system tells of changes, not of their end"
)]
async fn settle() {
    tokio::time::sleep(SETTLE).await;
}
