//! Makes a message fit a revision: what the revision does not have is taken out or said in text.
//!
//! Write messages as the newest revision has them and shape them for whoever reads. Order of members is kept. What
//! cannot be expressed at all is an error ([`Inexpressible`]), never a silent loss.
//!
//! `extensions` stays in the capabilities of every revision: only 2026-07-28 has it in its schema, but MCP Apps is
//! negotiated through it in any handshake. `_meta` on tools, resources and contents came with 2025-06-18 and goes
//! before that, unless an extension that lives in it was negotiated ([`Shape::keeping_item_meta`]).

mod capabilities;
mod content;
mod elicitation;
mod item;
mod request;
mod sampling;
mod tool;

use serde_json::{Map, Value, json};

use crate::meta::RESERVED_KEYS;
use crate::method::{self, Method, MethodKind};
use crate::{Era, Span, Version};

/// How messages look in one revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    version: Version,
    item_meta: bool,
}

/// Why a message cannot be expressed in a revision.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Inexpressible {
    /// The revision does not have the method.
    #[error("protocol {version} has no {method}")]
    NoSuchMethod {
        /// The method.
        method: &'static str,
        /// The revision.
        version: Version,
    },
    /// The result is an interim one, which the revision does not have.
    #[error("protocol {version} knows no result of type `{kind}`")]
    ResultType {
        /// The type of the result.
        kind: String,
        /// The revision.
        version: Version,
    },
    /// The revision cannot send a user to a URL.
    #[error("protocol {0} cannot ask its user to visit a URL")]
    UrlElicitation(Version),
    /// 2025-11-25 wants an `elicitationId` with a URL.
    #[error("protocol 2025-11-25 wants an elicitationId with a URL")]
    NoElicitationId,
    /// The revision has no form field for several choices.
    #[error("protocol {version} has no form field for several choices, such as `{field}`")]
    SeveralChoices {
        /// The field.
        field: String,
        /// The revision.
        version: Version,
    },
    /// Only 2025-11-25 can cancel something that is not a request.
    #[error("protocol {0} wants a requestId in a cancellation")]
    NoRequestId(Version),
}

/// A member of an object and the revisions that have it.
type VersionedMember = (&'static str, Span);

/// Members that every result may have in 2026-07-28, and none before.
const MODERN_RESULT: &[&str] = &["resultType", "ttlMs", "cacheScope"];
const PROGRESS: &[VersionedMember] = &[("message", Span::since(Version::V2025_03_26))];

impl Shape {
    /// The shape of `version`.
    pub const fn to(version: Version) -> Self {
        Self { version, item_meta: false }
    }

    /// The same, but `_meta` stays on tools, resources and contents, for a peer that negotiated MCP Apps.
    #[must_use]
    pub const fn keeping_item_meta(mut self) -> Self {
        self.item_meta = true;
        self
    }

    /// Shapes the result of `method`; a result for 2026-07-28 gets the members that it lacks there.
    pub fn result(self, method: &str, result: &mut Value) -> Result<(), Inexpressible> {
        let row = self.row(method)?;
        let Some(fields) = result.as_object_mut() else { return Ok(()) };
        self.result_type(row, fields)?;
        self.result_fields(method, fields);
        self.message_meta(fields);
        Ok(())
    }

    /// Shapes the params of a notification.
    pub fn notification(self, method: &str, params: &mut Value) -> Result<(), Inexpressible> {
        self.row(method)?;
        let Some(params) = params.as_object_mut() else { return Ok(()) };
        match method {
            "notifications/progress" => self.strip(params, PROGRESS),
            "notifications/cancelled" if !self.may_cancel(params) => {
                return Err(Inexpressible::NoRequestId(self.version));
            }
            _ => (),
        }
        self.message_meta(params);
        Ok(())
    }

    /// Only 2025-11-25 has cancellations without a request, meant for tasks.
    fn may_cancel(self, params: &Map<String, Value>) -> bool {
        self.version == Version::V2025_11_25 || params.contains_key("requestId")
    }

    fn result_type(self, row: Option<&Method>, result: &mut Map<String, Value>) -> Result<(), Inexpressible> {
        let kind = result.get("resultType").and_then(Value::as_str).unwrap_or("complete");
        let is_response = row.is_none_or(|row| row.kind == MethodKind::Request);
        match (self.version.era(), kind) {
            (Era::Legacy, "complete") => {
                MODERN_RESULT.iter().for_each(|name| drop(result.shift_remove(*name)));
            }
            (Era::Legacy, kind) => {
                return Err(Inexpressible::ResultType { kind: kind.to_owned(), version: self.version });
            }
            // The answer to an input request is not a response, and says nothing about itself.
            (Era::Modern, _) if !is_response => drop(result.shift_remove("resultType")),
            (Era::Modern, "complete") => complete(result, row.is_some_and(|row| row.cacheable(self.version))),
            (Era::Modern, _) => (),
        }
        Ok(())
    }

    fn result_fields(self, method: &str, result: &mut Map<String, Value>) {
        match method {
            "initialize" | "server/discover" => {
                with(result, "capabilities", |fields| self.server_capabilities(fields));
                with(result, "serverInfo", |fields| self.implementation(fields));
            }
            "tools/list" => each(result, "tools", |tool| self.tool(tool)),
            "tools/call" => self.call_result(result),
            "resources/list" => each(result, "resources", |resource| self.resource(resource)),
            "resources/templates/list" => {
                each(result, "resourceTemplates", |template| self.resource(template));
            }
            "resources/read" => each(result, "contents", |contents| self.resource_contents(contents)),
            "prompts/list" => each(result, "prompts", |prompt| self.prompt(prompt)),
            "prompts/get" => each(result, "messages", |message| {
                with_value(message, "content", |content| self.content(content));
            }),
            "roots/list" => each(result, "roots", |root| self.item_meta(root)),
            "sampling/createMessage" => self.sampling_result(result),
            "elicitation/create" => self.elicitation_result(result),
            _ => (),
        }
    }

    /// The method's row; a name that no revision has is somebody's own and passes.
    fn row(self, method: &str) -> Result<Option<&'static Method>, Inexpressible> {
        let rows = method::named(method);
        match (rows.iter().find(|row| row.span.contains(self.version)), rows.first()) {
            (None, Some(known)) => {
                Err(Inexpressible::NoSuchMethod { method: known.name, version: self.version })
            }
            (row, _) => Ok(row),
        }
    }

    fn has(self, since: Version) -> bool {
        self.version >= since
    }

    fn strip(self, object: &mut Map<String, Value>, fields: &[VersionedMember]) {
        for (name, _) in fields.iter().filter(|(_, span)| !span.contains(self.version)) {
            object.shift_remove(*name);
        }
    }

    /// `_meta` of a tool, resource, prompt or content.
    fn item_meta(self, item: &mut Map<String, Value>) {
        if !self.has(Version::V2025_06_18) && !self.item_meta {
            item.shift_remove("_meta");
        }
    }

    /// `_meta` of a message: the protocol's own keys belong to the revisions that define them.
    fn message_meta(self, message: &mut Map<String, Value>) {
        let Some(meta) = message.get_mut("_meta").and_then(Value::as_object_mut) else { return };
        let before = meta.len();
        let foreign =
            RESERVED_KEYS.iter().filter(|row| row.key.contains('/') && !row.span.contains(self.version));
        for row in foreign {
            meta.shift_remove(row.key);
        }
        if meta.is_empty() && before > 0 {
            message.shift_remove("_meta");
        }
    }
}

/// The members that a complete result of 2026-07-28 must have. "Not cached, and private" is always correct.
fn complete(result: &mut Map<String, Value>, cacheable: bool) {
    result.entry("resultType").or_insert_with(|| json!("complete"));
    if cacheable {
        result.entry("ttlMs").or_insert_with(|| json!(0));
        result.entry("cacheScope").or_insert_with(|| json!("private"));
    }
}

/// Runs `edit` on the object at `key`.
fn with(object: &mut Map<String, Value>, key: &str, edit: impl FnOnce(&mut Map<String, Value>)) {
    if let Some(inner) = object.get_mut(key).and_then(Value::as_object_mut) {
        edit(inner);
    }
}

/// Runs `edit` on the value at `key`.
fn with_value(object: &mut Map<String, Value>, key: &str, edit: impl FnOnce(&mut Value)) {
    if let Some(inner) = object.get_mut(key) {
        edit(inner);
    }
}

/// Runs `edit` on each object of the list at `key`.
fn each(object: &mut Map<String, Value>, key: &str, edit: impl Fn(&mut Map<String, Value>)) {
    let Some(list) = object.get_mut(key).and_then(Value::as_array_mut) else { return };
    list.iter_mut().filter_map(Value::as_object_mut).for_each(edit);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(method: &str, version: Version, mut value: Value) -> Value {
        Shape::to(version).result(method, &mut value).unwrap();
        value
    }

    #[test]
    fn modern_members_leave_older_results() {
        let value = json!({"resultType": "complete", "tools": [], "ttlMs": 5, "cacheScope": "public"});
        assert_eq!(result("tools/list", Version::V2025_11_25, value.clone()), json!({"tools": []}));
        assert_eq!(result("tools/list", Version::V2026_07_28, value.clone()), value);
    }

    #[test]
    fn modern_results_get_what_they_lack() {
        let list = result("tools/list", Version::V2026_07_28, json!({"tools": []}));
        assert_eq!(list, json!({"tools": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}));
        let call = result("tools/call", Version::V2026_07_28, json!({"content": []}));
        assert_eq!(call, json!({"content": [], "resultType": "complete"}), "calls are not cached");
        let mut asked = json!({"resultType": "input_required", "requestState": "s"});
        let before = asked.clone();
        Shape::to(Version::V2026_07_28).result("resources/read", &mut asked).unwrap();
        assert_eq!(asked, before, "an interim result is not cached");
    }

    #[test]
    fn answers_to_input_requests_are_no_responses() {
        let answer = json!({"action": "accept", "content": {}});
        assert_eq!(result("elicitation/create", Version::V2026_07_28, answer.clone()), answer);
        let typed = json!({"action": "cancel", "resultType": "complete"});
        assert_eq!(result("elicitation/create", Version::V2026_07_28, typed), json!({"action": "cancel"}));
    }

    #[test]
    fn interim_results_do_not_fit_older_revisions() {
        for kind in ["input_required", "task"] {
            let error =
                Shape::to(Version::V2025_11_25).result("tools/call", &mut json!({"resultType": kind}));
            assert_eq!(
                error,
                Err(Inexpressible::ResultType { kind: kind.into(), version: Version::V2025_11_25 })
            );
        }
    }

    #[test]
    fn methods_of_other_revisions_do_not_fit() {
        let error = Shape::to(Version::V2025_11_25).result("server/discover", &mut json!({})).unwrap_err();
        assert_eq!(error.to_string(), "protocol 2025-11-25 has no server/discover");
        assert!(
            Shape::to(Version::V2026_07_28)
                .notification("notifications/initialized", &mut json!({}))
                .is_err()
        );
        assert!(Shape::to(Version::V2026_07_28).result("vendor/own", &mut json!({})).is_ok());
    }

    #[test]
    fn reserved_meta_keys_stay_in_their_revisions() {
        let meta = json!({"_meta": {
            "io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"},
            "io.modelcontextprotocol/related-task": {"taskId": "t"},
            "com.example/own": 1,
            "traceparent": "x",
        }});
        let keys = |version| {
            let value = result("ping", version, meta.clone());
            value["_meta"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
        };
        assert_eq!(keys(Version::V2025_06_18), ["com.example/own", "traceparent"]);
        assert_eq!(
            keys(Version::V2025_11_25),
            ["io.modelcontextprotocol/related-task", "com.example/own", "traceparent"]
        );
        let only = json!({"_meta": {"io.modelcontextprotocol/serverInfo": {}}});
        assert_eq!(result("ping", Version::V2025_06_18, only), json!({}), "an emptied `_meta` goes");
        assert_eq!(result("ping", Version::V2025_06_18, json!({"_meta": {}})), json!({"_meta": {}}));
    }

    #[test]
    fn progress_had_no_message_at_first() {
        let shape = |version| {
            let mut params = json!({"progressToken": 1, "progress": 2, "message": "m"});
            Shape::to(version).notification("notifications/progress", &mut params).unwrap();
            params.get("message").is_some()
        };
        assert!(!shape(Version::V2024_11_05) && shape(Version::V2025_03_26));
    }

    #[test]
    fn subscription_ids_stay_in_the_modern_revision() {
        let mut params = json!({"uri": "a:b", "_meta": {"io.modelcontextprotocol/subscriptionId": 1}});
        Shape::to(Version::V2025_11_25).notification("notifications/resources/updated", &mut params).unwrap();
        assert_eq!(params, json!({"uri": "a:b"}));
    }

    #[test]
    fn cancellations_name_their_request() {
        let shape =
            |version| Shape::to(version).notification("notifications/cancelled", &mut json!({"reason": "r"}));
        assert_eq!(shape(Version::V2025_11_25), Ok(()));
        assert_eq!(shape(Version::V2026_07_28), Err(Inexpressible::NoRequestId(Version::V2026_07_28)));
        assert_eq!(shape(Version::V2024_11_05), Err(Inexpressible::NoRequestId(Version::V2024_11_05)));
    }

    #[test]
    fn what_is_no_object_is_left_alone() {
        assert_eq!(result("tools/list", Version::V2024_11_05, json!([1])), json!([1]));
        assert_eq!(result("tools/list", Version::V2024_11_05, json!({"tools": 3})), json!({"tools": 3}));
    }

    #[test]
    fn the_order_of_members_is_kept() {
        let value = json!({"a": 1, "resultType": "complete", "b": 2, "ttlMs": 0, "c": 3});
        let keys: Vec<String> =
            result("ping", Version::V2025_06_18, value).as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys, ["a", "b", "c"]);
    }
}
