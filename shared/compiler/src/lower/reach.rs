//! Which files of the project a module imports, to look at them before the bundler does.

use std::collections::{BTreeMap, BTreeSet};

use oxc::ast::ast::{Expression, ImportExpression, Program, Statement};
use oxc::ast_visit::Visit;
use oxc::ast_visit::walk::walk_import_expression;

use super::modules::Modules;
use crate::diagnostic::Diagnostic;
use crate::nesting::too_deep;
use crate::parse::{glance, nests};

/// The files that a module reaches and that no stage can follow: they nest too deeply. The bundler's
/// own words say everything else that is wrong with them.
pub(super) fn too_deep_below(
    modules: &Modules<'_>,
    known: &mut Reached,
    path: &str,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::from([path.to_owned()]);
    let mut open = vec![path.to_owned()];
    while let Some(path) = open.pop() {
        let next = known
            .0
            .entry(path)
            .or_insert_with_key(|path| next(modules, path));
        match next {
            Next::TooDeep(finding) => found.push((**finding).clone()),
            Next::Files(files) => {
                let new = files.iter().filter(|path| seen.insert((*path).clone()));
                open.extend(new.cloned());
            }
        }
    }
    found
}

/// What is known of each file so far: many modules reach the same ones.
#[derive(Debug, Default)]
pub(super) struct Reached(BTreeMap<String, Next>);

#[derive(Debug)]
enum Next {
    /// Nothing that follows a file may open it.
    TooDeep(Box<Diagnostic>),
    /// The files of the project that it imports.
    Files(Vec<String>),
}

fn next(modules: &Modules<'_>, path: &str) -> Next {
    let Some(file) = modules.file(path) else {
        return Next::Files(Vec::new());
    };
    if let Some(span) = too_deep(&file.text) {
        return Next::TooDeep(Box::new(nests(&file, span)));
    }
    let imports = glance(&file, imports).unwrap_or_default();
    let own = imports.iter().filter(|specifier| modules.is_own(specifier));
    let files = own.filter_map(|specifier| modules.resolve(path, specifier));
    Next::Files(files.map(|file| file.path.clone()).collect())
}

/// What a module imports, in every form.
fn imports(program: &Program<'_>) -> Vec<String> {
    let mut found = Found::default();
    for statement in &program.body {
        if let Statement::ImportDeclaration(import) = statement {
            found.0.push(import.source.value.to_string());
        } else if let Statement::ExportFromDeclaration(export) = statement {
            found.0.push(export.source.value.to_string());
        } else if let Statement::ExportAllDeclaration(export) = statement {
            found.0.push(export.source.value.to_string());
        }
    }
    found.visit_program(program);
    found.0
}

#[derive(Default)]
struct Found(Vec<String>);

impl<'a> Visit<'a> for Found {
    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        if let Expression::StringLiteral(source) = &import.source {
            self.0.push(source.value.to_string());
        }
        walk_import_expression(self, import);
    }
}
