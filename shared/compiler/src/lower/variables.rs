//! Which environment variables a module reads while it runs: `process.env.NAME` in all its spellings.
//!
//! The engine gives a tool only what the manifest lists, so a name that is computed stays undefined.

use std::collections::BTreeSet;

use oxc::ast::ast::{
    BindingPattern, ComputedMemberExpression, Expression, StaticMemberExpression,
    VariableDeclarator,
};
use oxc::ast_visit::Visit;
use oxc::ast_visit::walk::{
    walk_computed_member_expression, walk_static_member_expression, walk_variable_declarator,
};

use super::forms::is_process_env;
use crate::discover::SourceFile;
use crate::parse::parse;

/// Replaced by the bundler, so nobody has to set it.
const REPLACED: &str = "NODE_ENV";

/// The variables a file names. A file that does not parse names none; another stage reports it.
pub(crate) fn variables(file: &SourceFile) -> BTreeSet<String> {
    // Most files read none, and need no tree to tell.
    if !file.text.contains("process") {
        return BTreeSet::new();
    }
    parse(file, |program| {
        let mut found = Found::default();
        found.visit_program(program);
        found.0
    })
    .unwrap_or_default()
}

#[derive(Default)]
struct Found(BTreeSet<String>);

impl Found {
    fn add(&mut self, name: &str) {
        if name != REPLACED {
            self.0.insert(name.to_owned());
        }
    }
}

impl<'a> Visit<'a> for Found {
    fn visit_static_member_expression(&mut self, member: &StaticMemberExpression<'a>) {
        if is_process_env(&member.object) {
            self.add(&member.property.name);
        }
        walk_static_member_expression(self, member);
    }

    fn visit_computed_member_expression(&mut self, member: &ComputedMemberExpression<'a>) {
        if let (true, Expression::StringLiteral(name)) =
            (is_process_env(&member.object), &member.expression)
        {
            self.add(&name.value);
        }
        walk_computed_member_expression(self, member);
    }

    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        if let (BindingPattern::ObjectPattern(pattern), Some(init)) =
            (&declarator.id, &declarator.init)
            && is_process_env(init)
        {
            for name in pattern
                .properties
                .iter()
                .filter_map(|property| property.key.static_name())
            {
                self.add(&name);
            }
        }
        walk_variable_declarator(self, declarator);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_found_however_it_is_read() {
        let text = "const { A, B: b } = process.env;\nfunction f() { return process.env.C + (process.env)['D'] + process.env!.NODE_ENV; }\nconst e = other.env.E;";
        let found = variables(&SourceFile::new("tools/a.ts", text));
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["A", "B", "C", "D"]);
    }
}
