//! The requests of a page and their outcomes.

use serde_json::Value;

use crate::events::text;
use crate::log::{LogEntry, LogEvent};

/// A request. A fetch that a policy blocks never becomes a request; it is among the violations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkRequest {
    /// The URL.
    pub url: String,
    /// The method.
    pub method: String,
    /// The resource type: `Document`, `Fetch`, `Image`, `WebSocket` and others.
    pub kind: String,
    /// The id of the frame that sent it.
    pub frame: Option<String>,
    /// The URL of that frame at the time.
    pub document: String,
    /// The status of the response, once there is one.
    pub status: Option<u16>,
    /// Why there is no complete response: `csp` if a policy blocked it, otherwise the browser's name for the failure.
    pub failure: Option<String>,
}

/// The log entries for a network event.
pub(crate) fn events(name: &str, params: &Value) -> Vec<LogEvent> {
    let id = text(&params["requestId"]).unwrap_or_default();
    match name {
        "requestWillBeSent" => {
            let redirected = status(&params["redirectResponse"]);
            let redirected = redirected.map(|status| LogEvent::Response { id: id.clone(), status });
            redirected.into_iter().chain([sent_request(id, params)]).collect()
        }
        "webSocketCreated" => {
            let url = text(&params["url"]).unwrap_or_default();
            vec![LogEvent::Request { id, url, method: "GET".into(), kind: "WebSocket".into() }]
        }
        "responseReceived" | "webSocketHandshakeResponseReceived" => {
            let status = status(&params["response"]);
            status.map(|status| LogEvent::Response { id, status }).into_iter().collect()
        }
        "loadingFinished" | "webSocketClosed" => vec![LogEvent::RequestDone { id }],
        "loadingFailed" => {
            let why = text(&params["blockedReason"]).or_else(|| text(&params["errorText"]));
            vec![LogEvent::RequestFailed { id, why: why.unwrap_or_else(|| "failed".into()) }]
        }
        "webSocketFrameError" => {
            let why = text(&params["errorMessage"]).unwrap_or_else(|| "failed".into());
            vec![LogEvent::RequestFailed { id, why }]
        }
        _ => Vec::new(),
    }
}

fn sent_request(id: String, params: &Value) -> LogEvent {
    let request = &params["request"];
    let word = |value: &Value| text(value).unwrap_or_default();
    // The fragment is never sent, but it is part of the URL that the page used.
    let url = word(&request["url"]) + &word(&request["urlFragment"]);
    LogEvent::Request { id, url, method: word(&request["method"]), kind: word(&params["type"]) }
}

fn status(response: &Value) -> Option<u16> {
    response["status"].as_u64().and_then(|status| u16::try_from(status).ok())
}

/// Collects all requests of a log.
pub(crate) fn requests(entries: &[LogEntry]) -> Vec<NetworkRequest> {
    let mut found: Vec<(&str, NetworkRequest)> = Vec::new();
    for entry in entries {
        if let LogEvent::Request { id, url, method, kind } = &entry.event {
            let known = latest(&mut found, id);
            // When a frame changes its process, both processes report the request.
            if !known.is_some_and(|known| known.url == *url && known.status.is_none()) {
                found.push((id, fresh(entry, url, method, kind)));
            }
        } else if let LogEvent::Response { id, status } = &entry.event
            && let Some(request) = latest(&mut found, id)
        {
            request.status = Some(*status);
        } else if let LogEvent::RequestFailed { id, why } = &entry.event
            && let Some(request) = latest(&mut found, id)
        {
            request.failure = Some(why.clone());
        }
    }
    found.into_iter().map(|(_, request)| request).collect()
}

fn latest<'a>(found: &'a mut [(&str, NetworkRequest)], id: &str) -> Option<&'a mut NetworkRequest> {
    found.iter_mut().rfind(|(known, _)| *known == id).map(|(_, request)| request)
}

fn fresh(entry: &LogEntry, url: &str, method: &str, kind: &str) -> NetworkRequest {
    NetworkRequest {
        url: url.into(),
        method: method.into(),
        kind: kind.into(),
        frame: entry.frame.clone(),
        document: entry.url.clone(),
        status: None,
        failure: None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    fn log(said: &[(&str, Value)]) -> Vec<LogEntry> {
        let events = said.iter().flat_map(|(name, params)| events(name, params));
        let entry = |event| LogEntry {
            at: Duration::ZERO,
            page: "p".into(),
            frame: None,
            url: "http://a/".into(),
            event,
        };
        events.map(entry).collect()
    }

    #[test]
    fn a_redirect_is_two_requests() {
        let first =
            json!({ "requestId": "1", "type": "Fetch", "request": { "url": "http://a/1", "method": "GET" } });
        let second = json!({ "requestId": "1", "type": "Fetch", "request": { "url": "http://a/2", "method": "GET" },
            "redirectResponse": { "status": 302 } });
        let failed = json!({ "requestId": "1", "errorText": "net::ERR_FAILED", "blockedReason": "csp" });
        let log =
            log(&[("requestWillBeSent", first), ("requestWillBeSent", second), ("loadingFailed", failed)]);
        let requests = requests(&log);
        assert_eq!(requests.len(), 2);
        assert_eq!((requests[0].status, &requests[0].failure), (Some(302), &None));
        assert_eq!((requests[1].status, requests[1].failure.as_deref()), (None, Some("csp")));
    }
}
