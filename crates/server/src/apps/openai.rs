//! The metadata of OpenAI's Apps SDK, for clients that want it in addition to the standard's.
//!
//! A client asks for it in either of two ways: a key that begins with `openai/` among the `experimental` capabilities
//! that it declares (ChatGPT declares `openai/visibility`), or such a key in the `_meta` of a request, that of the
//! handshake included. Both only add metadata for a client that shows MCP Apps: the apps use the standard's bridge, so
//! a host that has not negotiated it cannot run them.

use protocol::apps::ResourceUi;
use protocol::apps::openai::{WIDGET_DESCRIPTION, resource_meta};
use serde_json::{Map, Value};

use crate::client::Client;

/// The prefix of the keys of the Apps SDK.
pub(super) const PREFIX: &str = "openai/";

/// The origin that the widgets ask for.
const DOMAIN: &str = "https://yardstick.example";

/// Whether the client asked for this metadata.
pub(super) fn is_wanted(client: &Client) -> bool {
    let declared = client.capabilities.get("experimental").and_then(Value::as_object);
    let declares = |experimental: &Map<String, Value>| {
        experimental.iter().any(|(key, settings)| key.starts_with(PREFIX) && is_on(settings))
    };
    client.hints.openai || declared.is_some_and(declares)
}

/// The metadata of a UI resource in the keys of the Apps SDK.
pub(super) fn write_resource_meta(ui: ResourceUi, description: &str) -> Map<String, Value> {
    // OpenAI's review requires an explicit policy, even an empty one.
    let csp = Some(ui.csp.unwrap_or_default());
    let (mut meta, _) = resource_meta(&ResourceUi { csp, domain: Some(DOMAIN.to_owned()), ..ui });
    meta.insert(WIDGET_DESCRIPTION.to_owned(), description.into());
    meta
}

fn is_on(settings: &Value) -> bool {
    settings.is_object() && settings.get("enabled") != Some(&Value::Bool(false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Era;
    use serde_json::json;

    fn wanted(experimental: &Value) -> bool {
        is_wanted(&Client {
            version: Era::Modern.newest(),
            capabilities: json!({ "experimental": experimental }).into(),
            log_level: None,
            hints: super::super::Hints::default(),
        })
    }

    #[test]
    fn an_experimental_capability_asks() {
        assert!(wanted(&json!({ "openai/visibility": { "enabled": true } })));
        assert!(wanted(&json!({ "openai/anything": {} })));
    }

    #[test]
    fn other_capabilities_do_not() {
        for experimental in [
            json!({}),
            json!("openai/visibility"),
            json!({ "openai/visibility": { "enabled": false } }),
            json!({ "openai/visibility": true }),
            json!({ "example.com/openai/": {} }),
        ] {
            assert!(!wanted(&experimental), "{experimental}");
        }
    }
}
