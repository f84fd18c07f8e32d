//! The members of a line, which are parsed on demand.

use serde_json::Value;
use serde_json::value::RawValue;

/// The members of one line.
#[derive(Debug)]
pub(super) struct Fields<'a>(Vec<(std::borrow::Cow<'a, str>, &'a RawValue)>);

impl<'a> Fields<'a> {
    /// The members of the object in `line`.
    pub(super) fn parse(line: &'a str) -> Result<Self, String> {
        let raw: &RawValue = serde_json::from_str(line)
            .map_err(|why| format!("not JSON ({why}); every line is one object"))?;
        crate::members(raw).map(Self).ok_or_else(|| "no JSON object; every line is one".to_owned())
    }

    /// A member, unless it is `null`.
    pub(super) fn get(&self, name: &str) -> Option<&'a RawValue> {
        let found = self.0.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, raw)| *raw).filter(|raw| raw.get() != "null")
    }

    /// A member that has to be a string, if it is there.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, String> {
        let Some(raw) = self.get(name) else { return Ok(None) };
        let text = crate::text(raw).ok_or_else(|| format!("`{name}` is not a string"))?;
        Ok(Some(text.into_owned()))
    }

    /// A member that is a string; one that is not counts as absent.
    pub(super) fn word(&self, name: &str) -> Option<String> {
        self.get(name).and_then(crate::text).map(Into::into)
    }

    /// A member as a value; `null` when it is absent.
    pub(super) fn value(&self, name: &str) -> Result<Value, String> {
        let Some(raw) = self.get(name) else { return Ok(Value::Null) };
        serde_json::from_str(raw.get()).map_err(|why| format!("`{name}`: {why}"))
    }

    /// A member that names something: a string, or a number taken as one.
    pub(super) fn name(&self, name: &str) -> Result<Option<String>, String> {
        let Some(raw) = self.get(name) else { return Ok(None) };
        match (crate::text(raw), raw.get().as_bytes().first()) {
            (Some(text), _) => Ok(Some(text.into_owned())),
            (None, Some(b'-' | b'0'..=b'9')) => Ok(Some(raw.get().to_owned())),
            (None, _) => Err(format!("`{name}` is neither a string nor a number")),
        }
    }

    /// A member that is a number; anything else counts as absent.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.get(name).and_then(|raw| raw.get().parse().ok())
    }
}
