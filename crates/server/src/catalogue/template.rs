//! The type of a resource template.

use serde_json::{Map, Value, json};

use super::uri::{self, Values};
use crate::call::{Call, Later};

/// A resource template.
#[derive(Debug)]
pub(crate) struct Template {
    pub(crate) uri: &'static str,
    /// Its description without the URI.
    pub(crate) definition: fn() -> Value,
    /// What completion suggests for each variable. Other values may work, too.
    pub(crate) suggestions: &'static [(&'static str, Suggestions)],
    /// The members that are listed as resources: the value of the only variable, and the description.
    pub(crate) listed: &'static [(&'static str, &'static str)],
    /// The contents.
    pub(crate) read: Read,
}

/// How the contents of a member are found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Read {
    /// At once; `None` when there is no such member.
    Now(fn(&str, &Values) -> Option<Value>),
    /// After a question to the client. The future returns the result of `resources/read`.
    Later(fn(Call, String, Values) -> Later),
}

/// What completion suggests.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Suggestions {
    /// Nothing.
    None,
    /// Always the same.
    Fixed(&'static [&'static str]),
    /// Depending on the other arguments, as far as the client gives them.
    By(fn(&Map<String, Value>) -> &'static [&'static str]),
}

impl Suggestions {
    /// The suggestions, given the other arguments.
    pub(crate) fn given(self, others: &Map<String, Value>) -> &'static [&'static str] {
        match self {
            Self::None => &[],
            Self::Fixed(values) => values,
            Self::By(find) => find(others),
        }
    }
}

impl Template {
    /// The template in a list.
    pub(crate) fn describe(&self) -> Value {
        let mut described = json!({ "uriTemplate": self.uri });
        if let (Some(members), Value::Object(rest)) = (described.as_object_mut(), (self.definition)()) {
            members.extend(rest);
        }
        described
    }

    /// The members that are listed as resources.
    pub(crate) fn resources(&self) -> impl Iterator<Item = Value> {
        let mime_type = (self.definition)()["mimeType"].take();
        self.listed.iter().map(move |(value, description)| {
            let uri = uri::expand(self.uri, value);
            json!({ "uri": uri, "name": value, "description": description, "mimeType": mime_type })
        })
    }

    /// The values of the variables, if `uri` matches the template.
    pub(crate) fn values(&self, uri: &str) -> Option<Values> {
        uri::matches(self.uri, uri)
    }

    /// The suggestions for `variable`; `None` when the template has no such variable.
    pub(crate) fn suggestions(&self, variable: &str) -> Option<Suggestions> {
        let known = uri::variables(self.uri).any(|name| name == variable);
        let found = self.suggestions.iter().find(|(name, _)| *name == variable).map(|(_, found)| *found);
        known.then(|| found.unwrap_or(Suggestions::None))
    }
}
