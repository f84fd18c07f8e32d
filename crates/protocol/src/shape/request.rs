//! The params of requests, whoever sends them.

use serde_json::{Map, Value};

use super::{Inexpressible, Shape, VersionedMember, with};
use crate::meta::CLIENT_CAPABILITIES;
use crate::{Span, Version};

const ANY: &[VersionedMember] = &[
    ("task", Span::only(Version::V2025_11_25)),
    ("inputResponses", Span::MODERN),
    ("requestState", Span::MODERN),
];
const COMPLETE: &[VersionedMember] = &[("context", Span::since(Version::V2025_06_18))];
const PROMPT_REFERENCE: &[VersionedMember] = &[("title", Span::since(Version::V2025_06_18))];

impl Shape {
    /// Shapes the params of a request.
    ///
    /// Members that only 2026-07-28 requires (the fields of `_meta`) are not made up here; they are the sender's own.
    pub fn request(self, method: &str, params: &mut Value) -> Result<(), Inexpressible> {
        self.row(method)?;
        let Some(params) = params.as_object_mut() else { return Ok(()) };
        match method {
            "initialize" => {
                with(params, "capabilities", |fields| self.client_capabilities(fields));
                with(params, "clientInfo", |fields| self.implementation(fields));
            }
            "completion/complete" => {
                self.strip(params, COMPLETE);
                with(params, "ref", |reference| self.strip(reference, PROMPT_REFERENCE));
            }
            "sampling/createMessage" => self.sampling(params),
            "elicitation/create" => self.elicitation(params)?,
            _ => (),
        }
        self.request_members(method, params);
        self.message_meta(params);
        with(params, "_meta", |meta| {
            with(meta, CLIENT_CAPABILITIES, |fields| self.client_capabilities(fields));
        });
        Ok(())
    }

    /// The answers to input requests are members of the tasks extension too, where they stay.
    fn request_members(self, method: &str, params: &mut Map<String, Value>) {
        if method != "tasks/update" {
            self.strip(params, ANY);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shaped(method: &str, version: Version, mut params: Value) -> Value {
        Shape::to(version).request(method, &mut params).unwrap();
        params
    }

    #[test]
    fn calls_lose_what_their_revision_does_not_have() {
        let params = json!({"name": "t", "task": {"ttl": 1}, "inputResponses": {}, "requestState": "s"});
        let at = |version| shaped("tools/call", version, params.clone());
        assert_eq!(at(Version::V2025_06_18), json!({"name": "t"}));
        assert_eq!(at(Version::V2025_11_25), json!({"name": "t", "task": {"ttl": 1}}));
        assert_eq!(at(Version::V2026_07_28), json!({"name": "t", "inputResponses": {}, "requestState": "s"}));
    }

    #[test]
    fn modern_meta_leaves_older_requests() {
        let params = json!({"_meta": {
            "progressToken": 1,
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {},
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/logLevel": "info",
        }});
        let older = shaped("tools/list", Version::V2025_11_25, params.clone());
        assert_eq!(older, json!({"_meta": {"progressToken": 1}}));
        assert_eq!(shaped("tools/list", Version::V2026_07_28, params.clone()), params);
    }

    #[test]
    fn completions_had_no_context_at_first() {
        let params = json!({
            "ref": {"type": "ref/prompt", "name": "p", "title": "P"},
            "argument": {"name": "a", "value": "v"},
            "context": {"arguments": {}},
        });
        let march = shaped("completion/complete", Version::V2025_03_26, params.clone());
        assert_eq!(
            march,
            json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": "v"}})
        );
        assert_eq!(shaped("completion/complete", Version::V2025_06_18, params.clone()), params);
    }

    #[test]
    fn clients_are_described_as_their_revision_has_it() {
        let params =
            json!({"clientInfo": {"name": "c", "version": "1", "title": "C", "websiteUrl": "https://a"}});
        let march = shaped("initialize", Version::V2025_03_26, params.clone());
        assert_eq!(march, json!({"clientInfo": {"name": "c", "version": "1"}}));
        assert_eq!(shaped("initialize", Version::V2025_11_25, params.clone()), params);
    }

    #[test]
    fn requests_of_other_revisions_do_not_fit() {
        assert!(Shape::to(Version::V2026_07_28).request("initialize", &mut json!({})).is_err());
        assert!(Shape::to(Version::V2025_03_26).request("elicitation/create", &mut json!({})).is_err());
    }
}
