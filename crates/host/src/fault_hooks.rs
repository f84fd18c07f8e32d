//! Hooks through which faults break the host from outside. Nothing but `check host --fault` and tests uses them.

use std::fmt;

use http::HeaderMap;
use serde_json::Value;

/// Changes what the host does, from outside. Every method leaves it as it is unless it is overridden.
pub trait FaultHooks: fmt::Debug + Send + Sync {
    /// The headers of the document that a View runs in.
    fn change_view_headers(&self, headers: &mut HeaderMap) {
        let _ = headers;
    }

    /// The headers of the sandbox proxy between the page and a View.
    fn change_proxy_headers(&self, headers: &mut HeaderMap) {
        let _ = headers;
    }

    /// The headers of the host's page.
    fn change_page_headers(&self, headers: &mut HeaderMap) {
        let _ = headers;
    }

    /// What a server gave for a resource, before it is looked at.
    fn change_content(&self, result: &mut Value) {
        let _ = result;
    }

    /// The capabilities that the host declares to servers.
    fn change_capabilities(&self, capabilities: &mut Value) {
        let _ = capabilities;
    }
}
