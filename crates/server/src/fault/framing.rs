//! Faults of the message itself: JSON, JSON-RPC, lines.

use bytes::Bytes;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use transport::Transport;
use transport::serve::Answer;
use wire::{Frame, Kind, Splice, members};

use super::edit::{each, in_error, mentions, only, remove, succeed};
use super::{Effect, Fault};

pub(super) const FAULTS: &[&Fault] = &[
    &JSONRPC_MISSING,
    &ID_STRINGIFIED,
    &ID_FOREIGN,
    &ANSWERED_TWICE,
    &RESULT_AND_ERROR,
    &ERROR_CODE_TEXT,
    &ERROR_WITHOUT_MESSAGE,
    &DUPLICATE_MEMBER,
    &NOT_UTF8,
    &STDOUT_NOISE,
    &NOISE_AFTER_MESSAGE,
    &EVENT_NOISE,
    &PRETTY_PRINTED,
    &NOTIFICATION_ANSWERED,
    &UNKNOWN_METHOD_ANSWERED,
    &UNKNOWN_METHOD_WRONG_CODE,
    &PARSE_ERROR_SWALLOWED,
    &PARSE_ERROR_WRONG_CODE,
    &BATCH_REFUSED,
    &RESERVED_CODE,
    &SPELLED_OTHERWISE,
    &LONG_ANSWER_DROPPED,
];

pub const JSONRPC_MISSING: Fault = Fault {
    name: "jsonrpc-missing",
    about: "messages have no jsonrpc member",
    effect: Effect::Message(|_, message| each(message, |m| remove(m, "jsonrpc"))),
};

pub const ID_STRINGIFIED: Fault = Fault {
    name: "id-stringified",
    about: "the id of a response is turned into a string",
    effect: Effect::Message(|_, message| {
        each(message, |m| {
            if let (None, Some(id @ Value::Number(_))) = (m.get("method"), m.get("id")) {
                m["id"] = id.to_string().into();
            }
        })
    }),
};

pub const ID_FOREIGN: Fault = Fault {
    name: "id-foreign",
    about: "every result is followed by another one, for a request that was never sent",
    effect: Effect::Message(|_, message| {
        let mut other = message.clone();
        if message.get("result").is_none() {
            return vec![message];
        }
        other["id"] = json!("nobody-asked");
        vec![other, message]
    }),
};

pub const ANSWERED_TWICE: Fault = Fault {
    name: "answered-twice",
    about: "every result is sent twice",
    effect: Effect::Message(|_, message| match message.get("result") {
        Some(_) => vec![message.clone(), message],
        None => vec![message],
    }),
};

pub const RESULT_AND_ERROR: Fault = Fault {
    name: "result-and-error",
    about: "an error response has a result as well",
    effect: Effect::Message(|_, message| in_error(message, |m, _| m["result"] = json!({}))),
};

pub const ERROR_CODE_TEXT: Fault = Fault {
    name: "error-code-text",
    about: "error codes are strings",
    effect: Effect::Message(|_, message| {
        in_error(message, |m, code| m["error"]["code"] = code.to_string().into())
    }),
};

pub const ERROR_WITHOUT_MESSAGE: Fault = Fault {
    name: "error-without-message",
    about: "errors have no message",
    effect: Effect::Message(|_, message| in_error(message, |m, _| remove(&mut m["error"], "message"))),
};

pub const DUPLICATE_MEMBER: Fault = Fault {
    name: "duplicate-member",
    about: "messages have their jsonrpc member twice",
    effect: Effect::Bytes(|_, bytes| match bytes.strip_suffix(b"}") {
        Some(rest) => [rest, br#","jsonrpc":"2.0"}"#].concat(),
        None => bytes,
    }),
};

pub const NOT_UTF8: Fault = Fault {
    name: "not-utf8",
    about: "results carry a string that is not UTF-8",
    effect: Effect::Bytes(|_, bytes| {
        let text = String::from_utf8_lossy(&bytes);
        if !text.contains("\"result\"") {
            return bytes;
        }
        match bytes.strip_suffix(b"}") {
            Some(rest) => [rest, b",\"x\":\"\xff\xfe\"}"].concat(),
            None => bytes,
        }
    }),
};

pub const STDOUT_NOISE: Fault = Fault {
    name: "stdout-noise",
    about: "a log line on stdout before every response",
    effect: Effect::Bytes(|outgoing, bytes| match (outgoing.transport, outgoing.method) {
        (Transport::Stdio, Some(_)) => [b"[info] handling a request\n", &bytes[..]].concat(),
        _ => bytes,
    }),
};

pub const NOISE_AFTER_MESSAGE: Fault = Fault {
    name: "noise-after-message",
    about: "on stdout a log line follows a message without a newline between them",
    effect: Effect::Bytes(|outgoing, bytes| match (outgoing.transport, outgoing.method) {
        (Transport::Stdio, Some(_)) => {
            let note = br#"{"jsonrpc":"2.0","method":"notifications/example"}[info] handling a request"#;
            [&note[..], b"\n", &bytes[..]].concat()
        }
        _ => bytes,
    }),
};

pub const EVENT_NOISE: Fault = Fault {
    name: "event-noise",
    about: "progress comes as plain text on event streams",
    effect: Effect::Bytes(|outgoing, bytes| match outgoing.transport {
        Transport::StreamableHttp if String::from_utf8_lossy(&bytes).contains("notifications/progress") => {
            b"working on it".to_vec()
        }
        Transport::StreamableHttp | Transport::HttpSse | Transport::Stdio => bytes,
    }),
};

pub const PRETTY_PRINTED: Fault = Fault {
    name: "pretty-printed",
    about: "messages on a pipe are spread over several lines",
    effect: Effect::Bytes(|outgoing, bytes| match outgoing.transport {
        Transport::Stdio => serde_json::from_slice::<Value>(&bytes)
            .ok()
            .and_then(|value| serde_json::to_vec_pretty(&value).ok())
            .unwrap_or(bytes),
        Transport::StreamableHttp | Transport::HttpSse => bytes,
    }),
};

pub const NOTIFICATION_ANSWERED: Fault = Fault {
    name: "notification-answered",
    about: "notifications get a response",
    effect: Effect::Answer(|incoming, answer| match (incoming.frame.kind(), &answer) {
        (Kind::Notification, Answer::Accepted) => {
            let body = br#"{"jsonrpc":"2.0","id":0,"result":{}}"#;
            Answer::Message { status: 200, body: Bytes::from_static(body) }
        }
        _ => answer,
    }),
};

pub const UNKNOWN_METHOD_ANSWERED: Fault = Fault {
    name: "unknown-method-answered",
    about: "a method that does not exist gets an empty result",
    effect: Effect::Message(|out, m| {
        let is_unknown = mentions(&m, "no method");
        each(m, |m| {
            if is_unknown {
                succeed(out, m, json!({}));
            }
        })
    }),
};

pub const UNKNOWN_METHOD_WRONG_CODE: Fault = Fault {
    name: "unknown-method-wrong-code",
    about: "a method that does not exist gets -32603",
    effect: Effect::Message(|out, message| {
        // Other rules apply to methods of other revisions.
        let unknown = out.method.is_some_and(|name| protocol::method::named(name).is_empty());
        in_error(message, |m, code| {
            if unknown && code == -32601 {
                m["error"]["code"] = (-32603).into();
            }
        })
    }),
};

pub const PARSE_ERROR_SWALLOWED: Fault = Fault {
    name: "parse-error-swallowed",
    about: "what is not JSON is accepted without a word",
    effect: Effect::Message(|_, message| only(message, |m| m["error"]["code"] != -32700)),
};

pub const PARSE_ERROR_WRONG_CODE: Fault = Fault {
    name: "parse-error-wrong-code",
    about: "what is not JSON gets -32000",
    effect: Effect::Recode(&[], -32700, -32000),
};

pub const BATCH_REFUSED: Fault = Fault {
    name: "batch-refused",
    about: "a batch is refused in every revision",
    effect: Effect::Batches(false),
};

pub const RESERVED_CODE: Fault = Fault {
    name: "reserved-code",
    about: "calls are refused with a code from the range that is kept for the specification",
    effect: Effect::Recode(&["tools/call"], -32602, -32077),
};

pub const SPELLED_OTHERWISE: Fault = Fault {
    name: "spelled-otherwise",
    about: "ids, tokens and codes are spelled otherwise: 10 as 10.0e0, \"y\" as \"\\u0079\"",
    effect: Effect::Bytes(|_, bytes| {
        let Ok(frame) = Frame::parse(&bytes) else { return bytes };
        let mut splice = Splice::new(&bytes);
        let code = member(frame.error, "code");
        for raw in [frame.id, code, member(frame.params, "progressToken")].into_iter().flatten() {
            splice.replace(raw.get(), spelled_otherwise(raw).into_bytes());
        }
        splice.finish()
    }),
};

fn member<'a>(object: Option<&'a RawValue>, name: &str) -> Option<&'a RawValue> {
    members(object?)?.into_iter().find(|(key, _)| key == name).map(|(_, raw)| raw)
}

fn spelled_otherwise(raw: &RawValue) -> String {
    match wire::text(raw) {
        Some(text) => {
            let escaped: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
            format!("\"{escaped}\"")
        }
        None if raw.get().bytes().last().is_some_and(|byte| byte.is_ascii_digit()) => {
            format!("{}.0e0", raw.get().trim_end_matches(".0"))
        }
        None => raw.get().to_owned(),
    }
}

pub const LONG_ANSWER_DROPPED: Fault = Fault {
    name: "long-answer-dropped",
    about: "an answer of more than 512 KiB is never sent",
    effect: Effect::Message(|_, m| {
        let is_long = m.get("id").is_some_and(|id| id.to_string().len() > 512 * 1024);
        only(m, |_| !is_long)
    }),
};
