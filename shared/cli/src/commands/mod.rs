//! The commands that end by themselves.

pub(crate) mod build;
pub(crate) mod migrate;
pub(crate) mod validate;

use std::path::Path;

use openeve_compiler::{Compilation, compile};

use crate::output;

/// Compiles a folder and says every finding; `None` if it cannot be built.
pub(crate) async fn compiled(folder: &Path) -> Option<Compilation> {
    let compilation = compile(folder).await;
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
