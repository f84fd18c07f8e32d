//! Faults of how the host takes documents from servers, what it declares to them, and the policy that Views run under.

use std::sync::Arc;

use host::FaultHooks;
use http::header::{CONTENT_SECURITY_POLICY, HeaderMap, HeaderValue};
use serde_json::{Value, json};

use super::{HostFault, in_host};

/// Every fault of documents.
pub(super) const FAULTS: &[&HostFault] = &[
    &NO_POLICY,
    &EVAL_ALLOWED,
    &PICTURES_FORBIDDEN,
    &DECLARED_IGNORED,
    &CONNECTIONS_OPEN,
    &FRAMES_OPEN,
    &OBJECTS_OPEN,
    &BASE_OPEN,
    &DOMAINS_SPLIT,
    &BLOB_IGNORED,
    &TYPE_IGNORED,
    &MIME_TYPES_MISSING,
    &SIDE_WAYS_OPEN,
];

/// Changes the policy of Views as a text.
#[derive(Debug)]
struct PolicyChange(fn(&str) -> String);

impl FaultHooks for PolicyChange {
    fn change_view_headers(&self, headers: &mut HeaderMap) {
        let Some(policy) = headers.get(CONTENT_SECURITY_POLICY).and_then(|it| it.to_str().ok()) else {
            return;
        };
        let Ok(changed) = HeaderValue::from_str(&self.0(policy)) else { return };
        // Otherwise the browser would block it all the same.
        headers.remove("connection-allowlist");
        headers.insert(CONTENT_SECURITY_POLICY, changed);
    }
}

/// Changes what a server gave for a resource.
#[derive(Debug)]
struct ContentChange(fn(&mut Value));

impl FaultHooks for ContentChange {
    fn change_content(&self, result: &mut Value) {
        for content in result["contents"].as_array_mut().into_iter().flatten() {
            self.0(content);
        }
    }
}

/// Changes what the host declares.
#[derive(Debug)]
struct DeclaredChange(fn(&mut Value));

impl FaultHooks for DeclaredChange {
    fn change_capabilities(&self, capabilities: &mut Value) {
        self.0(capabilities);
    }
}

/// The policy with the sources of one directive replaced.
fn with_sources(policy: &str, directive: &str, sources: &str) -> String {
    let parts = policy.split("; ").map(|part| match part.split(' ').next() == Some(directive) {
        true => format!("{directive} {sources}"),
        false => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("; ")
}

/// Whether the View of this policy declared something.
fn has_origins(policy: &str) -> bool {
    policy.contains("connect-src http")
}

/// Views run under no policy.
pub const NO_POLICY: HostFault = in_host("host-no-policy", "Views run under no policy", || {
    Arc::new(PolicyChange(|_| "frame-ancestors *".to_owned()))
});

/// Views may make code of text.
pub const EVAL_ALLOWED: HostFault = in_host("host-eval-allowed", "Views may make code of text", || {
    Arc::new(PolicyChange(|policy| {
        with_sources(policy, "script-src", "'self' 'unsafe-inline' 'unsafe-eval'")
    }))
});

/// Views may show no pictures.
pub const PICTURES_FORBIDDEN: HostFault =
    in_host("host-pictures-forbidden", "Views may not even show pictures of their own", || {
        Arc::new(PolicyChange(|policy| with_sources(policy, "img-src", "'none'")))
    });

/// The host ignores what is declared.
pub const DECLARED_IGNORED: HostFault =
    in_host("host-declared-ignored", "declared origins stay closed", || {
        Arc::new(PolicyChange(|policy| with_sources(policy, "connect-src", "'none'")))
    });

/// A View that declares one origin reaches all of them.
pub const CONNECTIONS_OPEN: HostFault =
    in_host("host-connections-open", "a View that declares one origin reaches all of them", || {
        Arc::new(PolicyChange(|policy| match has_origins(policy) {
            true => with_sources(policy, "connect-src", "*"),
            false => policy.to_owned(),
        }))
    });

/// Views may show frames from anywhere.
pub const FRAMES_OPEN: HostFault = in_host("host-frames-open", "Views may show frames from anywhere", || {
    Arc::new(PolicyChange(|policy| with_sources(policy, "frame-src", "*")))
});

/// Views may embed objects.
pub const OBJECTS_OPEN: HostFault =
    in_host("host-objects-open", "Views may embed objects from anywhere", || {
        Arc::new(PolicyChange(|policy| with_sources(policy, "object-src", "*")))
    });

/// Views may change their base.
pub const BASE_OPEN: HostFault = in_host("host-base-open", "Views may have any base", || {
    Arc::new(PolicyChange(|policy| with_sources(policy, "base-uri", "*")))
});

/// Declared domains are pasted into the policy as they are.
pub const DOMAINS_SPLIT: HostFault =
    in_host("host-domains-split", "declared domains are pasted into the policy as they are", || {
        Arc::new(ContentChange(|content| {
            let Some(lists) = content["_meta"]["ui"]["csp"].as_object_mut() else { return };
            for list in lists.values_mut() {
                let words = list.as_array().into_iter().flatten().filter_map(Value::as_str);
                let words = words.flat_map(|word| word.split([' ', ';', ',', '\n']));
                *list = words.filter(|word| word.starts_with("http")).map(Value::from).collect();
            }
        }))
    });

/// Documents in base64 are not shown.
pub const BLOB_IGNORED: HostFault = in_host("host-blob-ignored", "documents in base64 are not shown", || {
    Arc::new(ContentChange(|content| drop(content.as_object_mut().and_then(|it| it.shift_remove("blob")))))
});

/// The media type is not looked at.
pub const TYPE_IGNORED: HostFault = in_host("host-type-ignored", "the media type is not looked at", || {
    Arc::new(ContentChange(|content| content["mimeType"] = "text/html;profile=mcp-app".into()))
});

/// The extension is declared without media types.
pub const MIME_TYPES_MISSING: HostFault =
    in_host("host-mime-types-missing", "the extension is declared without media types", || {
        Arc::new(DeclaredChange(|capabilities| {
            capabilities["extensions"]["io.modelcontextprotocol/ui"] = json!({});
        }))
    });

/// Ways to the network that a policy does not govern are open.
pub const SIDE_WAYS_OPEN: HostFault =
    in_host("host-side-ways-open", "WebRTC and hints to the browser reach any host", || {
        Arc::new(PolicyChange(str::to_owned))
    });
