//! The commands that end by themselves.

mod bells;
pub(crate) mod build;
pub(crate) mod cancel;
pub(crate) mod decide;
pub(crate) mod doctor;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod manifest;
pub(crate) mod migrate;
pub(crate) mod models;
pub(crate) mod pauses;
pub(crate) mod redrive;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod shown;
pub(crate) mod target;
pub(crate) mod types;
pub(crate) mod validate;

use std::path::Path;

use openeve_compiler::{Compilation, SchemaEvaluator, compile_with};

use crate::output;
use crate::schemas::Engine;

/// Compiles a folder and says every finding; `None` if it cannot be built.
pub(crate) async fn compiled(folder: &Path) -> Option<Compilation> {
    let compilation = compiled_apart(folder, true).await;
    say_findings(folder, &compilation);
    compilation.is_ok().then_some(compilation)
}

/// Says every finding, and how many errors keep the folder from being built.
fn say_findings(folder: &Path, compilation: &Compilation) {
    if !compilation.diagnostics.is_empty() {
        output::say(&compilation.render());
        output::say("");
    }
    if !compilation.is_ok() {
        let errors = output::counted(compilation.errors().count(), "error");
        output::say(&format!("{} has {errors}", folder.display()));
    }
}

/// Compiles on a thread of its own: parsing takes a while, and `dev` has leases to extend. Schemas
/// that are made by code are evaluated if `evaluates` says so.
async fn compiled_apart(folder: &Path, evaluates: bool) -> Compilation {
    let folder = folder.to_owned();
    let (done, result) = tokio::sync::oneshot::channel();
    let here = folder.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        if let Ok(runtime) = runtime {
            let _gone = done.send(runtime.block_on(compile_with(&here, engine(evaluates))));
        }
    });
    match result.await {
        Ok(compilation) => compilation,
        // No thread or no runtime was to be had: then here.
        Err(_) => compile_with(&folder, engine(evaluates)).await,
    }
}

fn engine(evaluates: bool) -> Option<&'static dyn SchemaEvaluator> {
    evaluates.then_some(&Engine)
}
