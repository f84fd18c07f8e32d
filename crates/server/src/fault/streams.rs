//! Faults of event streams and sessions, on the level of the transport.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use serde_json::json;
use transport::Transport;
use transport::serve::http::{Answered, Response};

use super::{Effect, Fault, Memory};

/// How often a GET stream looks for what came on the others.
const COPY_DELAY: Duration = Duration::from_millis(5);
const SESSION_ID: &str = "mcp-session-id";

pub(super) const FAULTS: &[&Fault] = &[
    &EVENT_IDS_REPEAT,
    &REPLAYS_OTHERS,
    &NO_PRIMING,
    &NO_RETRY,
    &DISCONNECT_CANCELS,
    &STAYS_OPEN,
    &ENDS_UNANSWERED,
    &BROADCASTS,
    &RESPONDS_ON_GET,
    &GETS_BROADCAST,
    &FOREIGN_PROGRESS,
    &COUNTED_SESSIONS,
    &ANY_SESSION,
    &DELETE_ENDS_ALL,
    &VERSION_INSISTED,
    &SSE_NO_ENDPOINT,
    &SSE_FOREIGN_ENDPOINT,
    &SSE_JSON_ENDPOINT,
    &SSE_ANSWERS_POST,
];

pub const EVENT_IDS_REPEAT: Fault = Fault {
    name: "event-ids-repeat",
    about: "every stream of a session numbers its events from the start",
    effect: Effect::Event(|event| {
        let renumbered = |line: &str| match line.strip_prefix("id: ").and_then(|id| id.split_once('-')) {
            Some((_, number)) => format!("id: 0-{number}"),
            None => line.to_owned(),
        };
        Some(event.split('\n').map(renumbered).collect::<Vec<_>>().join("\n"))
    }),
};

pub const REPLAYS_OTHERS: Fault = Fault {
    name: "replays-others",
    about: "a resumed stream brings what other streams carried",
    effect: Effect::Response(replay_others),
};

pub const NO_PRIMING: Fault = Fault {
    name: "no-priming",
    about: "streams do not begin with an event that lets the client come back",
    effect: Effect::Event(|event| {
        let is_empty = event
            .lines()
            .all(|line| line.is_empty() || line.starts_with("id:") || line == "data:" || line == "data: ");
        let has_id = event.lines().any(|line| line.starts_with("id:"));
        (!(is_empty && has_id)).then(|| event.to_owned())
    }),
};

pub const NO_RETRY: Fault = Fault {
    name: "no-retry",
    about: "a connection is closed early without saying when to come back",
    effect: Effect::Event(|event| {
        Some(event.split('\n').filter(|line| !line.starts_with("retry:")).collect::<Vec<_>>().join("\n"))
    }),
};

pub const DISCONNECT_CANCELS: Fault = Fault {
    name: "disconnect-cancels",
    about: "a connection that breaks ends the work that it carried",
    effect: Effect::Http(|options| options.cancel_on_disconnect = true),
};

pub const STAYS_OPEN: Fault = Fault {
    name: "stays-open",
    about: "a stream stays open after its response",
    effect: Effect::Response(|_, answered, response| match answered.method {
        Some(_) => response.map(|body| body.with_events(|events| events.chain(stream::pending()))),
        None => response,
    }),
};

pub const ENDS_UNANSWERED: Fault = Fault {
    name: "ends-unanswered",
    about: "the stream that answers a list of templates ends without the response",
    effect: Effect::Message(|out, message| {
        let concerns =
            out.transport == Transport::StreamableHttp && out.method == Some("resources/templates/list");
        if !concerns || message.get("result").is_none() {
            return vec![message];
        }
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/example" });
        // Two messages make a stream.
        vec![note.clone(), note]
    }),
};

pub const BROADCASTS: Fault = Fault {
    name: "broadcasts",
    about: "notifications of a request go to the GET stream as well",
    effect: Effect::Copy(|message| message.get("method").is_some()),
};

pub const RESPONDS_ON_GET: Fault = Fault {
    name: "responds-on-get",
    about: "responses go to the GET stream as well",
    effect: Effect::Copy(|message| message.get("method").is_none()),
};

pub const GETS_BROADCAST: Fault = Fault {
    name: "gets-broadcast",
    about: "what is sent on one GET stream of a session goes to its others as well",
    effect: Effect::Response(copy_to_other_gets),
};

pub const FOREIGN_PROGRESS: Fault = Fault {
    name: "foreign-progress",
    about: "the stream of a call carries the progress of another one",
    effect: Effect::Message(|outgoing, message| {
        if outgoing.method != Some("tools/call") || message.get("result").is_none() {
            return vec![message];
        }
        let params = json!({ "progressToken": "somebody-else", "progress": 1 });
        vec![json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params }), message]
    }),
};

pub const COUNTED_SESSIONS: Fault = Fault {
    name: "counted-sessions",
    about: "session ids are 0, 1, 2 and so on",
    effect: Effect::Several(&[
        Effect::Response(|memory, _, mut response| {
            if let Some(id) = session_id(response.headers()) {
                memory.note(&id);
                let counted = memory.place(&id).unwrap_or_default();
                response.headers_mut().insert(SESSION_ID, counted.into());
            }
            response
        }),
        Effect::Request(|memory, _, headers| {
            let counted = session_id(headers).and_then(|id| id.parse::<usize>().ok());
            let id = counted.and_then(|at| memory.notes().get(at).cloned());
            rename_session(headers, id);
            None
        }),
    ]),
};

pub const ANY_SESSION: Fault = Fault {
    name: "any-session",
    about: "a session id that was never assigned is served",
    effect: Effect::Several(&[
        NOTE_SESSIONS,
        Effect::Request(|memory, verb, headers| {
            let named = session_id(headers)?;
            if memory.has(&named) {
                // The last note is the session that was used last.
                memory.forget(&named);
                if verb != Method::DELETE {
                    memory.note(&named);
                }
            } else {
                rename_session(headers, memory.notes().pop());
            }
            None
        }),
    ]),
};

pub const DELETE_ENDS_ALL: Fault = Fault {
    name: "delete-ends-all",
    about: "ending one session ends all of them",
    effect: Effect::Several(&[
        NOTE_SESSIONS,
        Effect::Request(|memory, verb, headers| {
            let named = session_id(headers)?;
            if !memory.has(&named) {
                return Some(StatusCode::NOT_FOUND);
            }
            if verb == Method::DELETE {
                memory.notes().iter().for_each(|id| memory.forget(id));
            }
            None
        }),
    ]),
};

pub const VERSION_INSISTED: Fault = Fault {
    name: "version-insisted",
    about: "a request without MCP-Protocol-Version is refused",
    effect: Effect::Request(|_, _, headers| {
        let refused = headers.contains_key(SESSION_ID) && !headers.contains_key("mcp-protocol-version");
        refused.then_some(StatusCode::BAD_REQUEST)
    }),
};

pub const SSE_NO_ENDPOINT: Fault = Fault {
    name: "sse-no-endpoint",
    about: "the stream of HTTP+SSE does not say where to post",
    effect: Effect::Event(|event| Some(event.replace("event: endpoint", "event: hello"))),
};

pub const SSE_FOREIGN_ENDPOINT: Fault = Fault {
    name: "sse-foreign-endpoint",
    about: "the stream of HTTP+SSE says to post to another origin",
    effect: Effect::Event(|event| endpoint(event, |uri| format!("http://attacker.example{uri}"))),
};

pub const SSE_JSON_ENDPOINT: Fault = Fault {
    name: "sse-json-endpoint",
    about: "the stream of HTTP+SSE says where to post in a JSON object",
    effect: Effect::Event(|event| endpoint(event, |uri| json!({ "uri": uri }).to_string())),
};

pub const SSE_ANSWERS_POST: Fault = Fault {
    name: "sse-answers-post",
    about: "HTTP+SSE answers in the body of the POST",
    effect: Effect::Http(|options| options.answer_posts = true),
};

/// Notes every session that is opened.
const NOTE_SESSIONS: Effect = Effect::Response(|memory, _, response| {
    if let Some(id) = session_id(response.headers()) {
        memory.note(&id);
    }
    response
});

/// The session that the headers name.
fn session_id(headers: &HeaderMap) -> Option<String> {
    headers.get(SESSION_ID)?.to_str().ok().map(str::to_owned)
}

/// Makes a request name another session.
fn rename_session(headers: &mut HeaderMap, id: Option<String>) {
    if let Some(Ok(id)) = id.map(HeaderValue::try_from) {
        headers.insert(SESSION_ID, id);
    }
}

/// Edits the endpoint that the stream of HTTP+SSE names.
fn endpoint(event: &str, change: impl FnOnce(&str) -> String) -> Option<String> {
    let uri = event.strip_prefix("event: endpoint\ndata: ").map(str::trim_end);
    Some(uri.map_or_else(|| event.to_owned(), |uri| format!("event: endpoint\ndata: {}\n\n", change(uri))))
}

/// Notes the messages on every GET stream of a session, and adds to each stream those of the others that come while it is open.
fn copy_to_other_gets(memory: &Memory, answered: Answered<'_>, response: Response) -> Response {
    let Some(session) = session_id(answered.headers).filter(|_| answered.method.is_none()) else {
        return response;
    };
    let (own, seen) = (format!("{session} {} ", memory.turn()), memory.notes().len());
    let (noted, copied, note_own) = (memory.clone(), memory.clone(), own.clone());
    let note = move |event: &Bytes| {
        let text = String::from_utf8_lossy(event);
        // Copies have no id, so that they are not copied back.
        if text.contains("data: {") && text.contains("id: ") {
            noted.note(&format!("{note_own}{text}"));
        }
    };
    let others = stream::unfold(seen, move |seen| {
        let (memory, session, own) = (copied.clone(), session.clone(), own.clone());
        async move {
            tokio::time::sleep(COPY_DELAY).await;
            let notes = memory.notes();
            let is_other = |note: &&String| note.starts_with(&session) && !note.starts_with(&own);
            let fresh: Vec<_> =
                notes.iter().skip(seen).filter(is_other).map(|note| without_id(note)).collect();
            Some((stream::iter(fresh), notes.len()))
        }
    });
    response.map(|body| body.with_events(|events| stream::select(events.inspect(note), others.flatten())))
}

/// The event of a note, without its id.
fn without_id(note: &str) -> Bytes {
    let event = note.splitn(3, ' ').nth(2).unwrap_or_default();
    let lines: Vec<_> = event.split('\n').filter(|line| !line.starts_with("id: ")).collect();
    Bytes::from(lines.join("\n"))
}

/// Notes the events of every stream of a session, and sends those of other streams to a client that resumes one.
fn replay_others(memory: &Memory, answered: Answered<'_>, response: Response) -> Response {
    let Some(session) = session_id(answered.headers) else { return response };
    let memory = memory.clone();
    if answered.method.is_some() {
        let note = move |event: &Bytes| memory.note(&format!("{session} {}", String::from_utf8_lossy(event)));
        return response.map(|body| body.with_events(|events| events.inspect(note)));
    }
    let Some(last) = answered.headers.get("last-event-id").and_then(|id| id.to_str().ok()) else {
        return response;
    };
    let own = format!("id: {}-", last.split('-').next().unwrap_or_default());
    let notes = memory.notes().into_iter();
    let others = notes.filter_map(|note| note.strip_prefix(&format!("{session} ")).map(str::to_owned));
    let others: Vec<_> = others.filter(|event| !event.contains(&own)).map(Bytes::from).collect();
    response.map(|body| body.with_events(|events| stream::iter(others).chain(events)))
}
