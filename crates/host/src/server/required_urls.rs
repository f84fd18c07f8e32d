//! Error -32042 of 2025-11-25: a request needs the person to visit URLs first. The URLs become inquiries.

use protocol::{Version, code};
use serde_json::{Value, json};

use super::{OutgoingRequest, RequestResult, SupervisedServer};
use crate::Shared;
use crate::finding::{FindingLevel, PageFinding};
use crate::inquiries::RefusedRequest;
use crate::timeline::{NewEntry, TimelineParty};

/// The section about the error, below the specification of its revision.
const SECTION: &str = "client/elicitation#url-elicitation-required-error";
/// The only revision that has this error.
const REVISION: Version = Version::V2025_11_25;

/// The URL elicitations in an error that are valid.
fn required_urls(code: i64, data: Option<&Value>, version: Version) -> Vec<Value> {
    if code != code::URL_ELICITATION_REQUIRED || version != REVISION {
        return Vec::new();
    }
    let list = data.and_then(|data| data["elicitations"].as_array());
    list.into_iter().flatten().filter_map(shown_elicitation).collect()
}

/// The members of a URL elicitation that the page shows; none if one of them is missing.
fn shown_elicitation(elicitation: &Value) -> Option<Value> {
    let text = |name: &str| elicitation[name].as_str();
    (text("mode") == Some("url")).then_some(())?;
    Some(json!({
        "mode": "url",
        "elicitationId": text("elicitationId")?,
        "url": text("url")?,
        "message": text("message").unwrap_or_default(),
    }))
}

/// What is wrong with a message that has this error.
pub(super) fn findings_of(message: &Value, version: Version) -> Vec<PageFinding> {
    let error = &message["error"];
    if error["code"] != code::URL_ELICITATION_REQUIRED || version != REVISION {
        return Vec::new();
    }
    let listed = error["data"]["elicitations"].as_array().map_or(0, Vec::len);
    if listed > 0 && required_urls(code::URL_ELICITATION_REQUIRED, error.get("data"), version).len() == listed
    {
        return Vec::new();
    }
    vec![PageFinding {
        level: FindingLevel::Must,
        text: "the error -32042 must list elicitations in data.elicitations, each with mode url, elicitationId and url"
            .to_owned(),
        rule: Some(SECTION.to_owned()),
        link: Some(format!("https://modelcontextprotocol.io/specification/{REVISION}/{SECTION}")),
    }]
}

impl SupervisedServer {
    /// Shows the person the URLs that a failed request needs.
    pub(super) fn show_required_urls(
        &self,
        shared: &Shared,
        asking: &OutgoingRequest<'_>,
        version: Version,
        answered: &RequestResult,
    ) {
        let Err(refusal) = answered else { return };
        let urls = required_urls(refusal.code, refusal.data.as_ref(), version);
        let tool = asking.params["name"].as_str();
        let refused = RefusedRequest {
            server: &self.id,
            run: asking.run,
            tool: tool.filter(|_| asking.method == "tools/call" && asking.view.is_none()),
        };
        let left_out = shared.inquiries.require_urls(refused, &urls);
        if left_out > 0 {
            let note = format!("{left_out} of the required URLs are not shown: too many inquiries are open");
            shared.timeline.add(NewEntry {
                view: asking.view.map(str::to_owned),
                run: asking.run.map(str::to_owned),
                server: Some(self.id.clone()),
                findings: vec![PageFinding::note(note)],
                ..NewEntry::new(TimelineParty::Host, TimelineParty::Host, json!({ "yardstick": "note" }))
            });
        }
    }

    /// Closes the inquiry for a URL if the message says that it is complete.
    pub(super) fn route_completion(&self, shared: &Shared, message: &Value) {
        if message["method"] == "notifications/elicitation/complete"
            && let Some(elicitation) = message["params"]["elicitationId"].as_str()
        {
            shared.inquiries.complete(&self.id, elicitation);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(name: &str) -> Value {
        json!({ "mode": "url", "elicitationId": name, "url": "https://a.example/", "message": "Sign in" })
    }

    #[test]
    fn only_sound_elicitations_become_inquiries() {
        let found = |list: Value| {
            let data = json!({ "elicitations": list });
            required_urls(-32042, Some(&data), REVISION).len()
        };
        assert_eq!(found(json!([url("a"), url("b")])), 2);
        let form = json!({ "mode": "form", "elicitationId": "c", "url": "https://a.example/" });
        assert_eq!(
            found(json!([form, 1, null, { "mode": "url", "url": "https://a.example/" }, url("a")])),
            1
        );
        for list in [json!("text"), json!({}), Value::Null] {
            assert_eq!(found(list), 0);
        }
        let data = json!({ "elicitations": [url("a")] });
        assert_eq!(required_urls(-32042, Some(&data), Version::V2025_06_18), Vec::<Value>::new());
        assert_eq!(required_urls(-32000, Some(&data), REVISION), Vec::<Value>::new());
        assert_eq!(required_urls(-32042, None, REVISION), Vec::<Value>::new());
    }

    #[test]
    fn an_error_without_a_sound_list_has_a_finding() {
        let of = |data: Value| {
            findings_of(&json!({ "error": { "code": -32042, "message": "no", "data": data } }), REVISION)
                .len()
        };
        assert_eq!(of(json!({ "elicitations": [url("a")] })), 0);
        assert_eq!(of(json!({ "elicitations": [] })), 1);
        assert_eq!(of(json!({ "elicitations": [url("a"), 1] })), 1);
        assert_eq!(of(Value::Null), 1);
        assert_eq!(findings_of(&json!({ "result": {} }), REVISION), Vec::new());
    }
}
