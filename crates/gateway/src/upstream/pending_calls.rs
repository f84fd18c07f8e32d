//! The requests that a process has not answered yet, and who waits for them.

use std::collections::HashMap;

use bytes::Bytes;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use transport::serve::{Answer, Out};
use wire::{Frame, Id, Kind};

use crate::failure::UpstreamFailure;
use crate::ids::{ClientIds, notified_token, subscription};

/// How many messages of one stream may wait for the client.
const MAX_QUEUED: usize = 256;

/// The requests that wait for their response, by the id that the process knows.
#[derive(Debug, Default)]
pub(super) struct PendingCalls {
    open: HashMap<Id, PendingCall>,
    /// The requests that asked for progress, by token.
    by_token: HashMap<Id, Id>,
    /// Why there will be no more responses.
    ended: Option<String>,
}

/// A request that waits for its response.
#[derive(Debug)]
pub(super) struct PendingCall {
    pub(super) sink: CallSink,
    /// The id and the progress token as the client spelled them, where the process got others.
    pub(super) ids: Option<ClientIds>,
    /// The progress token that the process knows.
    pub(super) token: Option<Id>,
    /// Its place in the order of requests.
    pub(super) number: u64,
    pub(super) id_json: Bytes,
    pub(super) is_modern: bool,
    /// Dropped with the call: nobody has to watch its stream any longer.
    pub(super) _ended: Option<oneshot::Sender<()>>,
}

/// Where messages for a request go.
#[derive(Debug)]
pub(super) enum CallSink {
    /// Nothing has come yet: the first message decides whether the answer is a stream.
    Undecided(oneshot::Sender<Answer>),
    Stream(mpsc::Sender<Out>),
}

impl PendingCalls {
    /// Adds a request; it takes the place of one with the same id. An error says why no response can come.
    pub(super) fn add(&mut self, key: Id, call: PendingCall) -> Result<(), String> {
        if let Some(why) = &self.ended {
            return Err(why.clone());
        }
        drop(self.take(&key));
        if let Some(token) = &call.token {
            self.by_token.insert(token.clone(), key.clone());
        }
        self.open.insert(key, call);
        Ok(())
    }

    /// Removes the request `key`.
    pub(super) fn take(&mut self, key: &Id) -> Option<PendingCall> {
        let call = self.open.remove(key)?;
        if let Some(token) = call.token.as_ref().filter(|token| self.by_token.get(token) == Some(key)) {
            self.by_token.remove(token);
        }
        Some(call)
    }

    /// Removes the request `key` if it is still the one with this number.
    pub(super) fn take_numbered(&mut self, key: &Id, number: u64) -> Option<PendingCall> {
        self.open.get(key).filter(|call| call.number == number)?;
        self.take(key)
    }

    pub(super) fn get_mut(&mut self, key: &Id) -> Option<&mut PendingCall> {
        self.open.get_mut(key)
    }

    /// The stream of the request `key`, if its answer is one.
    pub(super) fn stream(&self, key: &Id) -> Option<mpsc::Sender<Out>> {
        match &self.open.get(key)?.sink {
            CallSink::Stream(stream) => Some(stream.clone()),
            CallSink::Undecided(_) => None,
        }
    }

    /// The request that a notification or a request of the server belongs to. What names none goes to the outbox. A client that
    /// does not read its outbox gets what it must not miss with the latest request.
    pub(super) fn find_concerned(&self, frame: &Frame<'_>, listens: bool) -> Option<Id> {
        if let Some(subscription) = subscription(frame) {
            return self.open.contains_key(&subscription).then_some(subscription);
        }
        if let Some(token) = notified_token(frame) {
            return self.by_token.get(&token).cloned();
        }
        if !is_for_a_request(frame) {
            return None;
        }
        let mut open = self.open.iter();
        match (open.next(), open.next()) {
            (Some((only, _)), None) => Some(only.clone()),
            // Clients that share a process never get what may be for another.
            (Some((_, call)), Some(_)) if !listens && call.ids.is_none() => {
                self.open.iter().max_by_key(|(_, call)| call.number).map(|(key, _)| key.clone())
            }
            _ => None,
        }
    }

    /// Why there will be no more responses.
    pub(super) fn ended(&self) -> Option<&str> {
        self.ended.as_deref()
    }

    /// No response comes any more.
    pub(super) fn end(&mut self, why: &str) {
        self.ended.get_or_insert_with(|| why.to_owned());
        self.by_token.clear();
        for (_, call) in self.open.drain() {
            call.sink.finish(502, UpstreamFailure::lost(why).response(&call.id_json));
        }
    }
}

/// Whether a message that names no request may come of one: a question to the client, or a log message.
fn is_for_a_request(frame: &Frame<'_>) -> bool {
    frame.kind() == Kind::Request || frame.method().as_deref() == Some("notifications/message")
}

impl CallSink {
    /// Sends the last message.
    pub(super) fn finish(self, status: u16, message: Bytes) {
        match self {
            // The client has gone if this fails.
            Self::Undecided(sender) => drop(sender.send(Answer::Message { status, body: message })),
            Self::Stream(sender) => {
                if let Err(TrySendError::Full(last)) = sender.try_send(Out::Message(message)) {
                    // The process is not held up by a client that has yet to read what came before.
                    tokio::spawn(async move { sender.send(last).await });
                }
            }
        }
    }

    /// Sends a message that others follow; false if the client has gone or reads too slowly.
    pub(super) fn push(&mut self, message: Bytes) -> bool {
        if let Self::Undecided(_) = self {
            let (stream, receiver) = mpsc::channel(MAX_QUEUED);
            if let Self::Undecided(decide) = std::mem::replace(self, Self::Stream(stream)) {
                // The stream is closed if nobody waits for it.
                let _ = decide.send(Answer::Stream(receiver));
            }
        }
        match self {
            Self::Undecided(_) => false,
            Self::Stream(sender) => sender.try_send(Out::Message(message)).is_ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u64) -> Id {
        Id::Number(number.to_string().into())
    }

    fn pending(number: u64, token: Option<u64>) -> (PendingCall, oneshot::Receiver<Answer>) {
        let (sender, answer) = oneshot::channel();
        let call = PendingCall {
            sink: CallSink::Undecided(sender),
            ids: None,
            token: token.map(id),
            number,
            id_json: Bytes::from_static(b"1"),
            is_modern: false,
            _ended: None,
        };
        (call, answer)
    }

    fn concerned(calls: &PendingCalls, message: &[u8], listens: bool) -> Option<Id> {
        calls.find_concerned(&Frame::parse(message).unwrap(), listens)
    }

    #[test]
    fn progress_goes_to_the_request_that_asked_for_it() {
        let mut calls = PendingCalls::default();
        calls.add(id(1), pending(1, Some(10)).0).unwrap();
        calls.add(id(2), pending(2, Some(20)).0).unwrap();
        let progress = br#"{"method":"notifications/progress","params":{"progressToken":10}}"#;
        assert_eq!(concerned(&calls, progress, true), Some(id(1)));
        calls.take(&id(1)).unwrap();
        assert_eq!(concerned(&calls, progress, true), None);
    }

    #[test]
    fn a_question_goes_to_the_only_request_or_to_who_listens() {
        let mut calls = PendingCalls::default();
        let question = br#"{"id":5,"method":"roots/list"}"#;
        assert_eq!(concerned(&calls, question, false), None);
        calls.add(id(1), pending(1, None).0).unwrap();
        assert_eq!(concerned(&calls, question, true), Some(id(1)));
        calls.add(id(2), pending(2, None).0).unwrap();
        assert_eq!(concerned(&calls, question, true), None);
        assert_eq!(concerned(&calls, question, false), Some(id(2)));
    }

    #[tokio::test]
    async fn the_last_message_arrives_also_where_the_reader_is_behind() {
        let (mut call, answer) = pending(1, None);
        for _ in 0..MAX_QUEUED {
            assert!(call.sink.push(Bytes::from_static(b"more")));
        }
        call.sink.finish(200, Bytes::from_static(b"last"));
        let Ok(Answer::Stream(mut outs)) = answer.await else { panic!("a stream") };
        let mut messages = Vec::new();
        while let Some(Out::Message(message)) = outs.recv().await {
            messages.push(message);
        }
        assert_eq!((messages.len(), messages.last().map(|it| &it[..])), (MAX_QUEUED + 1, Some(&b"last"[..])));
    }

    #[tokio::test]
    async fn who_waits_hears_why_nothing_comes() {
        let mut calls = PendingCalls::default();
        let (call, answer) = pending(1, None);
        calls.add(id(1), call).unwrap();
        calls.end("killed");
        let Ok(Answer::Message { status, body }) = answer.await else { panic!("an answer") };
        assert!(status == 502 && std::str::from_utf8(&body).unwrap().contains("killed"));
        assert_eq!(calls.add(id(2), pending(2, None).0), Err("killed".to_owned()));
    }
}
