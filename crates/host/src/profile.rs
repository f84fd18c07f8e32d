//! Host profiles: what the hosts of others can do, as dated data.

use protocol::apps::Permission;
use serde::Deserialize;
use serde_json::Value;

use crate::Error;

/// The profile that does exactly what the specification says.
pub(crate) const STRICT: &str = "strict";

/// The files, by name.
const FILES: &[(&str, &str)] = &[("strict", include_str!("../profiles/strict.json"))];

/// How a host behaves.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Its name, as it is chosen.
    pub name: String,
    /// All of it, for the page.
    pub data: Value,
    /// The `sandbox` attribute of a view's frame.
    pub(crate) sandbox: String,
    /// Sources that the host adds to a view's policy.
    pub(crate) csp_extra: Vec<(String, Vec<String>)>,
    /// Permissions that the host never grants.
    pub(crate) denied: Vec<Permission>,
    /// Whether views find the bridge of the OpenAI Apps SDK.
    pub(crate) openai: bool,
}

/// What of a file is read here.
#[derive(Deserialize)]
struct File {
    name: String,
    #[serde(default)]
    sandbox: Sandbox,
    #[serde(default)]
    csp: CspPart,
    #[serde(default)]
    openai: Value,
}

#[derive(Deserialize)]
#[serde(default)]
struct Sandbox {
    view: String,
    denied: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CspPart {
    extra: std::collections::BTreeMap<String, Vec<String>>,
}

impl Default for Sandbox {
    /// A view has an origin of its own that nothing else is served from, so it may keep it.
    fn default() -> Self {
        Self { view: "allow-scripts allow-same-origin allow-forms".to_owned(), denied: Vec::new() }
    }
}

/// All profiles, the strict one first.
pub fn profiles() -> Result<Vec<Profile>, Error> {
    FILES.iter().map(|(name, text)| read(name, text)).collect()
}

/// The profile of that name.
pub(crate) fn named(name: &str) -> Result<Profile, Error> {
    match FILES.iter().find(|(known, _)| *known == name) {
        Some((name, text)) => read(name, text),
        None => {
            let known: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
            Err(Error::NoProfile { name: name.to_owned(), known: known.join(", ") })
        }
    }
}

fn read(name: &'static str, text: &str) -> Result<Profile, Error> {
    let bad = |why| Error::BadProfile { name, why };
    let data: Value = serde_json::from_str(text).map_err(bad)?;
    let file: File = serde_json::from_value(data.clone()).map_err(bad)?;
    let is_denied = |permission: &Permission| file.sandbox.denied.iter().any(|key| key == permission.key());
    Ok(Profile {
        name: file.name,
        sandbox: file.sandbox.view.clone(),
        csp_extra: file.csp.extra.into_iter().collect(),
        denied: Permission::ALL.into_iter().filter(is_denied).collect(),
        openai: !matches!(file.openai, Value::Null | Value::Bool(false)),
        data,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_can_be_read_and_says_where_it_is_from() {
        for profile in profiles().unwrap() {
            let data = &profile.data;
            assert!(data["title"].is_string() && data["date"].is_string(), "{}", profile.name);
            assert!(
                data["sources"].as_array().is_some_and(|sources| !sources.is_empty()),
                "{}",
                profile.name
            );
            assert!(FILES.iter().any(|(name, _)| *name == profile.name));
            assert!(data["capabilities"].is_object() && data["context"].is_object(), "{}", profile.name);
        }
    }

    #[test]
    fn an_unknown_name_is_told_what_there_is() {
        assert!(named("nobody").unwrap_err().to_string().contains("strict"));
    }
}
