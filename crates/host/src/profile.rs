//! Host profiles: dated data about what other hosts can do. `profiles/README.md` describes the format.

#[cfg(test)]
mod tests;

use protocol::apps::Permission;
use serde::Deserialize;
use serde_json::Value;

use crate::Error;

/// The name of the profile that follows the specification exactly.
pub(crate) const STRICT: &str = "strict";

/// The profile files by name.
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

/// How one host behaves.
#[derive(Clone, Debug)]
pub struct HostProfile {
    /// The name by which the profile is chosen.
    pub name: String,
    /// The whole file, for the page.
    pub data: Value,
    /// The `sandbox` attribute of the View's frame.
    pub(crate) sandbox: String,
    /// Sources that the host adds to the View's content security policy.
    pub(crate) csp_extra: Vec<(String, Vec<String>)>,
    /// Lists in a resource's policy that the host ignores.
    pub(crate) csp_ignored: Vec<CspList>,
    /// Permissions that the host never grants.
    pub(crate) denied: Vec<Permission>,
    /// The host's support for the OpenAI Apps SDK, if any.
    pub(crate) openai: Option<Openai>,
}

/// A host's support for the OpenAI Apps SDK.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Openai {
    /// The functions that `window.openai` has.
    #[serde(default)]
    pub(crate) methods: Vec<String>,
    /// The metadata that the host ignores.
    #[serde(default)]
    unread: Vec<String>,
}

/// A list of `_meta.ui.csp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::enum_variant_names, reason = "these are the names in the metadata")]
pub(crate) enum CspList {
    /// Hosts for network requests.
    ConnectDomains,
    /// Hosts for scripts, styles, images, fonts and media.
    ResourceDomains,
    /// Hosts for nested frames.
    FrameDomains,
    /// Hosts for the base URI of the document.
    BaseUriDomains,
}

/// The fields of a file that Rust code uses; the page uses the others.
#[derive(Deserialize)]
struct ProfileFile {
    name: String,
    #[serde(default)]
    sandbox: SandboxTokens,
    #[serde(default)]
    csp: CspPart,
    #[serde(default)]
    openai: OpenaiBridge,
}

/// Either `false` or the value.
#[derive(Deserialize)]
#[serde(untagged)]
enum OpenaiBridge {
    Has(Openai),
    Is(bool),
}

#[derive(Deserialize)]
#[serde(default)]
struct SandboxTokens {
    view: String,
    denied: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CspPart {
    extra: std::collections::BTreeMap<String, Vec<String>>,
    ignored: Vec<CspList>,
}

impl Default for OpenaiBridge {
    fn default() -> Self {
        Self::Is(false)
    }
}

impl Openai {
    /// Whether the host uses that metadata.
    pub(crate) fn reads(&self, key: &str) -> bool {
        !self.unread.iter().any(|unread| unread == key)
    }
}

impl Default for SandboxTokens {
    /// Each View has an origin that serves nothing else, so `allow-same-origin` is safe.
    fn default() -> Self {
        Self { view: "allow-scripts allow-same-origin allow-forms".to_owned(), denied: Vec::new() }
    }
}

/// All profiles; the strict one is first.
pub fn profiles() -> Result<Vec<HostProfile>, Error> {
    FILES.iter().map(|(name, text)| parse(name, text)).collect()
}

/// The profile of that name.
pub(crate) fn named(name: &str) -> Result<HostProfile, Error> {
    match FILES.iter().find(|(known, _)| *known == name) {
        Some((name, text)) => parse(name, text),
        None => {
            let known: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
            Err(Error::NoProfile { name: name.to_owned(), known: known.join(", ") })
        }
    }
}

fn parse(name: &'static str, text: &str) -> Result<HostProfile, Error> {
    let bad = |why| Error::BadProfile { name, why };
    let data: Value = serde_json::from_str(text).map_err(bad)?;
    let file: ProfileFile = serde_json::from_value(data.clone()).map_err(bad)?;
    let is_denied = |permission: &Permission| file.sandbox.denied.iter().any(|key| key == permission.key());
    Ok(HostProfile {
        name: file.name,
        sandbox: file.sandbox.view.clone(),
        csp_extra: file.csp.extra.into_iter().collect(),
        csp_ignored: file.csp.ignored,
        denied: Permission::ALL.into_iter().filter(is_denied).collect(),
        openai: match file.openai {
            OpenaiBridge::Has(openai) => Some(openai),
            OpenaiBridge::Is(true) => Some(Openai::default()),
            OpenaiBridge::Is(false) => None,
        },
        data,
    })
}
