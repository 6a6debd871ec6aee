//! The commands that end by themselves.

mod bells;
pub(crate) mod build;
pub(crate) mod cancel;
pub(crate) mod completions;
pub(crate) mod decide;
pub(crate) mod deploy;
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
use std::sync::Arc;

use openeve_compiler::{Compilation, Compiler, SchemaEvaluator};

use crate::schemas::Engine;
use crate::{output, paint};

/// Compiles a folder and says every finding; `None` if it cannot be built.
pub(crate) async fn compiled(folder: &Path) -> Option<Compilation> {
    compiled_again(folder, &Arc::default()).await
}

/// The same with a compiler that remembers what it bundled before.
pub(crate) async fn compiled_again(folder: &Path, compiler: &Arc<Compiler>) -> Option<Compilation> {
    let compilation = compiled_apart(folder, true, compiler).await;
    say_findings(folder, &compilation);
    compilation.is_ok().then_some(compilation)
}

/// Says every finding, and how many errors keep the folder from being built.
pub(crate) fn say_findings(folder: &Path, compilation: &Compilation) {
    if !compilation.diagnostics.is_empty() {
        output::say(&paint::findings(&compilation.render()));
        output::say("");
    }
    if !compilation.is_ok() {
        let errors = output::counted(compilation.errors().count(), "error");
        output::say(&format!("{} has {errors}", folder.display()));
    }
}

/// Compiles on a thread of its own: it takes a while, and `dev` has leases to extend. Schemas that
/// are made by code are evaluated if `evaluates` says so.
pub(crate) async fn compiled_apart(
    folder: &Path,
    evaluates: bool,
    compiler: &Arc<Compiler>,
) -> Compilation {
    let (here, apart) = (folder.to_owned(), Arc::clone(compiler));
    let (done, result) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        let _gone = done.send(apart.compile(&here, engine(evaluates)));
    });
    match result.await {
        Ok(compilation) => compilation,
        // The thread panicked; so will this, in sight.
        Err(_) => compiler.compile(folder, engine(evaluates)),
    }
}

fn engine(evaluates: bool) -> Option<&'static dyn SchemaEvaluator> {
    evaluates.then_some(&Engine)
}
