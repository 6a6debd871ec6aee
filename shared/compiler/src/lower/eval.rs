//! Static evaluation: an expression to a value, without running anything (ledger A3).
//!
//! Read are literals, templates, calculations with numbers, `+` between strings, arrays, objects,
//! spreads, members of objects, enums, `const` names of this module and of those it imports by a
//! relative path, calls of the framework's helpers under any alias, and all of these behind
//! parentheses, `as`, `satisfies` and `!`. Everything else becomes [`Kind::Unreadable`]. A `const` that leads back to itself is found by the set of names
//! being read, and a bound on the values read keeps a small file from becoming a large manifest.

use oxc::ast::ast::{
    Argument, CallExpression, ComputedMemberExpression, Expression, IdentifierReference,
    StaticMemberExpression,
};
use oxc::span::GetSpan;

use super::forms::{describe, is_process_env, span_of, to_span};
use super::modules::{Modules, helper};
use super::scope::{Binding, Exported, Scope};
use super::value::{Call, Kind, Node};
use crate::diagnostic::Span;

/// Values read from one definition at most.
const VALUES_MAX: usize = 50_000;

/// Packages whose helpers the compiler knows.
pub(super) fn is_framework(module: &str) -> bool {
    module == "openeve" || module.starts_with("@openeve/")
}

/// Reads expressions of one module.
pub(crate) struct Evaluator<'s, 'p, 'a> {
    scope: &'s Scope<'p, 'a>,
    modules: &'s Modules<'s>,
    /// The module's path, from which its imports are seen.
    path: &'s str,
    /// Names whose value is being read, outermost first.
    visiting: Vec<&'p str>,
    values: usize,
}

impl<'s, 'p, 'a> Evaluator<'s, 'p, 'a> {
    pub(crate) fn new(scope: &'s Scope<'p, 'a>, modules: &'s Modules<'s>, path: &'s str) -> Self {
        Self {
            scope,
            modules,
            path,
            visiting: Vec::new(),
            values: 0,
        }
    }

    /// The value that an export leads to.
    pub(crate) fn exported(&mut self, exported: Exported<'p, 'a>, span: Span) -> Node {
        match exported {
            Exported::Expression(expression) => self.read(expression),
            Exported::Name(name) => self.name(name, span),
            Exported::From { module, name } => self.imported(module, name, span),
            Exported::Other(what) => Node::new(span, Kind::Unreadable(what.to_owned())),
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "whatever is not listed is unreadable, by design"
    )]
    pub(super) fn read(&mut self, expression: &'p Expression<'a>) -> Node {
        let expression = expression.get_inner_expression();
        let span = span_of(expression);
        self.values += 1;
        if self.values > VALUES_MAX {
            return too_many(span);
        }
        let kind = match expression {
            Expression::NullLiteral(_) => Kind::Null,
            Expression::BooleanLiteral(literal) => Kind::Bool(literal.value),
            Expression::NumericLiteral(literal) => Kind::Number(literal.value),
            Expression::StringLiteral(literal) if literal.lone_surrogates => {
                Kind::Unreadable("a string with half a surrogate pair".to_owned())
            }
            Expression::StringLiteral(literal) => Kind::Text(literal.value.to_string()),
            Expression::TemplateLiteral(template) => self.template(template),
            Expression::ArrayExpression(array) => self.list(array),
            Expression::ObjectExpression(object) => self.object(object),
            Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_) => {
                Kind::Function
            }
            Expression::Identifier(identifier) => return self.identifier(identifier),
            Expression::StaticMemberExpression(member) => return self.member(member, span),
            Expression::ComputedMemberExpression(member) => return self.element(member, span),
            Expression::CallExpression(call) => self.call(call),
            Expression::UnaryExpression(unary) => self.unary(unary),
            Expression::BinaryExpression(binary) => self.binary(binary),
            other => Kind::Unreadable(describe(other).to_owned()),
        };
        Node::new(span, kind)
    }

    fn identifier(&mut self, identifier: &'p IdentifierReference<'a>) -> Node {
        self.name(identifier.name.as_str(), to_span(identifier.span))
    }

    fn name(&mut self, name: &'p str, span: Span) -> Node {
        let kind = match self.scope.binding(name) {
            Some(Binding::Const(_)) if self.visiting.contains(&name) => {
                let path = self.visiting.join(" → ");
                Kind::Unreadable(format!(
                    "{name}, which is defined by itself ({path} → {name})"
                ))
            }
            Some(Binding::Const(init)) => {
                self.visiting.push(name);
                let node = self.read(init);
                self.visiting.pop();
                return node;
            }
            Some(Binding::Function) => Kind::Function,
            Some(Binding::Import { module, name }) => return self.imported(module, name, span),
            Some(Binding::Enum(item)) => self.enumeration(item),
            Some(Binding::Namespace { module }) => {
                Kind::Unreadable(format!("the whole module {module:?}"))
            }
            Some(Binding::Other(what)) => Kind::Unreadable(format!("{name}, which is {what}")),
            None if name == "undefined" => Kind::Undefined,
            None => Kind::Unreadable(format!("{name}, which this file does not define")),
        };
        Node::new(span, kind)
    }

    fn member(&mut self, member: &'p StaticMemberExpression<'a>, span: Span) -> Node {
        let property = member.property.name.as_str();
        if let Some((module, name)) = self.namespaced(member) {
            return self.imported(module, name, span);
        }
        if is_process_env(&member.object) {
            let reason = format!("the environment variable {property}, read while the file runs");
            return Node::unreadable(span, reason);
        }
        let owner = self.read(&member.object);
        property_of(&owner, property, span)
    }

    /// `list[0]` or `object["key"]`.
    fn element(&mut self, member: &'p ComputedMemberExpression<'a>, span: Span) -> Node {
        if is_process_env(&member.object) {
            let reason = "an environment variable, read while the file runs".to_owned();
            return Node::unreadable(span, reason);
        }
        let owner = self.read(&member.object);
        let key = self.read(&member.expression);
        match (&owner.kind, &key.kind) {
            (_, Kind::Text(key)) => property_of(&owner, key, span),
            (Kind::List(items), Kind::Number(at)) => {
                let found = items
                    .iter()
                    .enumerate()
                    .find(|(index, _)| is_index(*index, *at));
                found.map_or_else(
                    || Node::new(span, Kind::Undefined),
                    |(_, item)| item.clone(),
                )
            }
            _ => Node::unreadable(span, "a computed member"),
        }
    }

    /// A name of another module; what it costs to read counts here, too.
    fn imported(&mut self, module: &str, name: &str, span: Span) -> Node {
        let node = self.modules.value(self.path, module, name, span);
        self.values += node.size();
        if self.values > VALUES_MAX {
            return too_many(span);
        }
        node
    }

    /// `oe.name` where `oe` is a whole module.
    fn namespaced(&self, member: &'p StaticMemberExpression<'a>) -> Option<(&'p str, &'p str)> {
        let Expression::Identifier(object) = member.object.get_inner_expression() else {
            return None;
        };
        match self.scope.binding(object.name.as_str()) {
            Some(Binding::Namespace { module }) => Some((module, member.property.name.as_str())),
            _ => None,
        }
    }

    fn call(&mut self, call: &'p CallExpression<'a>) -> Kind {
        let callee = call.callee.get_inner_expression();
        let mut name = String::new();
        let mut imported = None;
        if let Expression::Identifier(callee) = callee {
            name = format!(" of {}()", callee.name);
            if let Some(Binding::Import { module, name }) = self.scope.binding(&callee.name) {
                imported = Some((module, name));
            }
        } else if let Expression::StaticMemberExpression(member) = callee {
            imported = self.namespaced(member);
        }
        let known =
            imported.and_then(|(module, name)| helper(self.modules, self.path, module, name));
        if let Some(helper) = known {
            return Kind::Call(Call {
                helper,
                arguments: call
                    .arguments
                    .iter()
                    .map(|argument| self.argument(argument))
                    .collect(),
            });
        }
        match imported {
            Some((module, helper)) => {
                Kind::Unreadable(format!("a call of {helper}() from {module:?}"))
            }
            None => match self.joined(call) {
                Some(text) => Kind::Text(text),
                None => Kind::Unreadable(format!("a call{name}")),
            },
        }
    }

    /// `["a", "b"].join("\n")` of texts that are written out.
    fn joined(&mut self, call: &'p CallExpression<'a>) -> Option<String> {
        let Expression::StaticMemberExpression(member) = call.callee.get_inner_expression() else {
            return None;
        };
        if member.property.name != "join" || call.arguments.len() > 1 {
            return None;
        }
        let Kind::List(items) = self.read(&member.object).kind else {
            return None;
        };
        let between = match call.arguments.first() {
            None => ",".to_owned(),
            Some(argument) => self.argument(argument).text()?.to_owned(),
        };
        let texts: Option<Vec<&str>> = items.iter().map(Node::text).collect();
        Some(texts?.join(&between))
    }

    fn argument(&mut self, argument: &'p Argument<'a>) -> Node {
        match argument.as_expression() {
            Some(expression) => self.read(expression),
            None => Node::new(
                to_span(argument.span()),
                Kind::Unreadable("a spread of arguments".to_owned()),
            ),
        }
    }
}

/// A property of a value that was read.
fn property_of(owner: &Node, property: &str, span: Span) -> Node {
    let Kind::Object(object) = &owner.kind else {
        let of = owner
            .why_unreadable()
            .unwrap_or("a value that cannot be read");
        let reason = format!("the member {property} of {of}");
        return Node::unreadable(span, reason);
    };
    match object.get(property) {
        Some(value) => value.clone(),
        None if object.holes.is_empty() => Node::new(span, Kind::Undefined),
        None => Node::unreadable(
            span,
            format!("{property} of an object that hides some keys"),
        ),
    }
}

/// Whether a number is this index of a list.
#[expect(
    clippy::cast_precision_loss,
    reason = "lists are far shorter than 2^52"
)]
fn is_index(index: usize, number: f64) -> bool {
    (index as f64 - number).abs() < f64::EPSILON
}

fn too_many(span: Span) -> Node {
    Node::unreadable(span, format!("part of more than {VALUES_MAX} values"))
}
