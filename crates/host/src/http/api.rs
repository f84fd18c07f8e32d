//! The HTTP API that the page uses.

#![expect(clippy::result_large_err, reason = "a refusal is a whole response, built once for each request")]

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use protocol::code;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Request, Response, body, events, guard, query, reply, view_requests};
use crate::finding::PageFinding;
use crate::inquiries::AnswerOutcome;
use crate::prefetch::DocumentKey;
use crate::profile;
use crate::server::{OutgoingRequest, RpcRefusal, SupervisedServer};
use crate::timeline::{NewEntry, TimelineParty, milliseconds};
use crate::view::{View, id_of_read, read_document};
use crate::{HostProfile, Shared, inquiries, state, trace};

/// How long the host keeps a View after its page was left.
const CLOSE_DELAY: Duration = Duration::from_secs(5);
/// How many entries the page may send at a time.
const MAX_LOG_ENTRIES: usize = 5_000;

/// Routes a request by the part of its path after `/api/`.
pub(super) async fn route(shared: &Arc<Shared>, rest: &str, request: Request) -> Response {
    let query = query(request.uri());
    if !guard::knows_token(shared, request.headers(), &query) {
        return reply::refused(
            401,
            "the token is missing or wrong; it is in the page, GET /, as <meta name=\"yardstick-token\" content=…>",
        );
    }
    let value = |name: &str| super::value(&query, name);
    let segments: Vec<&str> = rest.split('/').collect();
    let method = request.method().clone();
    let answered = match (&method, &segments[..]) {
        (&Method::GET, ["ping"]) => Ok(reply::json(200, &json!({}))),
        (&Method::GET, ["state"]) => Ok(reply::json(200, &state::to_value(shared))),
        (&Method::GET, ["resources"]) => resource(shared, value("serverId"), value("uri")).await,
        (&Method::POST, ["tools", "call"]) => call(shared, request).await,
        (&Method::POST, ["servers", id, "request"]) => send(shared, id, request).await,
        (&Method::POST, ["tools", "cancel"]) => cancel(shared, request).await,
        (&Method::POST, ["inquiries", id]) => answer(shared, id, request).await,
        (&Method::POST, ["views"]) => open(shared, request).await,
        (&Method::POST, ["views", id, "request"]) => {
            view_requests::forward_request(shared, id, request).await
        }
        (&Method::GET, ["views", id, "answers"]) => view_requests::answers(shared, id, value("after")).await,
        (&Method::POST, ["views", id, "log"]) => record_log(shared, id, request).await,
        (&Method::DELETE, ["views", id]) => close(shared, id, value("leaving").is_some()),
        (&Method::GET, ["events"]) => Ok(event_stream(shared, &request, value("after"))),
        (&Method::GET, ["events", "past"]) => Ok(events::past(&shared.feed, number(value("after")))),
        (&Method::GET, ["trace"]) => Ok(trace::download(shared, value("view"))),
        _ => Err(reply::refused(404, &format!("there is no {method} /api/{rest}"))),
    };
    answered.unwrap_or_else(|refusal| refusal)
}

pub(super) type ApiResult = Result<Response, Response>;

async fn resource(shared: &Shared, server: Option<&str>, uri: Option<&str>) -> ApiResult {
    let server = server_of(shared, server.unwrap_or_default())?;
    let profile = profile_of(&shared.options.profile)?;
    let document = read_document(shared, &server, uri.unwrap_or_default(), &profile, None).await;
    let document = document.map_err(|unfit| reply::unfit(422, &unfit.message, unfit.repair))?;
    Ok(reply::json(
        200,
        &json!({
            "html": document.html,
            "mimeType": document.mime_type,
            "uri": uri,
            "meta": document.ui.to_value(),
            "findings": document.findings,
        }),
    ))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallBody {
    server_id: String,
    name: String,
    #[serde(default)]
    arguments: Value,
    /// The id of the request to the server. The page cancels the request by this id.
    call_id: Option<String>,
    run: Option<String>,
    profile: Option<String>,
    /// Whether this call starts a run. If so, no View is opened for it.
    #[serde(default)]
    begins: bool,
}

/// Calls a tool as the model would; the person takes the model's place.
async fn call(shared: &Shared, request: Request) -> ApiResult {
    let call: CallBody = parsed(request).await?;
    let server = server_of(shared, &call.server_id)?;
    if let Some(run) = call.run.as_deref().filter(|_| call.begins) {
        announce_run(shared, run, &server, Some(&call.name));
    }
    shared.inquiries.forget_tool(&server.id, &call.name);
    let params = match call.arguments {
        Value::Null => json!({ "name": call.name }),
        arguments => json!({ "name": call.name, "arguments": arguments }),
    };
    let profile = profile_of(call.profile.as_deref().unwrap_or(&shared.options.profile))?;
    let openai = profile.openai.as_ref();
    let hidden = server.now().tool(&call.name).is_some_and(|tool| !tool.visibility(openai).model);
    let answered = match hidden {
        true => Err(RpcRefusal::new(
            code::INVALID_PARAMS,
            format!("only apps may call {}: its visibility does not include \"model\"", call.name),
        )),
        false => {
            let (id, run) = (call.call_id.as_deref(), call.run.as_deref());
            server
                .ask(
                    shared,
                    OutgoingRequest { method: "tools/call", params, run, id, ..OutgoingRequest::default() },
                )
                .await
        }
    };
    Ok(reply::json(200, &answered.unwrap_or_else(|refusal| refusal.to_value())))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SendBody {
    method: String,
    #[serde(default)]
    params: Value,
    call_id: Option<String>,
    run: Option<String>,
}

/// Sends a request that the person wrote, or took from the timeline and changed.
async fn send(shared: &Shared, id: &str, request: Request) -> ApiResult {
    let send: SendBody = parsed(request).await?;
    let server = server_of(shared, id)?;
    let params = if send.params.is_null() { json!({}) } else { send.params };
    let (method, id, run) = (send.method.as_str(), send.call_id.as_deref(), send.run.as_deref());
    let answered =
        server.ask(shared, OutgoingRequest { method, params, run, id, ..OutgoingRequest::default() }).await;
    let answered = answered.map_or_else(|refusal| refusal.to_value(), |result| json!({ "result": result }));
    Ok(reply::json(200, &answered))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CancelBody {
    call_id: String,
}

async fn cancel(shared: &Shared, request: Request) -> ApiResult {
    let cancel: CancelBody = parsed(request).await?;
    // A run consists of the tool call and of the request that reads its document. Both are cancelled.
    let ids = [cancel.call_id.clone(), id_of_read(&cancel.call_id)];
    let cancelled = shared.servers.iter().flat_map(|server| ids.iter().map(|id| server.cancel(id)));
    match cancelled.filter(|was_there| *was_there).count() > 0 {
        true => Ok(reply::json(200, &json!({}))),
        false => Err(reply::refused(404, &format!("no call {} is open", cancel.call_id))),
    }
}

#[derive(Deserialize)]
struct AnswerBody {
    /// The result in the form that the method defines; none if the person refuses.
    result: Option<Value>,
}

/// Passes the person's answer on to the server that asked, or records it if no server waits for it.
async fn answer(shared: &Shared, id: &str, request: Request) -> ApiResult {
    let answered: AnswerBody = parsed(request).await?;
    let action = answered.result.as_ref().map_or(json!("cancel"), |result| result["action"].clone());
    let answer = answered.result.map_or(inquiries::InquiryAnswer::Refused, inquiries::InquiryAnswer::Result);
    let outcome = id.parse().map_or(AnswerOutcome::TooLate, |id| shared.inquiries.answer(id, answer));
    match outcome {
        AnswerOutcome::PassedOn => {}
        AnswerOutcome::Noted(inquiry) => {
            let text = |value: &Value| value.as_str().map(str::to_owned);
            let url = &inquiry["params"];
            let noted = json!({
                "yardstick": "elicitation",
                "action": action,
                "elicitationId": url["elicitationId"],
                "url": url["url"],
            });
            shared.timeline.add(NewEntry {
                run: text(&inquiry["run"]),
                server: text(&inquiry["server"]),
                ..NewEntry::new(TimelineParty::Person, TimelineParty::Host, noted)
            });
        }
        AnswerOutcome::TooLate => {
            return Err(reply::refused(404, &format!("the inquiry {id} is not open any more")));
        }
    }
    Ok(reply::json(200, &json!({})))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpenBody {
    server_id: String,
    tool: Option<String>,
    uri: Option<String>,
    /// The run of the tool that the View belongs to.
    run: Option<String>,
    profile: Option<String>,
}

async fn open(shared: &Shared, request: Request) -> ApiResult {
    let open: OpenBody = parsed(request).await?;
    let server = server_of(shared, &open.server_id)?;
    let profile = profile_of(open.profile.as_deref().unwrap_or(&shared.options.profile))?;
    let shown =
        open.tool.as_deref().and_then(|name| server.now().tool(name).and_then(|tool| tool.uri.clone()));
    let Some(uri) = open.uri.or(shown) else {
        let tool = open.tool.unwrap_or_default();
        return Err(reply::unfit(
            422,
            &format!("the tool `{tool}` has no view"),
            "give it _meta.ui.resourceUri",
        ));
    };
    if let Some(run) = &open.run {
        announce_run(shared, run, &server, open.tool.as_deref());
    }
    let run = open.run.as_deref();
    let name = open.profile.as_ref().unwrap_or(&shared.options.profile).clone();
    let wanted = DocumentKey { server: server.id.clone(), uri, profile: name };
    let document = match shared.prefetched.take(run.unwrap_or_default(), &wanted).await {
        Some(document) => document,
        None => read_document(shared, &server, &wanted.uri, &profile, run).await,
    };
    let document = document.map_err(|unfit| reply::unfit(422, &unfit.message, unfit.repair))?;
    let view = shared.views.open(shared, &server.id, open.run, document, &profile);
    let view = view.map_err(|error| reply::refused(500, &error.to_string()))?;
    Ok(reply::json(200, &view.to_value(shared, &profile)))
}

/// Announces a run in the feed.
fn announce_run(shared: &Shared, run: &str, server: &SupervisedServer, tool: Option<&str>) {
    let at = milliseconds(shared.timeline.now());
    shared.feed.publish(&json!({ "kind": "run", "run": run, "server": server.id, "tool": tool, "at": at }));
}

#[derive(Deserialize)]
struct LogBody {
    entries: Vec<LogEntryBody>,
}

#[derive(Deserialize)]
struct LogEntryBody {
    seq: u64,
    from: TimelineParty,
    to: TimelineParty,
    message: Value,
    /// The time in milliseconds since the page opened the View.
    #[serde(default)]
    at: f64,
    /// The page's remarks on how it handled the message. The host itself judges whether the message is valid.
    #[serde(default)]
    notes: Vec<String>,
}

/// Adds the messages that the page has sent and received to the timeline.
async fn record_log(shared: &Shared, id: &str, request: Request) -> ApiResult {
    let log: LogBody = parsed(request).await?;
    let view = view_of(shared, id)?;
    if log.entries.len() > MAX_LOG_ENTRIES {
        return Err(reply::refused(413, "too many entries at a time"));
    }
    let newest = log.entries.iter().map(|entry| entry.at).fold(0.0, f64::max);
    let start = view.start_time(shared.timeline.now(), duration(newest));
    for entry in log.entries {
        let mut findings = view.judge(entry.from, entry.to, &entry.message);
        findings.extend(entry.notes.into_iter().map(PageFinding::note));
        let n = shared.timeline.add(NewEntry {
            view: Some(view.id.clone()),
            run: view.run.clone(),
            at: Some(start + duration(entry.at)),
            findings,
            ..NewEntry::new(entry.from, entry.to, entry.message)
        });
        view.note_entry(entry.seq, n);
    }
    Ok(reply::json(200, &json!({})))
}

/// The time that the page names in milliseconds; zero if it is not a valid time.
fn duration(count: f64) -> Duration {
    Duration::try_from_secs_f64(count.clamp(0.0, 1e9) / 1000.0).unwrap_or_default()
}

/// Closes a View. When the page was left, the View's open requests may still finish, so that an app can save its work.
fn close(shared: &Arc<Shared>, id: &str, leaving: bool) -> ApiResult {
    if leaving && shared.views.named(id).is_some() {
        let (shared, id) = (shared.clone(), id.to_owned());
        tokio::spawn(async move {
            tokio::time::sleep(CLOSE_DELAY).await;
            shared.views.close(&id);
        });
        return Ok(reply::json(202, &json!({})));
    }
    match shared.views.close(id) {
        true => Ok(reply::json(200, &json!({}))),
        false => Err(reply::refused(404, &format!("no view {id} is open"))),
    }
}

fn event_stream(shared: &Shared, request: &Request, after: Option<&str>) -> Response {
    let resumed = request.headers().get("last-event-id").and_then(|id| id.to_str().ok());
    events::follow(&shared.feed, number(resumed.or(after)))
}

fn number(text: Option<&str>) -> u64 {
    text.and_then(|n| n.parse().ok()).unwrap_or(0)
}

pub(super) async fn parsed<T: DeserializeOwned>(request: Request) -> Result<T, Response> {
    let bytes = body(request).await?;
    serde_json::from_slice(&bytes)
        .map_err(|why| reply::refused(400, &format!("the body is not valid: {why}")))
}

pub(super) fn server_of(shared: &Shared, id: &str) -> Result<Arc<SupervisedServer>, Response> {
    let found = shared.servers.named(id).cloned();
    found.ok_or_else(|| reply::refused(404, &format!("there is no server `{id}`; /api/state lists them")))
}

pub(super) fn view_of(shared: &Shared, id: &str) -> Result<Arc<View>, Response> {
    shared.views.named(id).ok_or_else(|| reply::refused(404, &format!("no view {id} is open")))
}

fn profile_of(name: &str) -> Result<HostProfile, Response> {
    profile::named(name).map_err(|error| reply::refused(400, &error.to_string()))
}
