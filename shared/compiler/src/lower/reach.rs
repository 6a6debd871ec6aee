//! Which files of the project a module imports, to look at them before the bundler does.

use std::collections::BTreeSet;

use oxc::ast::ast::{Expression, ImportExpression, Program, Statement};
use oxc::ast_visit::Visit;
use oxc::ast_visit::walk::walk_import_expression;

use super::modules::{Modules, is_relative};
use crate::diagnostic::Diagnostic;
use crate::nesting::too_deep;
use crate::parse::{nests, parse};

/// The files that a module reaches and that no stage can follow: they nest too deeply. The bundler's
/// own words say everything else that is wrong with them.
pub(super) fn too_deep_below(modules: &Modules<'_>, path: &str) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::from([path.to_owned()]);
    let mut open = vec![path.to_owned()];
    while let Some(path) = open.pop() {
        let Some(file) = modules.file(&path) else {
            continue;
        };
        if let Some(span) = too_deep(&file.text) {
            found.push(nests(&file, span));
            continue;
        }
        let imports = parse(&file, imports).unwrap_or_default();
        for specifier in imports.iter().filter(|specifier| is_relative(specifier)) {
            let next = modules.resolve(&path, specifier);
            open.extend(
                next.map(|file| file.path.clone())
                    .filter(|path| seen.insert(path.clone())),
            );
        }
    }
    found
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
