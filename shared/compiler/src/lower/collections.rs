//! Static evaluation of arrays and objects, spreads included.

use std::borrow::Cow;

use oxc::ast::ast::{
    ArrayExpression, ArrayExpressionElement, ObjectExpression, ObjectProperty, ObjectPropertyKind,
    PropertyKind,
};
use oxc::span::GetSpan;

use super::eval::Evaluator;
use super::forms::to_span;
use super::value::{Entry, Kind, Node, Object};

impl<'p, 'a> Evaluator<'_, 'p, 'a> {
    /// An array; a spread that cannot be read becomes one unreadable item.
    pub(super) fn list(&mut self, array: &'p ArrayExpression<'a>) -> Kind {
        let mut items = Vec::with_capacity(array.elements.len());
        for element in &array.elements {
            if let ArrayExpressionElement::SpreadElement(spread) = element {
                let node = self.read(&spread.argument);
                if let Kind::List(inner) = node.kind {
                    items.extend(inner);
                } else {
                    let reason = format!("a spread of {}", node.describe());
                    items.push(Node::unreadable(to_span(spread.span), reason));
                }
            } else if let Some(expression) = element.as_expression() {
                items.push(self.read(expression));
            } else {
                items.push(Node::new(to_span(element.span()), Kind::Undefined));
            }
        }
        Kind::List(items)
    }

    /// An object; a spread or key that cannot be read becomes a hole.
    pub(super) fn object(&mut self, literal: &'p ObjectExpression<'a>) -> Kind {
        let mut object = Object::default();
        for property in &literal.properties {
            match property {
                ObjectPropertyKind::ObjectProperty(property) => {
                    self.property(property, &mut object);
                }
                ObjectPropertyKind::SpreadProperty(spread) => {
                    let node = self.read(&spread.argument);
                    if let Kind::Object(inner) = node.kind {
                        inner
                            .entries
                            .into_iter()
                            .for_each(|entry| object.set(entry));
                        object.holes.extend(inner.holes);
                    } else {
                        let reason = format!("a spread of {}", node.describe());
                        object
                            .holes
                            .push(Node::unreadable(to_span(spread.span), reason));
                    }
                }
            }
        }
        Kind::Object(object)
    }

    fn property(&mut self, property: &'p ObjectProperty<'a>, object: &mut Object) {
        let key_span = to_span(property.key.span());
        let computed = |this: &mut Self| {
            let key = this.read(property.key.as_expression()?);
            key.text().map(str::to_owned)
        };
        let name = property.key.static_name().map(Cow::into_owned);
        let Some(key) = name.or_else(|| computed(self)) else {
            object
                .holes
                .push(Node::unreadable(key_span, "a computed key"));
            return;
        };
        let value = match property.kind {
            PropertyKind::Init => self.read(&property.value),
            PropertyKind::Get | PropertyKind::Set => Node::unreadable(key_span, "an accessor"),
        };
        object.set(Entry {
            key,
            key_span,
            value,
        });
    }
}
