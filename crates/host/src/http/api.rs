//! The API of the page.

#![expect(clippy::result_large_err, reason = "a refusal is a whole response, and made once for a request")]

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use protocol::code;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Request, Response, asks, body, events, guard, query, reply};
use crate::finding::Finding;
use crate::prefetch::Wanted;
use crate::profile;
use crate::server::{Asking, Refusal, Server};
use crate::timeline::{Party, Said, milliseconds};
use crate::view::{View, read, reading};
use crate::{Profile, Shared, inquiries, state, trace};

/// How long a view is kept whose page has left.
const LEAVING: Duration = Duration::from_secs(5);
/// The most entries that the page hands in at a time.
const BATCH: usize = 5_000;

/// Answers a request to `/api/` and the rest of its path.
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
        (&Method::GET, ["state"]) => Ok(reply::json(200, &state::of(shared))),
        (&Method::GET, ["resources"]) => resource(shared, value("serverId"), value("uri")).await,
        (&Method::POST, ["tools", "call"]) => call(shared, request).await,
        (&Method::POST, ["servers", id, "request"]) => send(shared, id, request).await,
        (&Method::POST, ["tools", "cancel"]) => cancel(shared, request).await,
        (&Method::POST, ["inquiries", id]) => answer(shared, id, request).await,
        (&Method::POST, ["views"]) => open(shared, request).await,
        (&Method::POST, ["views", id, "request"]) => asks::asked(shared, id, request).await,
        (&Method::GET, ["views", id, "answers"]) => asks::answers(shared, id, value("after")).await,
        (&Method::POST, ["views", id, "log"]) => logged(shared, id, request).await,
        (&Method::DELETE, ["views", id]) => close(shared, id, value("leaving").is_some()),
        (&Method::GET, ["events"]) => Ok(follow(shared, &request, value("after"))),
        (&Method::GET, ["events", "past"]) => Ok(events::past(&shared.feed, number(value("after")))),
        (&Method::GET, ["trace"]) => Ok(trace::download(shared, value("view"))),
        _ => Err(reply::refused(404, &format!("there is no {method} /api/{rest}"))),
    };
    answered.unwrap_or_else(|refusal| refusal)
}

pub(super) type Outcome = Result<Response, Response>;

async fn resource(shared: &Shared, server: Option<&str>, uri: Option<&str>) -> Outcome {
    let server = server_of(shared, server.unwrap_or_default())?;
    let profile = profile_of(&shared.options.profile)?;
    let document = read(shared, &server, uri.unwrap_or_default(), &profile, None).await;
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
struct Call {
    server_id: String,
    name: String,
    #[serde(default)]
    arguments: Value,
    /// The id of the request to the server, under which it can be taken back.
    call_id: Option<String>,
    run: Option<String>,
    profile: Option<String>,
    /// Whether the run begins with it: no view is opened for it.
    #[serde(default)]
    begins: bool,
}

/// A call on behalf of the model, or of the person who plays it.
async fn call(shared: &Shared, request: Request) -> Outcome {
    let call: Call = parsed(request).await?;
    let server = server_of(shared, &call.server_id)?;
    if let Some(run) = call.run.as_deref().filter(|_| call.begins) {
        tell_run(shared, run, &server, Some(&call.name));
    }
    let params = match call.arguments {
        Value::Null => json!({ "name": call.name }),
        arguments => json!({ "name": call.name, "arguments": arguments }),
    };
    let profile = profile_of(call.profile.as_deref().unwrap_or(&shared.options.profile))?;
    let openai = profile.openai.as_ref();
    let hidden = server.now().tool(&call.name).is_some_and(|tool| !tool.visibility(openai).model);
    let answered = match hidden {
        true => Err(Refusal::new(
            code::INVALID_PARAMS,
            format!("{} is for apps alone: its visibility does not include \"model\"", call.name),
        )),
        false => {
            let (id, run) = (call.call_id.as_deref(), call.run.as_deref());
            server.ask(shared, Asking { method: "tools/call", params, run, id, ..Asking::default() }).await
        }
    };
    Ok(reply::json(200, &answered.unwrap_or_else(|refusal| refusal.to_value())))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Send {
    method: String,
    #[serde(default)]
    params: Value,
    call_id: Option<String>,
    run: Option<String>,
}

/// A request that the person has written, or has taken from the timeline and changed.
async fn send(shared: &Shared, id: &str, request: Request) -> Outcome {
    let send: Send = parsed(request).await?;
    let server = server_of(shared, id)?;
    let params = if send.params.is_null() { json!({}) } else { send.params };
    let (method, id, run) = (send.method.as_str(), send.call_id.as_deref(), send.run.as_deref());
    let answered = server.ask(shared, Asking { method, params, run, id, ..Asking::default() }).await;
    let answered = answered.map_or_else(|refusal| refusal.to_value(), |result| json!({ "result": result }));
    Ok(reply::json(200, &answered))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cancel {
    call_id: String,
}

async fn cancel(shared: &Shared, request: Request) -> Outcome {
    let cancel: Cancel = parsed(request).await?;
    // A run is a call and the reading of its document; both end.
    let ids = [cancel.call_id.clone(), reading(&cancel.call_id)];
    let cancelled = shared.servers.iter().flat_map(|server| ids.iter().map(|id| server.cancel(id)));
    match cancelled.filter(|was_there| *was_there).count() > 0 {
        true => Ok(reply::json(200, &json!({}))),
        false => Err(reply::refused(404, &format!("no call {} is under way", cancel.call_id))),
    }
}

#[derive(Deserialize)]
struct Answered {
    /// The result, as the method has it; none when the person refuses.
    result: Option<Value>,
}

/// What the person says to a server's inquiry.
async fn answer(shared: &Shared, id: &str, request: Request) -> Outcome {
    let answered: Answered = parsed(request).await?;
    let answer = answered.result.map_or(inquiries::Answer::Refused, inquiries::Answer::Result);
    match id.parse().is_ok_and(|id| shared.inquiries.answer(id, answer)) {
        true => Ok(reply::json(200, &json!({}))),
        false => Err(reply::refused(404, &format!("the inquiry {id} is not open any more"))),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Open {
    server_id: String,
    tool: Option<String>,
    uri: Option<String>,
    /// The run of the tool that it is for.
    run: Option<String>,
    profile: Option<String>,
}

async fn open(shared: &Shared, request: Request) -> Outcome {
    let open: Open = parsed(request).await?;
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
        tell_run(shared, run, &server, open.tool.as_deref());
    }
    let run = open.run.as_deref();
    let name = open.profile.as_ref().unwrap_or(&shared.options.profile).clone();
    let wanted = Wanted { server: server.id.clone(), uri, profile: name };
    let document = match shared.prefetched.take(run.unwrap_or_default(), &wanted).await {
        Some(document) => document,
        None => read(shared, &server, &wanted.uri, &profile, run).await,
    };
    let document = document.map_err(|unfit| reply::unfit(422, &unfit.message, unfit.repair))?;
    let view = shared.views.open(shared, &server.id, open.run, document, &profile);
    let view = view.map_err(|error| reply::refused(500, &error.to_string()))?;
    Ok(reply::json(200, &view.to_value(shared, &profile)))
}

/// Tells everybody that a tool is run.
fn tell_run(shared: &Shared, run: &str, server: &Server, tool: Option<&str>) {
    let at = milliseconds(shared.timeline.now());
    shared.feed.tell(&json!({ "kind": "run", "run": run, "server": server.id, "tool": tool, "at": at }));
}

#[derive(Deserialize)]
struct Log {
    entries: Vec<Logged>,
}

#[derive(Deserialize)]
struct Logged {
    seq: u64,
    from: Party,
    to: Party,
    message: Value,
    /// When, in milliseconds since the page opened the view.
    #[serde(default)]
    at: f64,
    /// What the page's bridge has to say about it.
    #[serde(default)]
    findings: Vec<Finding>,
}

/// What the page has seen or said.
async fn logged(shared: &Shared, id: &str, request: Request) -> Outcome {
    let log: Log = parsed(request).await?;
    let view = view_of(shared, id)?;
    if log.entries.len() > BATCH {
        return Err(reply::refused(413, "too many entries at a time"));
    }
    let newest = log.entries.iter().map(|entry| entry.at).fold(0.0, f64::max);
    let start = view.began(shared.timeline.now(), duration(newest));
    for entry in log.entries {
        let mut findings = entry.findings;
        findings.extend(view.judge(entry.from, entry.to, &entry.message));
        let n = shared.timeline.add(Said {
            view: Some(view.id.clone()),
            run: view.run.clone(),
            at: Some(start + duration(entry.at)),
            findings,
            ..Said::new(entry.from, entry.to, entry.message)
        });
        view.placed(entry.seq, n);
    }
    Ok(reply::json(200, &json!({})))
}

/// A time that a page names, in milliseconds; nonsense is none.
fn duration(count: f64) -> Duration {
    Duration::try_from_secs_f64(count.clamp(0.0, 1e9) / 1000.0).unwrap_or_default()
}

/// Closes a view. One whose page leaves may still save its work: what it has asked for is done.
fn close(shared: &Arc<Shared>, id: &str, leaving: bool) -> Outcome {
    if leaving && shared.views.named(id).is_some() {
        let (shared, id) = (shared.clone(), id.to_owned());
        tokio::spawn(async move {
            tokio::time::sleep(LEAVING).await;
            shared.views.close(&id);
        });
        return Ok(reply::json(202, &json!({})));
    }
    match shared.views.close(id) {
        true => Ok(reply::json(200, &json!({}))),
        false => Err(reply::refused(404, &format!("no view {id} is open"))),
    }
}

fn follow(shared: &Shared, request: &Request, after: Option<&str>) -> Response {
    let resumed = request.headers().get("last-event-id").and_then(|id| id.to_str().ok());
    events::follow(&shared.feed, number(resumed.or(after)))
}

fn number(text: Option<&str>) -> u64 {
    text.and_then(|n| n.parse().ok()).unwrap_or(0)
}

pub(super) async fn parsed<T: DeserializeOwned>(request: Request) -> Result<T, Response> {
    let bytes = body(request).await?;
    serde_json::from_slice(&bytes)
        .map_err(|why| reply::refused(400, &format!("the body does not fit: {why}")))
}

pub(super) fn server_of(shared: &Shared, id: &str) -> Result<Arc<Server>, Response> {
    let found = shared.servers.named(id).cloned();
    found.ok_or_else(|| reply::refused(404, &format!("there is no server `{id}`; /api/state lists them")))
}

pub(super) fn view_of(shared: &Shared, id: &str) -> Result<Arc<View>, Response> {
    shared.views.named(id).ok_or_else(|| reply::refused(404, &format!("no view {id} is open")))
}

fn profile_of(name: &str) -> Result<Profile, Response> {
    profile::named(name).map_err(|error| reply::refused(400, &error.to_string()))
}
