//! Host profiles: what the hosts of others can do, as dated data. `profiles/README.md` tells what a file may say.

#[cfg(test)]
mod tests;

use protocol::apps::Permission;
use serde::Deserialize;
use serde_json::Value;

use crate::Error;

/// The profile that does exactly what the specification says.
pub(crate) const STRICT: &str = "strict";

/// The files, by name.
const FILES: &[(&str, &str)] = &[
    ("strict", include_str!("../profiles/strict.json")),
    ("minimal", include_str!("../profiles/minimal.json")),
    ("claude", include_str!("../profiles/claude.json")),
    ("chatgpt", include_str!("../profiles/chatgpt.json")),
    ("vscode", include_str!("../profiles/vscode.json")),
    ("goose", include_str!("../profiles/goose.json")),
    ("mistral", include_str!("../profiles/mistral.json")),
    ("cursor", include_str!("../profiles/cursor.json")),
    ("copilot", include_str!("../profiles/copilot.json")),
    ("slack", include_str!("../profiles/slack.json")),
    ("codex", include_str!("../profiles/codex.json")),
];

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
    /// Lists of a resource's policy that the host does not heed.
    pub(crate) csp_ignored: Vec<CspList>,
    /// Permissions that the host never grants.
    pub(crate) denied: Vec<Permission>,
    /// What the host has of the OpenAI Apps SDK, if anything.
    pub(crate) openai: Option<Openai>,
}

/// What a host has of the OpenAI Apps SDK.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Openai {
    /// The functions of `window.openai`.
    #[serde(default)]
    pub(crate) methods: Vec<String>,
    /// The metadata that the host does not heed.
    #[serde(default)]
    unread: Vec<String>,
}

/// A list of `_meta.ui.csp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::enum_variant_names, reason = "these are the names in the metadata")]
pub(crate) enum CspList {
    /// For network requests.
    ConnectDomains,
    /// For scripts, styles, images, fonts and media.
    ResourceDomains,
    /// For nested frames.
    FrameDomains,
    /// For the base URI of the document.
    BaseUriDomains,
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
    openai: Bridge,
}

/// `false`, or what there is.
#[derive(Deserialize)]
#[serde(untagged)]
enum Bridge {
    Has(Openai),
    Is(bool),
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
    ignored: Vec<CspList>,
}

impl Default for Bridge {
    fn default() -> Self {
        Self::Is(false)
    }
}

impl Openai {
    /// Whether the host heeds that metadata.
    pub(crate) fn reads(&self, key: &str) -> bool {
        !self.unread.iter().any(|unread| unread == key)
    }
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
        csp_ignored: file.csp.ignored,
        denied: Permission::ALL.into_iter().filter(is_denied).collect(),
        openai: match file.openai {
            Bridge::Has(openai) => Some(openai),
            Bridge::Is(true) => Some(Openai::default()),
            Bridge::Is(false) => None,
        },
        data,
    })
}
