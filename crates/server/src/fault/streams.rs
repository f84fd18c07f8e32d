//! Faults of event streams and sessions: what the transport does, not what the messages say.

use serde_json::json;
use transport::serve::Via;
use transport::serve::http::Slip;

use super::{Effect, Fault};

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

/// Event ids that occur twice.
pub const EVENT_IDS_REPEAT: Fault = Fault {
    name: "event-ids-repeat",
    about: "every stream of a session numbers its events from the start",
    effect: Effect::Http(|options| options.slips.push(Slip::EventIdsRepeat)),
};

/// What belongs to another stream is replayed.
pub const REPLAYS_OTHERS: Fault = Fault {
    name: "replays-others",
    about: "a resumed stream brings what other streams carried",
    effect: Effect::Http(|options| options.slips.push(Slip::ReplaysOthers)),
};

/// Streams that cannot be resumed before their first message.
pub const NO_PRIMING: Fault = Fault {
    name: "no-priming",
    about: "streams do not begin with an event that lets the client come back",
    effect: Effect::Http(|options| options.slips.push(Slip::NoPriming)),
};

/// Closed, and not a word about when to come back.
pub const NO_RETRY: Fault = Fault {
    name: "no-retry",
    about: "a connection is closed early without saying when to come back",
    effect: Effect::Http(|options| options.slips.push(Slip::NoRetry)),
};

/// A broken connection cancels in an era where it must not.
pub const DISCONNECT_CANCELS: Fault = Fault {
    name: "disconnect-cancels",
    about: "a connection that breaks ends the work that it carried",
    effect: Effect::Http(|options| options.slips.push(Slip::DisconnectCancels)),
};

/// A stream that does not end.
pub const STAYS_OPEN: Fault = Fault {
    name: "stays-open",
    about: "a stream stays open after its response",
    effect: Effect::Http(|options| options.slips.push(Slip::StaysOpen)),
};

/// A stream without what it is for.
pub const ENDS_UNANSWERED: Fault = Fault {
    name: "ends-unanswered",
    about: "the stream that answers a list of templates ends without the response",
    effect: Effect::Message(|out, message| {
        let concerns = out.via == Via::StreamableHttp && out.method == Some("resources/templates/list");
        if !concerns || message.get("result").is_none() {
            return vec![message];
        }
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/example" });
        // Two messages make a stream.
        vec![note.clone(), note]
    }),
};

/// One message on two streams.
pub const BROADCASTS: Fault = Fault {
    name: "broadcasts",
    about: "notifications of a request go to the GET stream as well",
    effect: Effect::Http(|options| options.slips.push(Slip::Broadcasts)),
};

/// A response where none belongs.
pub const RESPONDS_ON_GET: Fault = Fault {
    name: "responds-on-get",
    about: "responses go to the GET stream as well",
    effect: Effect::Http(|options| options.slips.push(Slip::RespondsOnGet)),
};

/// Somebody else's progress.
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

/// Session ids that can be guessed.
pub const COUNTED_SESSIONS: Fault = Fault {
    name: "counted-sessions",
    about: "session ids are 0, 1, 2 and so on",
    effect: Effect::Http(|options| options.slips.push(Slip::CountedSessions)),
};

/// Sessions that nobody opened.
pub const ANY_SESSION: Fault = Fault {
    name: "any-session",
    about: "a session id that was never assigned is served",
    effect: Effect::Http(|options| options.slips.push(Slip::AnySession)),
};

/// One session takes the others with it.
pub const DELETE_ENDS_ALL: Fault = Fault {
    name: "delete-ends-all",
    about: "ending one session ends all of them",
    effect: Effect::Http(|options| options.slips.push(Slip::DeleteEndsAll)),
};

/// Older clients are locked out.
pub const VERSION_INSISTED: Fault = Fault {
    name: "version-insisted",
    about: "a request without MCP-Protocol-Version is refused",
    effect: Effect::Http(|options| options.slips.push(Slip::VersionInsisted)),
};

/// HTTP+SSE without a place to post to.
pub const SSE_NO_ENDPOINT: Fault = Fault {
    name: "sse-no-endpoint",
    about: "the stream of HTTP+SSE does not say where to post",
    effect: Effect::Http(|options| options.slips.push(Slip::NoEndpoint)),
};

/// HTTP+SSE that leads elsewhere.
pub const SSE_FOREIGN_ENDPOINT: Fault = Fault {
    name: "sse-foreign-endpoint",
    about: "the stream of HTTP+SSE says to post to another origin",
    effect: Effect::Http(|options| options.slips.push(Slip::ForeignEndpoint)),
};

/// HTTP+SSE that wraps its endpoint.
pub const SSE_JSON_ENDPOINT: Fault = Fault {
    name: "sse-json-endpoint",
    about: "the stream of HTTP+SSE says where to post in a JSON object",
    effect: Effect::Http(|options| options.slips.push(Slip::JsonEndpoint)),
};

/// HTTP+SSE that answers where nobody looks.
pub const SSE_ANSWERS_POST: Fault = Fault {
    name: "sse-answers-post",
    about: "HTTP+SSE answers in the body of the POST",
    effect: Effect::Http(|options| options.slips.push(Slip::AnswersPost)),
};
