//! Outgoing messages, and how faults change them.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use protocol::apps::MIME_TYPE;
use protocol::{Version, code};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use transport::Transport;
use transport::serve::{Answer, Out};

use super::edit::{recode, results_of};
use super::faulty::{Connection, Faulty};
use super::{DocumentEdit, Effect, Memory, path};
use crate::Server;

/// How many messages may be queued in a fault.
const MAX_QUEUED: usize = 64;

/// The context of an outgoing message.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing<'a> {
    /// The method of the request that it belongs to, if any.
    pub method: Option<&'a str>,
    /// The id of that request, or null.
    pub id: &'a Value,
    /// The params of that request as the client sent them, or null.
    pub params: &'a Value,
    /// The revision, once it is known.
    pub version: Option<Version>,
    /// The transport.
    pub transport: Transport,
    /// The memory of the fault.
    pub memory: &'a Memory,
    pub(super) server: &'a Server,
}

/// What follows at the end of a stream: a pause, a message if there is one, and then the end.
#[derive(Clone, Debug)]
pub struct Ending {
    /// How long the pause is.
    pub after: Duration,
    /// The message after it.
    pub message: Value,
}

/// What is known of a request while it is answered.
#[derive(Clone, Debug)]
pub(super) struct RequestContext {
    pub(super) method: Option<String>,
    pub(super) id: Value,
    pub(super) params: Value,
    pub(super) version: Option<Version>,
    pub(super) transport: Transport,
    /// The connection that was asked on, if there is one.
    pub(super) connection: Option<Arc<Connection>>,
}

impl RequestContext {
    /// The context of a message that belongs to no request.
    pub(super) const fn none(transport: Transport, version: Option<Version>) -> Self {
        Self { method: None, id: Value::Null, params: Value::Null, version, transport, connection: None }
    }

    fn outgoing<'a>(&'a self, server: &'a Server, memory: &'a Memory) -> Outgoing<'a> {
        let Self { method, id, params, version, transport, .. } = self;
        Outgoing {
            method: method.as_deref(),
            id,
            params,
            version: *version,
            transport: *transport,
            memory,
            server,
        }
    }
}

impl Faulty {
    /// The messages that replace `message`: none, one or more.
    pub(super) fn apply(&self, context: &RequestContext, message: Bytes) -> Vec<Bytes> {
        let mut messages = vec![message];
        for (effect, memory) in self.effects() {
            let out = context.outgoing(&self.server, memory);
            messages = match effect {
                Effect::Bytes(change) => {
                    messages.into_iter().map(|m| change(&out, m.into()).into()).collect()
                }
                effect => messages.into_iter().flat_map(|m| rewrite(effect, &out, m)).collect(),
            };
        }
        messages
    }

    /// An answer, changed by the faults.
    pub(super) fn change_answer(&self, context: &RequestContext, answer: Answer) -> Answer {
        match answer {
            Answer::Accepted => Answer::Accepted,
            Answer::Message { status, body } => {
                let mut messages = self.apply(context, body.clone());
                match messages.len() {
                    0 => Answer::Accepted,
                    1 => {
                        let status = changed_status(context.version, status, &body, &messages[0]);
                        Answer::Message { status, body: messages.remove(0) }
                    }
                    _ => Answer::Stream(self.pass(context.clone(), ready(messages))),
                }
            }
            Answer::Stream(outs) => Answer::Stream(self.pass(context.clone(), outs)),
            Answer::Later(later) => {
                let (faults, context) = (self.clone(), context.clone());
                Answer::Later(Box::pin(async move { faults.change_answer(&context, later.await) }))
            }
        }
    }

    fn pass(&self, context: RequestContext, outs: mpsc::Receiver<Out>) -> mpsc::Receiver<Out> {
        let (sender, receiver) = mpsc::channel(MAX_QUEUED);
        tokio::spawn(self.clone().pass_all(context, outs, sender));
        receiver
    }

    async fn pass_all(
        self,
        context: RequestContext,
        mut outs: mpsc::Receiver<Out>,
        sender: mpsc::Sender<Out>,
    ) {
        let mut is_answered = false;
        let ends_with_others = self.ends_with_others(&context);
        let mut others_ended = std::pin::pin!(self.hangup.notified());
        others_ended.as_mut().enable();
        loop {
            let out = tokio::select! {
                out = outs.recv() => out,
                () = sender.closed() => {
                    if ends_with_others {
                        self.hangup.notify_waiters();
                    }
                    return;
                }
                () = &mut others_ended, if ends_with_others => return,
            };
            let messages = match out {
                None => break,
                Some(Out::Message(message)) => self.apply(&context, message),
                Some(hangup @ Out::Hangup { .. }) => {
                    // The client has gone.
                    let _ = sender.send(hangup).await;
                    continue;
                }
            };
            for message in messages {
                is_answered |= wire::Frame::parse(&message).is_ok_and(|frame| frame.method.is_none());
                let _ = sender.send(Out::Message(message.clone())).await;
                self.copy(&context, message);
            }
        }
        self.end(&context, &sender, is_answered).await;
    }

    /// Whether the stream of a request ends when the client closes that of another one.
    fn ends_with_others(&self, context: &RequestContext) -> bool {
        context.transport == Transport::StreamableHttp
            && context.method.as_deref() == Some("tools/call")
            && !super::edit::is_legacy(context.version)
            && self.effects().any(|(effect, _)| matches!(effect, Effect::EndTogether))
    }

    /// Copies a message on a stream of a session to its GET stream, if a fault selects it.
    fn copy(&self, context: &RequestContext, message: Bytes) {
        let in_session =
            context.transport == Transport::StreamableHttp && super::edit::is_legacy(context.version);
        let connection = context.connection.as_ref().filter(|_| in_session);
        let is_copied = || {
            let message = serde_json::from_slice(&message).unwrap_or(Value::Null);
            self.effects().any(|(effect, _)| matches!(effect, Effect::Copy(wants) if wants(&message)))
        };
        if let Some(connection) = connection.filter(|_| is_copied()) {
            // There may be no GET stream.
            let _ = connection.peer.send(message);
        }
    }

    async fn end(&self, context: &RequestContext, sender: &mpsc::Sender<Out>, is_answered: bool) {
        for (effect, memory) in self.effects() {
            let Effect::End(ending) = effect else { continue };
            let ending = ending(&context.outgoing(&self.server, memory), is_answered);
            let Some(Ending { after, message }) = ending else { continue };
            tokio::time::sleep(after).await;
            let _ = sender.send(Out::Message(message.to_string().into())).await;
        }
    }
}

/// The HTTP status of a changed response: an error that became a result gets the status of a success, and the reverse.
fn changed_status(version: Option<Version>, status: u16, before: &[u8], after: &[u8]) -> u16 {
    let error = |message: &[u8]| serde_json::from_slice::<Value>(message).ok()?["error"]["code"].as_i64();
    match (error(before), error(after), version) {
        (Some(_), None, _) => 200,
        (None, Some(code), Some(version)) => code::http_status(version, code).code(),
        (Some(_), Some(_), _) | (None, ..) => status,
    }
}

fn rewrite(effect: Effect, out: &Outgoing<'_>, message: Bytes) -> Vec<Bytes> {
    // A message that an earlier fault has made unreadable passes unchanged.
    let Ok(value) = serde_json::from_slice::<Value>(&message) else { return vec![message] };
    let changed = match effect {
        Effect::Message(change) => change(out, value),
        Effect::Set(methods, at, to) => results_of(out, methods, value, |r| path::set(r, at, &to())),
        Effect::Replace(methods, at, with) => {
            results_of(out, methods, value, |r| path::replace(r, at, &with()))
        }
        Effect::Remove(methods, at) => results_of(out, methods, value, |r| path::remove(r, at)),
        Effect::Recode(methods, from, to) => recode(out, methods, value, from, to),
        Effect::Fail(method, code) => fail(out, method, code, value),
        Effect::Document(edits) => {
            results_of(out, &["resources/read"], value, |result| edit_documents(result, edits))
        }
        _ => return vec![message],
    };
    changed.into_iter().map(|v| v.to_string().into()).collect()
}

/// Edits the HTML in the contents of a resource that was read.
fn edit_documents(result: &mut Value, edits: &[DocumentEdit]) {
    for content in result["contents"].as_array_mut().into_iter().flatten() {
        let Some(html) = content["text"].as_str().filter(|_| content["mimeType"] == MIME_TYPE) else {
            continue;
        };
        let edited = edits.iter().fold(html.to_owned(), |html, edit| html.replacen(edit.text, edit.by, 1));
        content["text"] = edited.into();
    }
}

/// The results of `method` become errors.
fn fail(out: &Outgoing<'_>, method: &str, code: i64, mut message: Value) -> Vec<Value> {
    if out.method == Some(method) && message.get("result").is_some() {
        path::remove(&mut message, &["result"]);
        message["error"] = json!({ "code": code, "message": "not now" });
    }
    vec![message]
}

fn ready(messages: Vec<Bytes>) -> mpsc::Receiver<Out> {
    let (sender, receiver) = mpsc::channel(messages.len().max(1));
    for message in messages {
        // There is room for all of them.
        let _ = sender.try_send(Out::Message(message));
    }
    receiver
}
