//! URLs that the person has to visit before a request can succeed. A server of 2025-11-25 names them in the error of the
//! request.

use serde_json::{Value, json};

use super::{AnswerOutcome, Inquiries, Inquiry, InquiryAnswer, InquiryKind};

/// What identifies a required URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RequiredUrl {
    elicitation: String,
    /// The tool whose call needs it, if the person called that tool.
    tool: Option<String>,
}

/// The request that needs the URLs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefusedRequest<'a> {
    pub(crate) server: &'a str,
    pub(crate) run: Option<&'a str>,
    /// The tool that the person called; none for another request.
    pub(crate) tool: Option<&'a str>,
}

impl Inquiries {
    /// Shows the person the URLs that a request needs. One that is open already stays as it is. Returns how many
    /// were left out because too many inquiries are open.
    pub(crate) fn require_urls(&self, refused: RefusedRequest<'_>, elicitations: &[Value]) -> usize {
        elicitations.iter().filter(|elicitation| !self.require_url(refused, elicitation)).count()
    }

    fn require_url(&self, refused: RefusedRequest<'_>, elicitation: &Value) -> bool {
        let name = elicitation["elicitationId"].as_str().unwrap_or_default();
        let mut open = self.lock();
        let is_same = |it: &&mut Inquiry| {
            it.is_required(refused.server, name) && it.shown["params"]["url"] == elicitation["url"]
        };
        if let Some(known) = open.by_id.values_mut().find(is_same) {
            // A new card would move under the person's pointer.
            known.shown["run"] = json!(refused.run);
            return true;
        }
        let shown = json!({
            "run": refused.run,
            "method": "elicitation/create",
            "params": elicitation,
            "required": { "tool": refused.tool, "opened": false },
        });
        let tool = refused.tool.map(str::to_owned);
        let kind = InquiryKind::RequiredUrl(RequiredUrl { elicitation: name.to_owned(), tool });
        let Some((_, shown)) = open.add(refused.server, shown, kind) else { return false };
        drop(open);
        self.feed.publish(&json!({ "kind": "inquiry", "inquiry": shown }));
        true
    }

    /// Notes that the person opened the URL, or closes the inquiry.
    pub(super) fn answer_required(&self, id: u64, answer: &InquiryAnswer) -> AnswerOutcome {
        let mut open = self.lock();
        let Some(inquiry) = open.by_id.get_mut(&id) else { return AnswerOutcome::TooLate };
        let is_opened = matches!(answer, InquiryAnswer::Result(result) if result["action"] == "accept");
        if is_opened {
            inquiry.shown["required"]["opened"] = json!(true);
        }
        let shown = inquiry.shown.clone();
        if !is_opened {
            open.by_id.remove(&id);
        }
        drop(open);
        self.feed.publish(&match is_opened {
            true => json!({ "kind": "inquiry", "inquiry": shown }),
            false => json!({ "kind": "inquiry-closed", "id": id }),
        });
        AnswerOutcome::Noted(shown)
    }

    /// Closes the inquiry that the server says is complete. A name that is not open is ignored.
    pub(crate) fn complete(&self, server: &str, elicitation: &str) {
        self.close_required(true, |it| it.is_required(server, elicitation));
    }

    /// Closes the inquiries of a tool that the person calls again; the new response says what it still needs.
    pub(crate) fn forget_tool(&self, server: &str, tool: &str) {
        self.close_required(false, |it| {
            it.server == server
                && matches!(&it.kind, InquiryKind::RequiredUrl(url) if url.tool.as_deref() == Some(tool))
        });
    }

    fn close_required(&self, is_complete: bool, is_meant: impl Fn(&Inquiry) -> bool) {
        let mut closed = Vec::new();
        self.lock().by_id.retain(|id, inquiry| {
            let goes = is_meant(inquiry);
            if goes {
                closed.push(*id);
            }
            !goes
        });
        for id in closed {
            self.feed.publish(&json!({ "kind": "inquiry-closed", "id": id, "complete": is_complete }));
        }
    }
}

impl Inquiry {
    pub(super) const fn is_required_url(&self) -> bool {
        matches!(self.kind, InquiryKind::RequiredUrl(_))
    }

    fn is_required(&self, server: &str, elicitation: &str) -> bool {
        self.server == server
            && matches!(&self.kind, InquiryKind::RequiredUrl(url) if url.elicitation == elicitation)
    }
}

#[cfg(test)]
mod tests {
    use super::super::MAX_OPEN_INQUIRIES;
    use super::*;
    use crate::feed::Feed;

    const CALL: RefusedRequest<'_> = RefusedRequest { server: "0", run: Some("run-1"), tool: Some("link") };

    fn url(name: &str) -> Value {
        json!({ "mode": "url", "elicitationId": name, "url": "https://a.example/", "message": "Sign in" })
    }

    fn accept() -> InquiryAnswer {
        InquiryAnswer::Result(json!({ "action": "accept" }))
    }

    #[tokio::test]
    async fn a_url_stays_until_it_is_complete_and_no_request_waits_for_it() {
        let inquiries = Inquiries::new(Feed::default());
        assert_eq!(inquiries.require_urls(CALL, &[url("a"), url("b"), url("a")]), 0);
        assert_eq!(inquiries.to_values().len(), 2);
        inquiries.wait_for_none("0").await;
        let id = inquiries.to_values()[0]["id"].as_u64().unwrap();
        assert!(matches!(inquiries.answer(id, accept()), AnswerOutcome::Noted(_)));
        assert_eq!(inquiries.to_values()[0]["required"]["opened"], true);
        inquiries.complete("1", "a");
        inquiries.complete("0", "unknown");
        assert_eq!(inquiries.to_values().len(), 2);
        inquiries.complete("0", "a");
        assert_eq!(inquiries.to_values().len(), 1);
        let id = inquiries.to_values()[0]["id"].as_u64().unwrap();
        assert!(matches!(inquiries.answer(id, InquiryAnswer::Refused), AnswerOutcome::Noted(_)));
        assert_eq!(inquiries.to_values(), Vec::<Value>::new());
    }

    #[test]
    fn a_tool_that_is_called_again_needs_only_what_its_new_response_says() {
        let inquiries = Inquiries::new(Feed::default());
        let view = RefusedRequest { tool: None, ..CALL };
        inquiries.require_urls(CALL, &[url("a")]);
        inquiries.require_urls(view, &[url("b")]);
        inquiries.forget_tool("0", "other");
        assert_eq!(inquiries.to_values().len(), 2);
        inquiries.forget_tool("0", "link");
        let left = inquiries.to_values();
        assert_eq!(left.len(), 1);
        assert_eq!(left[0]["params"]["elicitationId"], "b");
    }

    #[test]
    fn more_than_a_person_can_see_are_left_out() {
        let inquiries = Inquiries::new(Feed::default());
        let many: Vec<Value> = (0..MAX_OPEN_INQUIRIES + 5).map(|n| url(&n.to_string())).collect();
        assert_eq!(inquiries.require_urls(CALL, &many), 5);
        assert_eq!(inquiries.to_values().len(), MAX_OPEN_INQUIRIES);
    }
}
