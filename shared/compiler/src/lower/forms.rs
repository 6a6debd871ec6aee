//! Forms of expressions: what they are called, where they stand, which of them is `process.env`.

use oxc::ast::ast::Expression;
use oxc::span::GetSpan;

use crate::diagnostic::Span;

/// Whether an expression is `process.env`.
pub(super) fn is_process_env(expression: &Expression<'_>) -> bool {
    matches!(expression.get_inner_expression(), Expression::StaticMemberExpression(member)
        if member.property.name == "env" && member.object.is_specific_id("process"))
}

/// What an unreadable form is, as it reads in "it is …".
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a few forms deserve their own words"
)]
pub(super) fn describe(expression: &Expression<'_>) -> &'static str {
    match expression {
        Expression::TemplateLiteral(_) => "a template with expressions in it",
        Expression::ConditionalExpression(_) => "a choice between two values",
        Expression::LogicalExpression(_) => {
            "a choice with ??, || or &&, which only the running code makes"
        }
        Expression::BinaryExpression(_) => "a calculation",
        Expression::NewExpression(_) => "a new object",
        Expression::AwaitExpression(_) => "an awaited value",
        Expression::ClassExpression(_) => "a class",
        Expression::BigIntLiteral(_) => "a BigInt",
        Expression::RegExpLiteral(_) => "a regular expression",
        Expression::ImportExpression(_) => "a dynamic import",
        Expression::TaggedTemplateExpression(_) => "a tagged template",
        Expression::ComputedMemberExpression(_) => "a computed member",
        _ => "a form that only running the code can tell",
    }
}

/// Where an expression stands.
pub(super) fn span_of(expression: &Expression<'_>) -> Span {
    to_span(expression.span())
}

/// A place in our own terms.
pub(super) fn to_span(span: oxc::span::Span) -> Span {
    Span {
        start: span.start,
        end: span.end,
    }
}
