//! One module of an eve folder, as far as moving it over asks: its imports, its default export and
//! what it reads of the objects it is given. Owned data; no type of the parser leaves it.

use std::collections::{BTreeMap, BTreeSet};

use oxc::ast::ast::{
    Argument, BindingPattern, CallExpression, ExportDefaultDeclarationKind, Expression,
    FormalParameters, IdentifierReference, ImportDeclarationSpecifier, ImportExpression,
    ModuleExportName, ObjectExpression, ObjectPropertyKind, Program, PropertyKey, Statement,
    StaticMemberExpression, StringLiteral,
};
use oxc::ast_visit::Visit;
use oxc::ast_visit::walk::{walk_import_expression, walk_static_member_expression};
use oxc::span::GetSpan;

use crate::diagnostic::{Diagnostic, Span};
use crate::discover::SourceFile;
use crate::parse::parse;

/// Levels of `const` that are followed for one value.
const CONST_HOPS_MAX: usize = 8;

/// One module.
#[derive(Debug, Default)]
pub(super) struct Module {
    pub(super) imports: Vec<Import>,
    /// Every module it names, with the place of the name between the quotes.
    pub(super) specifiers: Vec<(String, Span)>,
    pub(super) default: Exported,
    /// Every `name.first.second` in it.
    pub(super) members: Vec<Member>,
    /// Every name that is used in it, as a value or as a type.
    pub(super) used: BTreeSet<String>,
}

/// An import declaration.
#[derive(Debug)]
pub(super) struct Import {
    pub(super) span: Span,
    pub(super) module: String,
    pub(super) names: Vec<Name>,
    /// Whether it takes the default export or all of the module, too.
    pub(super) whole: bool,
}

/// A name that is imported.
#[derive(Debug, Clone)]
pub(super) struct Name {
    pub(super) imported: String,
    pub(super) local: String,
    pub(super) type_only: bool,
}

/// What a module exports as its default.
#[derive(Debug, Default)]
pub(super) enum Exported {
    #[default]
    Nothing,
    /// The default export of another module.
    From(String),
    /// A call of a function by its local name, such as `defineTool({ … })`.
    Call(Call),
    Other,
}

/// A call.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) callee: String,
    pub(super) callee_span: Span,
    /// Its first argument.
    pub(super) argument: Option<Value>,
}

/// A value, as it was written.
#[derive(Debug, Clone)]
pub(super) struct Value {
    pub(super) span: Span,
    pub(super) kind: Kind,
}

/// What a value is.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    Text(String),
    Bool(bool),
    Call(Box<Call>),
    Function(Function),
    /// `other ?? "text"` or `other || "text"`.
    Or(String),
    /// `process.env.NAME`.
    Env(String),
    /// A template of a text, `process.env.NAME` and nothing else, such as a bearer token.
    Prefixed(String, String),
    Object(Object),
    Other,
}

/// An object in braces.
#[derive(Debug, Clone)]
pub(super) struct Object {
    pub(super) span: Span,
    pub(super) properties: Vec<Property>,
}

/// One property. Spreads have no key.
#[derive(Debug, Clone)]
pub(super) struct Property {
    pub(super) key: Option<String>,
    pub(super) key_span: Span,
    pub(super) span: Span,
    /// Written as `key() { … }`.
    pub(super) method: bool,
    pub(super) value: Value,
}

/// A function's form.
#[derive(Debug, Clone)]
pub(super) struct Function {
    pub(super) generator: bool,
    /// The name of its second parameter.
    pub(super) context: Option<String>,
    /// Whether the second parameter is taken apart where it is declared.
    pub(super) apart: bool,
}

/// `name.first.second`, with the place of all of it.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) span: Span,
    pub(super) path: Vec<String>,
}

impl Object {
    /// A property by its key.
    pub(super) fn get(&self, key: &str) -> Option<&Property> {
        self.properties
            .iter()
            .find(|property| property.key.as_deref() == Some(key))
    }
}

impl Module {
    /// Reads a module, or says why it cannot be read.
    pub(super) fn read(path: &str, text: &str) -> Result<Self, Vec<Diagnostic>> {
        parse(&SourceFile::new(path, text), |program| {
            Reader::new(program).module(program)
        })
    }

    /// The module and the name that a local name was imported from.
    pub(super) fn origin(&self, local: &str) -> Option<(&str, &str)> {
        self.imports.iter().find_map(|import| {
            let name = import.names.iter().find(|name| name.local == local)?;
            Some((import.module.as_str(), name.imported.as_str()))
        })
    }
}

/// Reads one program.
struct Reader<'p, 'a> {
    consts: BTreeMap<&'p str, &'p Expression<'a>>,
}

impl<'p, 'a> Reader<'p, 'a> {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other statements declare nothing at the top level"
    )]
    fn new(program: &'p Program<'a>) -> Self {
        let mut consts = BTreeMap::new();
        for statement in &program.body {
            let declaration = match statement {
                Statement::ExportDeclaration(export) => Some(&export.declaration),
                other => other.as_declaration(),
            };
            let Some(oxc::ast::ast::Declaration::VariableDeclaration(variables)) = declaration
            else {
                continue;
            };
            for declarator in &variables.declarations {
                if let (BindingPattern::BindingIdentifier(id), Some(init)) =
                    (&declarator.id, &declarator.init)
                {
                    consts.insert(id.name.as_str(), init);
                }
            }
        }
        Self { consts }
    }

    fn module(&self, program: &'p Program<'a>) -> Module {
        let mut module = Module::default();
        for statement in &program.body {
            self.statement(statement, &mut module);
        }
        let mut found = Found {
            module: &mut module,
        };
        found.visit_program(program);
        module
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other statements neither import nor export a default"
    )]
    fn statement(&self, statement: &'p Statement<'a>, module: &mut Module) {
        match statement {
            Statement::ImportDeclaration(import) => {
                let type_only = import.import_kind.is_type();
                let mut found = Import {
                    span: span(import.span),
                    module: import.source.value.to_string(),
                    names: Vec::new(),
                    whole: import.specifiers.is_none(),
                };
                for specifier in import.specifiers.iter().flatten() {
                    let ImportDeclarationSpecifier::ImportSpecifier(one) = specifier else {
                        found.whole = true;
                        continue;
                    };
                    found.names.push(Name {
                        imported: exported_name(&one.imported),
                        local: one.local.name.to_string(),
                        type_only: type_only || one.import_kind.is_type(),
                    });
                }
                module.specifiers.push(specifier(&import.source));
                module.imports.push(found);
            }
            Statement::ExportFromDeclaration(export) => {
                module.specifiers.push(specifier(&export.source));
                let default = export
                    .specifiers
                    .iter()
                    .any(|one| exported_name(&one.exported) == "default");
                if default {
                    module.default = Exported::From(export.source.value.to_string());
                }
            }
            Statement::ExportAllDeclaration(export) => {
                module.specifiers.push(specifier(&export.source));
            }
            Statement::ExportDefaultDeclaration(export) => {
                module.default = self.default(&export.declaration);
            }
            _ => {}
        }
    }

    fn default(&self, declaration: &'p ExportDefaultDeclarationKind<'a>) -> Exported {
        let Some(expression) = declaration.as_expression() else {
            return Exported::Other;
        };
        let kind = self.value(expression).kind;
        if let Kind::Call(call) = kind {
            Exported::Call(*call)
        } else {
            Exported::Other
        }
    }

    /// A value; a name of a top-level `const` stands for the value behind it, at its own place.
    fn value(&self, expression: &'p Expression<'a>) -> Value {
        let place = span(expression.span());
        let mut inner = expression.get_inner_expression();
        for _ in 0..CONST_HOPS_MAX {
            let Expression::Identifier(name) = inner else {
                break;
            };
            match self.consts.get(name.name.as_str()) {
                Some(init) => inner = init.get_inner_expression(),
                None => break,
            }
        }
        Value {
            span: place,
            kind: self.kind(inner),
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "whatever is not listed is left as it was written"
    )]
    fn kind(&self, expression: &'p Expression<'a>) -> Kind {
        if let Some(text) = self.text(expression, 0) {
            return Kind::Text(text);
        }
        if let Some(name) = env_name(expression) {
            return Kind::Env(name);
        }
        match expression {
            Expression::BooleanLiteral(literal) => Kind::Bool(literal.value),
            Expression::ArrowFunctionExpression(arrow) => Kind::Function(function(
                false,
                arrow.params.items.get(1).map(|second| &second.pattern),
            )),
            Expression::FunctionExpression(made) => {
                Kind::Function(function(made.generator, second_parameter(&made.params)))
            }
            Expression::LogicalExpression(logical) => self
                .text(logical.right.get_inner_expression(), 0)
                .map_or(Kind::Other, Kind::Or),
            Expression::TemplateLiteral(template) => {
                match (template.quasis.as_slice(), template.expressions.as_slice()) {
                    ([before, after], [one]) if after.value.raw.is_empty() => {
                        env_name(one.get_inner_expression()).map_or(Kind::Other, |name| {
                            Kind::Prefixed(before.value.raw.to_string(), name)
                        })
                    }
                    _ => Kind::Other,
                }
            }
            Expression::CallExpression(call) => self.call(call),
            Expression::ObjectExpression(object) => Kind::Object(self.object(object)),
            _ => Kind::Other,
        }
    }

    fn call(&self, call: &'p CallExpression<'a>) -> Kind {
        let Expression::Identifier(callee) = call.callee.get_inner_expression() else {
            return Kind::Other;
        };
        Kind::Call(Box::new(Call {
            callee: callee.name.to_string(),
            callee_span: span(callee.span),
            argument: call
                .arguments
                .first()
                .and_then(Argument::as_expression)
                .map(|argument| self.value(argument)),
        }))
    }

    fn object(&self, object: &'p ObjectExpression<'a>) -> Object {
        let properties = object.properties.iter().map(|property| match property {
            ObjectPropertyKind::SpreadProperty(spread) => Property {
                key: None,
                key_span: span(spread.span),
                span: span(spread.span),
                method: false,
                value: Value {
                    span: span(spread.span),
                    kind: Kind::Other,
                },
            },
            ObjectPropertyKind::ObjectProperty(one) => Property {
                key: key(&one.key, one.computed),
                key_span: span(one.key.span()),
                span: span(one.span),
                method: one.method,
                value: self.value(&one.value),
            },
        });
        Object {
            span: span(object.span),
            properties: properties.collect(),
        }
    }

    /// A text that is written out, in pieces or behind a `const`.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other form is a text")]
    fn text(&self, expression: &'p Expression<'a>, depth: usize) -> Option<String> {
        if depth > CONST_HOPS_MAX {
            return None;
        }
        match expression.get_inner_expression() {
            Expression::StringLiteral(literal) => Some(literal.value.to_string()),
            Expression::TemplateLiteral(template) if template.expressions.is_empty() => {
                let only = template.quasis.first()?;
                Some(only.value.cooked.as_ref()?.to_string())
            }
            Expression::BinaryExpression(binary) if binary.operator.as_str() == "+" => {
                let left = self.text(&binary.left, depth + 1)?;
                Some(left + &self.text(&binary.right, depth + 1)?)
            }
            Expression::Identifier(name) => {
                self.text(self.consts.get(name.name.as_str())?, depth + 1)
            }
            _ => None,
        }
    }
}

/// Finds names, members and dynamic imports, wherever they are.
struct Found<'m> {
    module: &'m mut Module,
}

impl<'a> Visit<'a> for Found<'_> {
    fn visit_identifier_reference(&mut self, name: &IdentifierReference<'a>) {
        self.module.used.insert(name.name.to_string());
    }

    fn visit_static_member_expression(&mut self, member: &StaticMemberExpression<'a>) {
        if let Some(path) = path(member) {
            self.module.members.push(Member {
                span: span(member.span),
                path,
            });
        }
        walk_static_member_expression(self, member);
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        if let Expression::StringLiteral(source) = &import.source {
            self.module.specifiers.push(specifier(source));
        }
        walk_import_expression(self, import);
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only a chain of names is a path"
)]
fn path(member: &StaticMemberExpression<'_>) -> Option<Vec<String>> {
    let mut path = match member.object.get_inner_expression() {
        Expression::Identifier(name) => vec![name.name.to_string()],
        Expression::StaticMemberExpression(inner) => path(inner)?,
        _ => return None,
    };
    path.push(member.property.name.to_string());
    Some(path)
}

fn env_name(expression: &Expression<'_>) -> Option<String> {
    let Expression::StaticMemberExpression(member) = expression.get_inner_expression() else {
        return None;
    };
    match path(member)?.as_slice() {
        [process, env, name] if process == "process" && env == "env" => Some(name.clone()),
        _ => None,
    }
}

fn second_parameter<'p, 'a>(
    parameters: &'p FormalParameters<'a>,
) -> Option<&'p BindingPattern<'a>> {
    parameters.items.get(1).map(|second| &second.pattern)
}

fn function(generator: bool, second: Option<&BindingPattern<'_>>) -> Function {
    let context = match second {
        Some(BindingPattern::BindingIdentifier(id)) => Some(id.name.to_string()),
        _ => None,
    };
    Function {
        generator,
        apart: second.is_some() && context.is_none(),
        context,
    }
}

fn key(key: &PropertyKey<'_>, computed: bool) -> Option<String> {
    if computed {
        return None;
    }
    key.static_name().map(|name| name.to_string())
}

fn exported_name(name: &ModuleExportName<'_>) -> String {
    match name {
        ModuleExportName::IdentifierName(name) => name.name.to_string(),
        ModuleExportName::IdentifierReference(name) => name.name.to_string(),
        ModuleExportName::StringLiteral(name) => name.value.to_string(),
    }
}

fn specifier(source: &StringLiteral<'_>) -> (String, Span) {
    let inside = Span {
        start: source.span.start + 1,
        end: source.span.end.saturating_sub(1),
    };
    (source.value.to_string(), inside)
}

fn span(span: oxc::span::Span) -> Span {
    Span {
        start: span.start,
        end: span.end,
    }
}
