//! From a module to the one definition it exports: `export default defineTool({ … })` and its kin.
//!
//! The default export wins. Without one, exactly one named export must be a call of the helper. A
//! default export may also be a plain object: the helpers only hand their argument back.

use super::eval::Evaluator;
use super::scope::Scope;
use super::value::{Kind, Node, Object};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::discover::SourceFile;
use crate::parse::parse;

/// The definition of one file.
#[derive(Debug)]
pub(crate) struct Definition {
    /// The name under which the module exports it.
    pub(crate) export: String,
    /// The object given to the helper.
    pub(crate) object: Object,
    /// Where the object stands.
    pub(crate) span: Span,
}

/// Reads the definition that `helper` makes from a file, or says why there is none.
pub(crate) fn definition(file: &SourceFile, helper: &str) -> Result<Definition, Vec<Diagnostic>> {
    let exports = parse(file, |program| {
        let scope = Scope::read(program);
        let whole = Span { start: 0, end: 0 };
        match scope.export("default") {
            Some(exported) => vec![(
                "default".to_owned(),
                Evaluator::new(&scope).exported(exported, whole),
            )],
            None => scope
                .exports
                .iter()
                .map(|(name, exported)| {
                    (
                        (*name).to_owned(),
                        Evaluator::new(&scope).exported(*exported, whole),
                    )
                })
                .collect(),
        }
    })?;
    choose(file, helper, exports).map_err(|found| vec![found])
}

fn choose(
    file: &SourceFile,
    helper: &str,
    exports: Vec<(String, Node)>,
) -> Result<Definition, Diagnostic> {
    let help = format!(
        "write: import {{ {helper} }} from \"@openeve/core\"; export default {helper}({{ … }}); with the object in the call or in a const of this file"
    );
    let missing =
        |message: String| Diagnostic::new(Code::MissingDefinition, message).help(help.clone());
    let mut made: Vec<(String, Node)> = exports
        .into_iter()
        .filter(|(name, node)| name == "default" || is_call_of(node, helper))
        .collect();
    let Some((export, node)) = made.pop() else {
        return Err(
            missing(format!("{} exports no {helper}({{ … }})", file.path)).in_file(&file.path),
        );
    };
    if !made.is_empty() {
        let message = format!(
            "{} exports more than one {helper}({{ … }}); make one of them the default",
            file.path
        );
        return Err(missing(message).in_file(&file.path));
    }
    let wrong = |node: &Node| {
        let message = format!(
            "{} must export {helper}({{ … }}), but it exports {}",
            file.path,
            node.describe()
        );
        let code = if matches!(node.kind, Kind::Unreadable(_)) {
            Code::NotStatic
        } else {
            Code::MissingDefinition
        };
        Diagnostic::new(code, message)
            .at(file, node.span)
            .help(help.clone())
    };
    if !is_call_of(&node, helper) {
        let span = node.span;
        return match node.kind {
            Kind::Object(object) => Ok(Definition {
                export,
                object,
                span,
            }),
            _ => Err(wrong(&node)),
        };
    }
    let span = node.span;
    let Kind::Call(call) = node.kind else {
        return Err(wrong(&node));
    };
    match call.arguments.into_iter().next() {
        Some(Node {
            span,
            kind: Kind::Object(object),
        }) => Ok(Definition {
            export,
            object,
            span,
        }),
        Some(other) => Err(Diagnostic::new(
            Code::NotStatic,
            format!(
                "{helper} takes an object that can be read without running the code, but gets {}",
                other.describe()
            ),
        )
        .at(file, other.span)
        .help(help)),
        None => Err(Diagnostic::new(
            Code::MissingDefinition,
            format!("{helper} takes an object, but gets nothing"),
        )
        .at(file, span)
        .help(help)),
    }
}

fn is_call_of(node: &Node, helper: &str) -> bool {
    matches!(&node.kind, Kind::Call(call) if call.helper == helper)
}
