//! The deployable template, parsed, with CloudFormation's short tags kept.

use serde_norway::Value;

use crate::repository::text;

/// Where the template is, relative to the root.
const PATH: &str = "infra/template.yaml";

/// `infra/template.yaml` as data.
#[derive(Clone)]
pub(crate) struct Template {
    root: Value,
}

/// One entry of the template's `Resources`.
#[derive(Clone, Copy)]
pub(crate) struct Resource<'a> {
    /// Its logical id.
    pub(crate) name: &'a str,
    /// All of it, `Type` and `Properties` included.
    pub(crate) body: &'a Value,
}

impl Template {
    /// Reads the template from the repository.
    pub(crate) fn read() -> Result<Self, String> {
        Self::parse(&text(PATH)?)
    }

    /// Parses a template's text.
    pub(crate) fn parse(source: &str) -> Result<Self, String> {
        let root = serde_norway::from_str(source).map_err(|error| format!("{PATH}: {error}"))?;
        Ok(Self { root })
    }

    /// The value below the given keys.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Value> {
        at(&self.root, path)
    }

    /// The keys and values of a top-level section.
    pub(crate) fn section(&self, name: &str) -> Vec<(&str, &Value)> {
        entries(self.at(&[name]))
    }

    /// Every resource of one type.
    pub(crate) fn of_type(&self, kind: &str) -> Vec<Resource<'_>> {
        let is_kind = |(_, body): &(&str, &Value)| at(body, &["Type"]) == Some(&Value::from(kind));
        let resource = |(name, body)| Resource { name, body };
        self.section("Resources")
            .into_iter()
            .filter(is_kind)
            .map(resource)
            .collect()
    }

    /// Every Lambda function.
    pub(crate) fn functions(&self) -> Vec<Resource<'_>> {
        self.of_type("AWS::Serverless::Function")
    }

    /// The resource that a `!Ref` or `!GetAtt` in `value` names.
    pub(crate) fn target(&self, value: Option<&Value>) -> Option<Resource<'_>> {
        let name = reference(value?)?;
        let (name, body) = self
            .section("Resources")
            .into_iter()
            .find(|(known, _)| *known == name)?;
        Some(Resource { name, body })
    }

    /// A function's environment: what all share, then its own.
    pub(crate) fn environment<'a>(&'a self, function: &Resource<'a>) -> Vec<(&'a str, &'a Value)> {
        let mut all = entries(self.at(&["Globals", "Function", "Environment", "Variables"]));
        all.extend(entries(function.property(&["Environment", "Variables"])));
        all
    }

    /// Replaces the value at a path, or removes it; for mutants. False if nothing was there.
    pub(crate) fn mutate(&mut self, path: &[&str], value: Option<Value>) -> bool {
        let Some((last, parents)) = path.split_last() else {
            return false;
        };
        let mut place = &mut self.root;
        for key in parents {
            let Some(next) = place.get_mut(*key) else {
                return false;
            };
            place = next;
        }
        let Some(mapping) = place.as_mapping_mut() else {
            return false;
        };
        match value {
            Some(value) => mapping.insert(Value::from(*last), value).is_some(),
            None => mapping.remove(*last).is_some(),
        }
    }
}

impl<'a> Resource<'a> {
    /// The value below the given keys of its properties.
    pub(crate) fn property(&self, path: &[&str]) -> Option<&'a Value> {
        at(at(self.body, &["Properties"])?, path)
    }

    /// A property that is a number.
    pub(crate) fn number(&self, path: &[&str]) -> Option<u64> {
        self.property(path)?.as_u64()
    }

    /// The function's event sources: name, type and properties.
    pub(crate) fn events(&self) -> Vec<(&'a str, &'a str, &'a Value)> {
        let mut events = Vec::new();
        for (name, event) in entries(self.property(&["Events"])) {
            let kind = at(event, &["Type"])
                .and_then(Value::as_str)
                .unwrap_or_default();
            events.push((
                name,
                kind,
                at(event, &["Properties"]).unwrap_or(&Value::Null),
            ));
        }
        events
    }

    /// The function's SQS event sources.
    pub(crate) fn queue_events(&self) -> Vec<&'a Value> {
        let queue = |(_, kind, properties)| (kind == "SQS").then_some(properties);
        self.events().into_iter().filter_map(queue).collect()
    }
}

/// The value below the given keys.
pub(crate) fn at<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, key| value.get(*key))
}

/// The logical id in a `!Ref Name` or `!GetAtt Name.Attribute`.
pub(crate) fn reference(value: &Value) -> Option<&str> {
    let Value::Tagged(tagged) = value else {
        return None;
    };
    let text = tagged.value.as_str()?;
    if tagged.tag == "!Ref" {
        return Some(text);
    }
    (tagged.tag == "!GetAtt").then(|| text.split('.').next().unwrap_or(text))
}

/// Every logical id that a value refers to, at any depth.
pub(crate) fn references(value: &Value) -> Vec<&str> {
    match value {
        Value::Tagged(tagged) => {
            reference(value).map_or_else(|| references(&tagged.value), |name| vec![name])
        }
        Value::Sequence(items) => items.iter().flat_map(references).collect(),
        Value::Mapping(mapping) => mapping.values().flat_map(references).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// A value as a list: a sequence's items, or the one value itself.
pub(crate) fn list(value: Option<&Value>) -> Vec<&Value> {
    match value {
        Some(Value::Sequence(items)) => items.iter().collect(),
        Some(value) => vec![value],
        None => Vec::new(),
    }
}

/// A mapping's entries whose keys are text.
pub(crate) fn entries(value: Option<&Value>) -> Vec<(&str, &Value)> {
    let Some(mapping) = value.and_then(Value::as_mapping) else {
        return Vec::new();
    };
    mapping
        .iter()
        .filter_map(|(key, value)| Some((key.as_str()?, value)))
        .collect()
}
