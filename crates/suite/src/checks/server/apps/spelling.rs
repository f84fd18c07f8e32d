//! Finds members whose names differ from those of MCP Apps only in their spelling. Unknown members are left alone.

use protocol::apps::LEGACY_RESOURCE_URI;
use serde_json::Value;

/// The members that something has, and names by which people mean them.
struct Vocabulary {
    known: &'static [&'static str],
    meant: &'static [(&'static str, &'static str)],
}

const TOOL: Vocabulary = Vocabulary {
    known: &["resourceUri", "visibility"],
    meant: &[
        ("resource", "resourceUri"),
        ("uri", "resourceUri"),
        ("resourceurl", "resourceUri"),
        ("visible", "visibility"),
    ],
};

const RESOURCE: Vocabulary = Vocabulary {
    known: &["csp", "permissions", "domain", "prefersBorder"],
    meant: &[
        ("contentsecuritypolicy", "csp"),
        ("border", "prefersBorder"),
        ("preferborder", "prefersBorder"),
        ("domains", "domain"),
    ],
};

const CSP: Vocabulary = Vocabulary {
    known: &["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"],
    meant: &[
        ("connect", "connectDomains"),
        ("connectsrc", "connectDomains"),
        ("resource", "resourceDomains"),
        ("resources", "resourceDomains"),
        ("resourcesrc", "resourceDomains"),
        ("scriptsrc", "resourceDomains"),
        ("stylesrc", "resourceDomains"),
        ("imgsrc", "resourceDomains"),
        ("frame", "frameDomains"),
        ("frames", "frameDomains"),
        ("framesrc", "frameDomains"),
        ("baseuri", "baseUriDomains"),
        ("baseuris", "baseUriDomains"),
    ],
};

const PERMISSIONS: Vocabulary =
    Vocabulary { known: &["camera", "microphone", "geolocation", "clipboardWrite"], meant: &[] };

/// The first misspelt member of a tool's UI metadata: where it is, and what is meant.
pub(super) fn of_tool(tool: &Value) -> Option<String> {
    let meta = &tool["_meta"];
    of_meta(meta).or_else(|| TOOL.misspelt(&meta["ui"], "_meta.ui"))
}

/// The same for a listed resource or a content.
pub(super) fn of_resource(item: &Value) -> Option<String> {
    let meta = &item["_meta"];
    let ui = &meta["ui"];
    of_meta(meta)
        .or_else(|| RESOURCE.misspelt(ui, "_meta.ui"))
        .or_else(|| CSP.misspelt(&ui["csp"], "_meta.ui.csp"))
        .or_else(|| PERMISSIONS.misspelt(&ui["permissions"], "_meta.ui.permissions"))
}

/// The key of the extension itself.
fn of_meta(meta: &Value) -> Option<String> {
    let mut keys = meta.as_object()?.keys();
    keys.find_map(|key| {
        let meant = ["ui", LEGACY_RESOURCE_URI]
            .into_iter()
            .find(|known| key.eq_ignore_ascii_case(known) && key != known);
        meant.map(|meant| format!("_meta has {key:?}, which is meant as {meant:?}"))
    })
}

impl Vocabulary {
    /// The first member that is meant as one which is not there.
    fn misspelt(&self, object: &Value, at: &str) -> Option<String> {
        let members = object.as_object()?;
        members.keys().find_map(|key| {
            let meant = self.meant_by(key).filter(|meant| !members.contains_key(*meant))?;
            Some(format!("{at} has {key:?}, which is meant as {meant:?}"))
        })
    }

    fn meant_by(&self, key: &str) -> Option<&'static str> {
        if self.known.contains(&key) {
            return None;
        }
        let plain = plain(key);
        let meant = self.meant.iter().find(|(name, _)| *name == plain).map(|(_, meant)| *meant);
        meant.or_else(|| self.known.iter().copied().find(|known| is_near(&plain, &self::plain(known))))
    }
}

/// The name without case, hyphens and underscores.
fn plain(key: &str) -> String {
    key.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

/// Whether two names differ by a typing mistake at most; short ones have to be the same.
fn is_near(one: &str, two: &str) -> bool {
    let room = if two.len() < 6 { 0 } else { (two.len() / 4).min(2) };
    distance(one.as_bytes(), two.as_bytes()) <= room
}

/// How many letters have to be inserted, removed or changed.
fn distance(one: &[u8], two: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, b) in two.iter().enumerate() {
            let changed = corner + usize::from(a != b);
            corner = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(corner + 1);
        }
    }
    row[two.len()]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn misspelt_members_are_recognised() {
        for (ui, meant) in [
            (json!({ "csp": { "connectdomains": [] } }), "connectDomains"),
            (json!({ "csp": { "connect": [] } }), "connectDomains"),
            (json!({ "csp": { "resource_domains": [] } }), "resourceDomains"),
            (json!({ "csp": { "frame-src": [] } }), "frameDomains"),
            (json!({ "CSP": {} }), "csp"),
            (json!({ "permission": {} }), "permissions"),
            (json!({ "prefersborder": true }), "prefersBorder"),
            (json!({ "permissions": { "clipboard-write": {} } }), "clipboardWrite"),
        ] {
            let said = of_resource(&json!({ "_meta": { "ui": ui } })).unwrap();
            assert!(said.ends_with(&format!("{meant:?}")), "{said}");
        }
        let said = of_tool(&json!({ "_meta": { "ui": { "resourceURI": "ui://a" } } })).unwrap();
        assert!(said.ends_with("\"resourceUri\""), "{said}");
        assert!(of_tool(&json!({ "_meta": { "UI": {} } })).is_some());
    }

    #[test]
    fn other_members_are_nobodys_business() {
        let ui = json!({ "csp": { "wasmUnsafeEval": true, "connectDomains": [] }, "theme": "dark", "domain": "x", "domains": ["x"] });
        assert_eq!(of_resource(&json!({ "_meta": { "ui": ui, "example.com/ui": 1 } })), None);
        assert_eq!(of_tool(&json!({ "_meta": { "ui": { "resourceUri": "ui://a", "csp": {} } } })), None);
    }
}
