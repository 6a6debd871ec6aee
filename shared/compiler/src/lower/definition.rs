//! From a module to the one definition it exports: `export default defineTool({ … })` and its kin.
//!
//! The default export wins. Without one, exactly one named export must be a call of the helper. A
//! default export may also be a plain object: the helpers only hand their argument back.

use super::eval::Evaluator;
use super::modules::Modules;
use super::scope::Scope;
use super::value::{Kind, Node, Object};
use crate::cause::{DISABLED, EVE, EVE_HELP};
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
pub(crate) fn definition(
    file: &SourceFile,
    helper: &str,
    modules: &Modules<'_>,
) -> Result<Definition, Vec<Diagnostic>> {
    let exports = parse(file, |program| {
        let scope = Scope::read(program);
        let whole = Span { start: 0, end: 0 };
        let read = |exported| Evaluator::new(&scope, modules, &file.path).exported(exported, whole);
        match scope.export("default") {
            Some(exported) => vec![("default".to_owned(), read(exported))],
            None => scope
                .exports
                .iter()
                .map(|(name, exported)| ((*name).to_owned(), read(*exported)))
                .collect(),
        }
    })?;
    let asked = Asked { file, helper };
    asked
        .choose(exports)
        .and_then(|(export, node)| asked.unwrap(export, node))
}

/// What a file is asked for.
struct Asked<'f> {
    file: &'f SourceFile,
    helper: &'f str,
}

impl Asked<'_> {
    /// The export that holds the definition.
    fn choose(&self, exports: Vec<(String, Node)>) -> Result<(String, Node), Vec<Diagnostic>> {
        let (path, helper) = (&self.file.path, self.helper);
        let mut made: Vec<(String, Node)> = exports
            .into_iter()
            .filter(|(name, node)| name == "default" || is_call_of(node, helper))
            .collect();
        let missing = |message: String| {
            let found = Diagnostic::new(Code::MissingDefinition, message).in_file(path);
            vec![found.help(self.help())]
        };
        match made.pop() {
            None => Err(missing(format!("{path} exports no {helper}({{ … }})"))),
            Some(one) if made.is_empty() => Ok(one),
            Some(_) => Err(missing(format!(
                "{path} exports more than one {helper}({{ … }}); make one of them the default"
            ))),
        }
    }

    /// The object inside of an export: the argument of the helper, or the export itself.
    fn unwrap(&self, export: String, node: Node) -> Result<Definition, Vec<Diagnostic>> {
        let helper = self.helper;
        let span = node.span;
        let inner = if !is_call_of(&node, helper) {
            Some(node)
        } else if let Kind::Call(call) = node.kind {
            call.arguments.into_iter().next()
        } else {
            None
        };
        match inner {
            Some(Node {
                span,
                kind: Kind::Object(object),
            }) => Ok(Definition {
                export,
                object,
                span,
            }),
            Some(other) => Err(vec![self.no_object(&other)]),
            None => {
                let message = format!("{helper} takes an object, but gets nothing");
                Err(vec![self.at(Code::MissingDefinition, span, message)])
            }
        }
    }

    /// Says what stands where an object was asked for.
    fn no_object(&self, node: &Node) -> Diagnostic {
        let (path, what) = (&self.file.path, node.describe());
        if what.contains("disableTool()") {
            let message =
                format!("{path} turns off a tool of the framework, and none can be turned off");
            let found = Diagnostic::new(Code::MissingDefinition, message).at(self.file, node.span);
            return found
                .help("remove the file: the framework's own tools are the same for every agent")
                .of_cause(DISABLED);
        }
        let code = if node.is_known() {
            Code::MissingDefinition
        } else {
            Code::NotStatic
        };
        let helper = self.helper;
        let message = format!(
            "{path} must export {helper}({{ … }}) with an object that can be read without running the code, but that is {what}"
        );
        let found = self.at(code, node.span, message);
        if what.contains("from \"eve\"") || what.contains("from \"eve/") {
            return found.help(EVE_HELP).of_cause(EVE);
        }
        found
    }

    fn at(&self, code: Code, span: Span, message: String) -> Diagnostic {
        Diagnostic::new(code, message)
            .at(self.file, span)
            .help(self.help())
    }

    fn help(&self) -> String {
        let helper = self.helper;
        format!(
            "write: import {{ {helper} }} from \"@openeve/core\"; export default {helper}({{ … }}); with the object in the call or in a const of this file"
        )
    }
}

fn is_call_of(node: &Node, helper: &str) -> bool {
    matches!(&node.kind, Kind::Call(call) if call.helper == helper)
}
