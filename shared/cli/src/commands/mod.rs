//! The commands that end by themselves.

mod bells;
pub(crate) mod build;
pub(crate) mod cancel;
pub(crate) mod decide;
pub(crate) mod doctor;
pub(crate) mod migrate;
pub(crate) mod pauses;
pub(crate) mod redrive;
pub(crate) mod shown;
pub(crate) mod target;
pub(crate) mod validate;

use std::path::Path;

use openeve_compiler::{Compilation, compile};

use crate::output;

/// Compiles a folder and says every finding; `None` if it cannot be built.
pub(crate) async fn compiled(folder: &Path) -> Option<Compilation> {
    let compilation = compiled_apart(folder).await;
    if !compilation.diagnostics.is_empty() {
        output::say(&compilation.render());
        output::say("");
    }
    if compilation.is_ok() {
        return Some(compilation);
    }
    let errors = compilation.errors().count();
    let plural = if errors == 1 { "error" } else { "errors" };
    output::say(&format!("{} has {errors} {plural}", folder.display()));
    None
}

/// Compiles on a thread of its own: parsing takes a while, and `dev` has leases to extend.
async fn compiled_apart(folder: &Path) -> Compilation {
    let folder = folder.to_owned();
    let (done, result) = tokio::sync::oneshot::channel();
    let here = folder.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        if let Ok(runtime) = runtime {
            let _gone = done.send(runtime.block_on(compile(&here)));
        }
    });
    match result.await {
        Ok(compilation) => compilation,
        // No thread or no runtime was to be had: then here.
        Err(_) => compile(&folder).await,
    }
}
