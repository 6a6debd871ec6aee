//! Second stage: TypeScript text to a syntax tree, with syntax errors as diagnostics.
//!
//! The tree lives only inside [`parse`]: it is handed to a reader that returns owned data, so no
//! type of the parser leaves the stage. Nothing is executed.

use oxc::allocator::Allocator;
use oxc::ast::ast::Program;
use oxc::diagnostics::OxcDiagnostic;
use oxc::parser::Parser;
use oxc::semantic::SemanticBuilder;
use oxc::span::SourceType;

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::discover::SourceFile;
use crate::nesting::too_deep;

/// Parses a file and hands its tree to `read`, or returns its syntax errors.
pub(crate) fn parse<T>(
    file: &SourceFile,
    read: impl FnOnce(&Program<'_>) -> T,
) -> Result<T, Vec<Diagnostic>> {
    if let Some(span) = too_deep(&file.text) {
        return Err(vec![nests(file, span)]);
    }
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, &file.text, source_type(file)).parse();
    if !parsed.diagnostics.is_empty() || parsed.panicked {
        return Err(translate(file, &parsed.diagnostics));
    }
    let checked = SemanticBuilder::new_compiler().build(&parsed.program);
    if !checked.diagnostics.is_empty() {
        return Err(translate(file, &checked.diagnostics));
    }
    Ok(read(&parsed.program))
}

/// Hands the tree of a file to `read`, whatever else is wrong with it, for a look that reports
/// nothing. None if there is no tree, or it would be too deep.
pub(crate) fn glance<T>(file: &SourceFile, read: impl FnOnce(&Program<'_>) -> T) -> Option<T> {
    if too_deep(&file.text).is_some() {
        return None;
    }
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, &file.text, source_type(file)).parse();
    (!parsed.panicked).then(|| read(&parsed.program))
}

fn source_type(file: &SourceFile) -> SourceType {
    SourceType::from_path(&file.path).unwrap_or_else(|_| SourceType::ts())
}

/// The finding of a file that nests too deeply.
pub(crate) fn nests(file: &SourceFile, span: Span) -> Diagnostic {
    let message = format!("{} nests more deeply than the compiler follows", file.path);
    let found = Diagnostic::new(Code::SyntaxError, message).at(file, span);
    found.help("take it apart into several constants or functions")
}

fn translate(file: &SourceFile, errors: &[OxcDiagnostic]) -> Vec<Diagnostic> {
    errors
        .iter()
        .map(|error| {
            let span = error
                .labels
                .first()
                .map_or_else(Span::default, |label| Span {
                    start: label.offset(),
                    end: label.offset().saturating_add(label.len()),
                });
            let message = format!("{} is not valid TypeScript: {}", file.path, error.message);
            let found = Diagnostic::new(Code::SyntaxError, message).at(file, span);
            match &error.help {
                Some(help) => found.help(help.to_string()),
                None => found,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(text: &str) -> Vec<String> {
        let file = SourceFile::new("tools/a.ts", text);
        parse(&file, |_| ())
            .unwrap_err()
            .iter()
            .map(|found| format!("{} {}", found.code, found.place().unwrap()))
            .collect()
    }

    #[test]
    fn a_syntax_error_points_at_its_place() {
        assert_eq!(
            errors("export default {\n  a: ,\n};"),
            ["syntax-error tools/a.ts:2:6"]
        );
    }

    #[test]
    fn a_name_declared_twice_is_a_syntax_error_too() {
        assert_eq!(
            errors("const a = 1;\nconst a = 2;"),
            ["syntax-error tools/a.ts:1:7"]
        );
    }

    #[test]
    fn types_generics_and_satisfies_are_typescript() {
        let file = SourceFile::new("a.ts", "export const a = <T,>(x: T): T => x satisfies T;");
        assert_eq!(parse(&file, |program| program.body.len()).unwrap(), 1);
    }
}
