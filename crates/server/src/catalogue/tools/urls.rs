//! Tools that send the user to a URL.

use std::time::Duration;

use protocol::capability::ELICITATION_URL;
use protocol::{Era, Span, Version, code};
use serde_json::{Value, json};

use super::ask::describe_answer;
use crate::call::{Ask, Call, Stop};
use crate::catalogue::tool::{Run, Tool, text};
use crate::feature::modern;
use crate::rpc::RpcError;
use crate::seal;

pub(super) const TOOLS: &[Tool] = &[URL, ACCOUNT];

/// How long the user is assumed to need on the page. The page does not exist, because MCP does not define it.
const VISIT: Duration = Duration::from_millis(50);

const URL: Tool = Tool::new(
    "ask-url",
    || {
        json!({
            "title": "Ask by a URL",
            "description": "Asks the user to do something on a web page; needs a client with elicitation.url",
            "inputSchema": { "type": "object", "additionalProperties": false },
            "annotations": { "readOnlyHint": true, "openWorldHint": true },
        })
    },
    Run::Later(|call, _| Box::pin(ask(call))),
)
.in_span(Span::since(Version::V2025_11_25));

async fn ask(call: Call) -> Result<Value, Stop> {
    let page = Page::new()?;
    let answer = call.ask(Ask::elicitation("consent", page.request())).await?;
    if answer["action"] == "accept" && call.version().era() == Era::Legacy {
        page.visited(&call).await;
    }
    Ok(text(describe_answer(&answer)))
}

/// Refuses until the user has visited the page, as 2025-11-25 defines it. Later revisions do not have this.
const ACCOUNT: Tool = Tool::new(
    "link-account",
    || {
        json!({
            "title": "Link an account",
            "description": "The first call is refused with a URL to visit; once that is done it works",
            "inputSchema": { "type": "object", "additionalProperties": false },
            "annotations": { "readOnlyHint": false, "destructiveHint": false, "openWorldHint": true },
        })
    },
    Run::Later(|call, _| Box::pin(link(call))),
)
.in_span(Span::only(Version::V2025_11_25));

async fn link(call: Call) -> Result<Value, Stop> {
    if call.peer.is_linked() {
        return Ok(text("the account is linked"));
    }
    if !call.client.has(ELICITATION_URL) {
        return Err(modern::missing_capabilities(call.version(), &[ELICITATION_URL]).into());
    }
    let page = Page::new()?;
    let data = json!({ "elicitations": [page.request()] });
    let peer = call.peer.clone();
    tokio::spawn(async move {
        page.visited(&Call { out: None, ..call }).await;
        peer.link();
    });
    Err(RpcError::new(code::URL_ELICITATION_REQUIRED, "visit the URL first, then call again")
        .with(data)
        .into())
}

/// A page to visit.
struct Page {
    id: String,
}

impl Page {
    fn new() -> Result<Self, RpcError> {
        let id = seal::random_name();
        id.map(|id| Self { id }).ok_or_else(|| RpcError::new(code::INTERNAL_ERROR, "no randomness for a URL"))
    }

    fn request(&self) -> Value {
        json!({
            "mode": "url",
            "elicitationId": self.id,
            "url": format!("https://yardstick.example/consent?id={}", self.id),
            "message": "Please confirm on this page.",
        })
    }

    /// Notifies the client that the user has finished.
    async fn visited(&self, call: &Call) {
        tokio::time::sleep(VISIT).await;
        call.notify("notifications/elicitation/complete", json!({ "elicitationId": self.id })).await;
    }
}
