//! Static evaluation of calculations: numbers, templates and enums.

use oxc::ast::ast::{
    BinaryExpression, BinaryOperator, Expression, TSEnumDeclaration, TemplateLiteral,
    UnaryExpression, UnaryOperator,
};

use super::eval::Evaluator;
use super::forms::to_span;
use super::value::{Entry, Kind, Node, Object};

impl<'p, 'a> Evaluator<'_, 'p, 'a> {
    /// Numbers by the rules of JavaScript; `+` between strings, or a string and a number.
    pub(super) fn binary(&mut self, binary: &'p BinaryExpression<'a>) -> Kind {
        let (left, right) = (self.read(&binary.left), self.read(&binary.right));
        let is_sum = binary.operator == BinaryOperator::Addition;
        match (&left.kind, &right.kind) {
            (Kind::Number(left), Kind::Number(right)) => {
                match calculated(binary.operator, *left, *right) {
                    Some(value) => Kind::Number(value),
                    None => Kind::Unreadable("a comparison".to_owned()),
                }
            }
            (Kind::Text(_) | Kind::Number(_), Kind::Text(_) | Kind::Number(_)) if is_sum => {
                match (spelt(&left), spelt(&right)) {
                    (Some(left), Some(right)) => Kind::Text(left + &right),
                    _ => Kind::Unreadable("a number that is spelt in a way of its own".to_owned()),
                }
            }
            (Kind::Unreadable(why), _) | (_, Kind::Unreadable(why)) => {
                Kind::Unreadable(format!("a calculation with {why}"))
            }
            _ => Kind::Unreadable(
                "a calculation with other values than numbers and strings".to_owned(),
            ),
        }
    }

    pub(super) fn unary(&mut self, unary: &'p UnaryExpression<'a>) -> Kind {
        match (unary.operator, self.read(&unary.argument).kind) {
            (UnaryOperator::UnaryNegation, Kind::Number(value)) => Kind::Number(-value),
            (UnaryOperator::UnaryPlus, Kind::Number(value)) => Kind::Number(value),
            (UnaryOperator::LogicalNot, Kind::Bool(value)) => Kind::Bool(!value),
            (operator, _) => Kind::Unreadable(format!("an expression with {}", operator.as_str())),
        }
    }

    /// A template; its expressions must be strings or numbers.
    pub(super) fn template(&mut self, template: &'p TemplateLiteral<'a>) -> Kind {
        let mut text = String::new();
        let mut expressions = template.expressions.iter();
        for part in &template.quasis {
            let Some(cooked) = part.value.cooked else {
                return Kind::Unreadable("a template with an invalid escape".to_owned());
            };
            text.push_str(cooked.as_str());
            if let Some(expression) = expressions.next() {
                let node = self.read(expression);
                match spelt(&node) {
                    Some(value) => text.push_str(&value),
                    None => {
                        return Kind::Unreadable(format!("a template with {}", node.describe()));
                    }
                }
            }
        }
        Kind::Text(text)
    }

    /// An enum as an object of its members.
    pub(super) fn enumeration(&mut self, item: &'p TSEnumDeclaration<'a>) -> Kind {
        let mut object = Object::default();
        let mut next = Some(0.0);
        for member in &item.body.members {
            let span = to_span(member.span);
            let value = match &member.initializer {
                None => next.map_or_else(
                    || Node::unreadable(span, "an enum member without a value"),
                    |number| Node::new(span, Kind::Number(number)),
                ),
                Some(Expression::Identifier(earlier)) if object.get(&earlier.name).is_some() => {
                    let known = object.get(&earlier.name).cloned();
                    known.unwrap_or_else(|| Node::unreadable(span, "an enum member"))
                }
                Some(expression) => self.read(expression),
            };
            next = value.number().map(|number| number + 1.0);
            object.set(Entry {
                key: member.id.static_name().to_string(),
                key_span: span,
                value,
            });
        }
        Kind::Object(object)
    }
}

/// A calculation; none for a comparison.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "what is not listed compares"
)]
fn calculated(operator: BinaryOperator, left: f64, right: f64) -> Option<f64> {
    use BinaryOperator as Op;
    Some(match operator {
        Op::Addition => left + right,
        Op::Subtraction => left - right,
        Op::Multiplication => left * right,
        Op::Division => left / right,
        Op::Remainder => left % right,
        Op::Exponential => left.powf(right),
        Op::ShiftLeft => f64::from(int32(left) << (int32(right) & 31)),
        Op::BitwiseOR => f64::from(int32(left) | int32(right)),
        Op::BitwiseAnd => f64::from(int32(left) & int32(right)),
        _ => return None,
    })
}

/// A number as JavaScript's bit operations see it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "ToInt32 wraps by definition"
)]
fn int32(value: f64) -> i32 {
    if value.is_finite() {
        (value.trunc().rem_euclid(4_294_967_296.0) as u32).cast_signed()
    } else {
        0
    }
}

/// A string, or a number as JavaScript spells it where Rust spells it the same way.
fn spelt(node: &Node) -> Option<String> {
    if let Kind::Text(text) = &node.kind {
        return Some(text.clone());
    }
    let value = node.number()?;
    if value == 0.0 {
        return Some("0".to_owned());
    }
    (1e-6..1e21)
        .contains(&value.abs())
        .then(|| value.to_string())
}
