//! How a client presents itself: its name, its capabilities, and its answers to requests of the server.

mod form;

use std::fmt;
use std::sync::Arc;

use protocol::{Era, Version};
use serde_json::{Value, json};

/// How a client presents itself and answers.
#[derive(Clone)]
pub struct Profile {
    /// The client's `Implementation` object.
    pub info: Value,
    /// The capabilities that it declares. Each revision gets those that it knows.
    pub capabilities: Value,
    answer: Arc<Ask>,
}

/// A client's answer to a server's request.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A result.
    Result(Value),
    /// An error.
    Error {
        /// Its code.
        code: i64,
        /// Its message.
        message: String,
    },
    /// No answer, or one that the caller sends later with [`Session::respond`](super::Session::respond).
    Silence,
}

/// A request of a server, as it arrives.
#[derive(Clone, Copy, Debug)]
pub struct ServerRequest<'a> {
    /// Its id, as JSON text.
    pub id: &'a str,
    /// Its method.
    pub method: &'a str,
    /// Its parameters; null when it has none.
    pub params: &'a Value,
}

type Ask = dyn Fn(&ServerRequest<'_>) -> Answer + Send + Sync;

impl Profile {
    /// A client with no capabilities, which answers nothing but `ping`.
    pub fn bare() -> Self {
        Self {
            info: info(),
            capabilities: json!({}),
            answer: Arc::new(|request| answer_ping_only(request.method)),
        }
    }

    /// The same client with other capabilities.
    #[must_use]
    pub fn with_capabilities(mut self, capabilities: Value) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// The same client with other answers: a function of method and parameters.
    #[must_use]
    pub fn answering(self, answer: impl Fn(&str, &Value) -> Answer + Send + Sync + 'static) -> Self {
        self.answering_requests(move |request| answer(request.method, request.params))
    }

    /// The same, with a function that also gets the id of the request, to answer it later.
    #[must_use]
    pub fn answering_requests(
        mut self,
        answer: impl Fn(&ServerRequest<'_>) -> Answer + Send + Sync + 'static,
    ) -> Self {
        self.answer = Arc::new(answer);
        self
    }

    /// The client's answer to a request with an id.
    pub(crate) fn answer_request(&self, request: &ServerRequest<'_>) -> Answer {
        (self.answer)(request)
    }

    /// The client's answer to a request without an id, as in the modern era.
    pub fn answer(&self, method: &str, params: &Value) -> Answer {
        self.answer_request(&ServerRequest { id: "null", method, params })
    }

    /// The capabilities that `version` knows. Later ones are left out.
    pub fn capabilities_in(&self, version: Version) -> Value {
        let mut shown = self.capabilities.clone();
        let Some(all) = shown.as_object_mut() else { return shown };
        if version < Version::V2025_06_18 {
            all.shift_remove("elicitation");
        }
        if version < Version::V2025_11_25 {
            for older in ["elicitation", "sampling"] {
                if let Some(Value::Object(modes)) = all.get_mut(older) {
                    modes.clear();
                }
            }
        }
        if version != Version::V2025_11_25 {
            all.shift_remove("tasks");
        }
        if version.era() == Era::Modern
            && let Some(Value::Object(roots)) = all.get_mut("roots")
        {
            roots.shift_remove("listChanged");
        }
        shown
    }
}

/// A client that declares and answers roots, sampling, elicitation in both modes, and shows MCP Apps.
impl Default for Profile {
    fn default() -> Self {
        Self {
            info: info(),
            capabilities: json!({
                "roots": { "listChanged": true },
                "sampling": {},
                "elicitation": { "form": {}, "url": {} },
                "extensions": { "io.modelcontextprotocol/ui": { "mimeTypes": ["text/html;profile=mcp-app"] } },
            }),
            answer: Arc::new(|request| answer_all(request.method, request.params)),
        }
    }
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profile")
            .field("info", &self.info)
            .field("capabilities", &self.capabilities)
            .finish_non_exhaustive()
    }
}

fn info() -> Value {
    json!({ "name": "yardstick", "version": env!("CARGO_PKG_VERSION") })
}

/// Answers every request that the default profile invites.
fn answer_all(method: &str, params: &Value) -> Answer {
    match method {
        "roots/list" => {
            Answer::Result(json!({ "roots": [{ "uri": "file:///yardstick/root", "name": "yardstick" }] }))
        }
        "sampling/createMessage" => Answer::Result(json!({
            "role": "assistant",
            "content": { "type": "text", "text": "This is a fixed answer of the tester." },
            "model": "yardstick",
            "stopReason": "endTurn",
        })),
        "elicitation/create" => match params.get("mode").and_then(Value::as_str) {
            Some("url") => Answer::Result(json!({ "action": "accept" })),
            _ => Answer::Result(
                json!({ "action": "accept", "content": form::fill(&params["requestedSchema"]) }),
            ),
        },
        _ => answer_ping_only(method),
    }
}

/// Answers `ping` alone.
fn answer_ping_only(method: &str) -> Answer {
    match method {
        "ping" => Answer::Result(json!({})),
        _ => Answer::Error { code: -32601, message: format!("this client has no method {method}") },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_revision_sees_only_what_it_knows() {
        let profile = Profile::default();
        let keys = |version| {
            let shown = profile.capabilities_in(version);
            shown.as_object().unwrap().keys().cloned().collect::<Vec<_>>()
        };
        assert_eq!(keys(Version::V2024_11_05), ["roots", "sampling", "extensions"]);
        assert_eq!(keys(Version::V2025_06_18), ["roots", "sampling", "elicitation", "extensions"]);
        assert_eq!(profile.capabilities_in(Version::V2025_06_18)["elicitation"], json!({}));
        assert_eq!(
            profile.capabilities_in(Version::V2025_11_25)["elicitation"],
            json!({"form": {}, "url": {}})
        );
        assert_eq!(profile.capabilities_in(Version::V2026_07_28)["roots"], json!({}));
    }

    #[test]
    fn a_bare_client_answers_ping_alone() {
        let bare = Profile::bare();
        assert_eq!(bare.answer("ping", &Value::Null), Answer::Result(json!({})));
        assert!(matches!(bare.answer("roots/list", &Value::Null), Answer::Error { code: -32601, .. }));
    }

    #[test]
    fn a_url_is_accepted_without_content() {
        let answer =
            Profile::default().answer("elicitation/create", &json!({"mode": "url", "url": "https://x/"}));
        assert_eq!(answer, Answer::Result(json!({"action": "accept"})));
    }
}
