//! The top level of a module: what each name is bound to and what is exported.
//!
//! Only the top level matters: a definition's values are never computed inside of a function.

use std::collections::BTreeMap;

use oxc::ast::ast::{
    BindingPattern, Declaration, ExportDefaultDeclarationKind, Expression, ImportDeclaration,
    ImportDeclarationSpecifier, ModuleExportName, Program, Statement, TSEnumDeclaration,
    VariableDeclaration, VariableDeclarationKind,
};

/// What a top-level name stands for.
#[derive(Clone, Copy)]
pub(crate) enum Binding<'p, 'a> {
    /// A `const` with a value.
    Const(&'p Expression<'a>),
    /// A function.
    Function,
    /// A name imported from a module; `default` for its default export.
    Import { module: &'p str, name: &'p str },
    /// `import * as name`.
    Namespace { module: &'p str },
    /// An enum.
    Enum(&'p TSEnumDeclaration<'a>),
    /// Something whose value is not known; the text says what.
    Other(&'static str),
}

/// What an export leads to.
#[derive(Clone, Copy)]
pub(crate) enum Exported<'p, 'a> {
    /// An expression.
    Expression(&'p Expression<'a>),
    /// A top-level name.
    Name(&'p str),
    /// An export of another module.
    From { module: &'p str, name: &'p str },
    /// Something that is no value of a definition; the text says what.
    Other(&'static str),
}

/// Names and exports of one module.
#[derive(Default)]
pub(crate) struct Scope<'p, 'a> {
    bindings: BTreeMap<&'p str, Binding<'p, 'a>>,
    /// Export name → what it leads to, in source order.
    pub(crate) exports: Vec<(&'p str, Exported<'p, 'a>)>,
    /// Modules all of whose exports are this one's, too.
    pub(crate) stars: Vec<&'p str>,
}

impl<'p, 'a> Scope<'p, 'a> {
    pub(crate) fn read(program: &'p Program<'a>) -> Self {
        let mut scope = Self::default();
        for statement in &program.body {
            scope.statement(statement);
        }
        scope
    }

    pub(crate) fn binding(&self, name: &str) -> Option<Binding<'p, 'a>> {
        self.bindings.get(name).copied()
    }

    pub(crate) fn export(&self, name: &str) -> Option<Exported<'p, 'a>> {
        self.exports
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, exported)| *exported)
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other statements bind no top-level name that can be read"
    )]
    fn statement(&mut self, statement: &'p Statement<'a>) {
        match statement {
            Statement::ImportDeclaration(import) => self.import(import),
            Statement::ExportDeclaration(export) => {
                for name in self.declaration(&export.declaration) {
                    self.exports.push((name, Exported::Name(name)));
                }
            }
            Statement::ExportNamedDeclaration(export) => {
                for specifier in &export.specifiers {
                    let exported = Exported::Name(text_of(&specifier.local));
                    self.exports.push((text_of(&specifier.exported), exported));
                }
            }
            Statement::ExportFromDeclaration(export) => {
                for specifier in &export.specifiers {
                    let exported = Exported::From {
                        module: export.source.value.as_str(),
                        name: text_of(&specifier.local),
                    };
                    self.exports.push((text_of(&specifier.exported), exported));
                }
            }
            Statement::ExportAllDeclaration(export) => match &export.exported {
                Some(name) => {
                    let exported = Exported::Other("a whole module");
                    self.exports.push((text_of(name), exported));
                }
                None => self.stars.push(export.source.value.as_str()),
            },
            Statement::ExportDefaultDeclaration(export) => {
                let exported = match &export.declaration {
                    ExportDefaultDeclarationKind::FunctionDeclaration(_) => {
                        Exported::Other("a function")
                    }
                    ExportDefaultDeclarationKind::ClassDeclaration(_) => Exported::Other("a class"),
                    ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => {
                        Exported::Other("an interface")
                    }
                    expression => expression
                        .as_expression()
                        .map_or(Exported::Other("unknown"), Exported::Expression),
                };
                self.exports.push(("default", exported));
            }
            other => {
                if let Some(declaration) = other.as_declaration() {
                    self.declaration(declaration);
                }
            }
        }
    }

    /// Binds what a declaration declares and returns the names.
    fn declaration(&mut self, declaration: &'p Declaration<'a>) -> Vec<&'p str> {
        let (id, binding) = match declaration {
            Declaration::VariableDeclaration(variables) => return self.variables(variables),
            Declaration::FunctionDeclaration(function) => (function.id.as_ref(), Binding::Function),
            Declaration::ClassDeclaration(class) => (class.id.as_ref(), Binding::Other("a class")),
            Declaration::TSEnumDeclaration(item) => (Some(&item.id), Binding::Enum(item)),
            Declaration::TSTypeAliasDeclaration(_)
            | Declaration::TSInterfaceDeclaration(_)
            | Declaration::TSExternalModuleDeclaration(_)
            | Declaration::TSNamespaceDeclaration(_)
            | Declaration::TSGlobalDeclaration(_)
            | Declaration::TSImportEqualsDeclaration(_) => return Vec::new(),
        };
        let Some(id) = id else { return Vec::new() };
        self.bindings.insert(id.name.as_str(), binding);
        vec![id.name.as_str()]
    }

    fn variables(&mut self, variables: &'p VariableDeclaration<'a>) -> Vec<&'p str> {
        let mut names = Vec::new();
        for declarator in &variables.declarations {
            let BindingPattern::BindingIdentifier(id) = &declarator.id else {
                self.destructured(&declarator.id, &mut names);
                continue;
            };
            let binding = match (&declarator.init, variables.kind) {
                (Some(init), VariableDeclarationKind::Const) => Binding::Const(init),
                (_, VariableDeclarationKind::Let) => {
                    Binding::Other("declared with let, so it can change")
                }
                (_, VariableDeclarationKind::Var) => {
                    Binding::Other("declared with var, so it can change")
                }
                _ => Binding::Other("declared without a value"),
            };
            self.bindings.insert(id.name.as_str(), binding);
            names.push(id.name.as_str());
        }
        names
    }

    fn destructured(&mut self, pattern: &'p BindingPattern<'a>, names: &mut Vec<&'p str>) {
        for id in pattern.get_binding_identifiers() {
            let name = id.name.as_str();
            self.bindings
                .insert(name, Binding::Other("taken apart from another value"));
            names.push(name);
        }
    }

    fn import(&mut self, import: &'p ImportDeclaration<'a>) {
        let module = import.source.value.as_str();
        for specifier in import.specifiers.iter().flatten() {
            let (local, binding) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(one) => (
                    &one.local,
                    Binding::Import {
                        module,
                        name: text_of(&one.imported),
                    },
                ),
                ImportDeclarationSpecifier::ImportDefaultSpecifier(one) => (
                    &one.local,
                    Binding::Import {
                        module,
                        name: "default",
                    },
                ),
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(one) => {
                    (&one.local, Binding::Namespace { module })
                }
            };
            self.bindings.insert(local.name.as_str(), binding);
        }
    }
}

fn text_of<'p>(name: &'p ModuleExportName<'_>) -> &'p str {
    match name {
        ModuleExportName::IdentifierName(name) => name.name.as_str(),
        ModuleExportName::IdentifierReference(name) => name.name.as_str(),
        ModuleExportName::StringLiteral(name) => name.value.as_str(),
    }
}
