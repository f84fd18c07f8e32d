//! What a resource template is here.

use serde_json::{Map, Value, json};

use super::uri::{self, Values};
use crate::context::{Call, Later};

/// A family of resources.
#[derive(Debug)]
pub(crate) struct Template {
    pub(crate) uri: &'static str,
    /// Its description without the URI.
    pub(crate) definition: fn() -> Value,
    /// What completion suggests for each variable; anything else may work too.
    pub(crate) suggestions: &'static [(&'static str, Suggestions)],
    /// Those of the family that are listed as resources of their own: the value of the only variable, and the
    /// description.
    pub(crate) listed: &'static [(&'static str, &'static str)],
    /// The contents.
    pub(crate) read: Read,
}

/// How the contents of one of a family are found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Read {
    /// At once; `None` when the family has no such member.
    Now(fn(&str, &Values) -> Option<Value>),
    /// After the client has been asked. The future gives the result of `resources/read`.
    Later(fn(Call, String, Values) -> Later),
}

/// What completion suggests.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Suggestions {
    /// Nothing.
    None,
    /// Always the same.
    Fixed(&'static [&'static str]),
    /// By what the other arguments are, as far as the client says.
    By(fn(&Map<String, Value>) -> &'static [&'static str]),
}

impl Suggestions {
    /// What is suggested beside `others`.
    pub(crate) fn beside(self, others: &Map<String, Value>) -> &'static [&'static str] {
        match self {
            Self::None => &[],
            Self::Fixed(values) => values,
            Self::By(find) => find(others),
        }
    }
}

impl Template {
    /// The template in a list.
    pub(crate) fn described(&self) -> Value {
        let mut described = json!({ "uriTemplate": self.uri });
        if let (Some(members), Value::Object(rest)) = (described.as_object_mut(), (self.definition)()) {
            members.extend(rest);
        }
        described
    }

    /// Those of the family that are listed on their own.
    pub(crate) fn resources(&self) -> impl Iterator<Item = Value> {
        let mime_type = (self.definition)()["mimeType"].take();
        self.listed.iter().map(move |(value, description)| {
            let uri = uri::expand(self.uri, value);
            json!({ "uri": uri, "name": value, "description": description, "mimeType": mime_type })
        })
    }

    /// The values of the variables, if `uri` is one of this family.
    pub(crate) fn values(&self, uri: &str) -> Option<Values> {
        uri::matches(self.uri, uri)
    }

    /// What may stand for `variable`; `None` when the template has no such variable.
    pub(crate) fn suggestions(&self, variable: &str) -> Option<Suggestions> {
        let known = uri::variables(self.uri).any(|name| name == variable);
        let found = self.suggestions.iter().find(|(name, _)| *name == variable).map(|(_, found)| *found);
        known.then(|| found.unwrap_or(Suggestions::None))
    }
}
