//! Answers the requests of a server, in the revisions that allow them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use protocol::Era;
use serde_json::{Value, json};
use wire::{Frame, Kind};

use super::message::value;
use super::{Answer, Message, Profile, ServerRequest};

/// How many requests of one batch are answered.
const MAX_ANSWERS: usize = 256;

/// Answers with a profile. In the modern era servers send no requests, and none is answered. Clones share both.
#[derive(Clone, Debug)]
pub(crate) struct Responder {
    client: Arc<Mutex<(Profile, Era)>>,
}

impl Responder {
    pub(crate) fn new(profile: Profile, era: Era) -> Self {
        Self { client: Arc::new(Mutex::new((profile, era))) }
    }

    /// Answers as another client from now on.
    pub(crate) fn become_client(&self, profile: Profile, era: Era) {
        *self.lock() = (profile, era);
    }

    /// The answers to the requests in a message.
    pub(crate) fn answers(&self, message: &Message) -> Vec<Bytes> {
        match &*self.lock() {
            (_, Era::Modern) => Vec::new(),
            (profile, Era::Legacy) => {
                let frames = message.frames();
                frames.iter().filter_map(|frame| answer_as(profile, frame)).take(MAX_ANSWERS).collect()
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, (Profile, Era)> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn answer_as(profile: &Profile, frame: &Frame<'_>) -> Option<Bytes> {
    if frame.kind() != Kind::Request {
        return None;
    }
    let (id, method) = (frame.id?.get(), frame.method()?);
    let params = frame.params.and_then(value).unwrap_or(Value::Null);
    let request = ServerRequest { id, method: &method, params: &params };
    let outcome = match profile.answer_request(&request) {
        Answer::Result(result) => format!(r#""result":{result}"#),
        Answer::Error { code, message } => {
            format!(r#""error":{}"#, json!({ "code": code, "message": message }))
        }
        Answer::Silence => return None,
    };
    Some(format!(r#"{{"jsonrpc":"2.0","id":{id},{outcome}}}"#).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(era: Era, json: &'static str) -> Vec<Bytes> {
        let message = Message::plain(Bytes::from_static(json.as_bytes()), 0);
        Responder::new(Profile::default(), era).answers(&message)
    }

    #[test]
    fn requests_are_answered_with_their_own_id() {
        let ping = r#"{"jsonrpc":"2.0","id":8.0,"method":"ping"}"#;
        assert_eq!(answers(Era::Legacy, ping), [r#"{"jsonrpc":"2.0","id":8.0,"result":{}}"#]);
        assert!(answers(Era::Modern, ping).is_empty());
        assert!(answers(Era::Legacy, r#"{"method":"notifications/message"}"#).is_empty());
    }

    #[test]
    fn a_client_that_falls_back_to_the_legacy_era_answers() {
        let ping = Message::plain(Bytes::from_static(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), 0);
        let responder = Responder::new(Profile::default(), Era::Modern);
        let reading = responder.clone();
        assert!(reading.answers(&ping).is_empty());
        responder.become_client(Profile::bare(), Era::Legacy);
        assert_eq!(reading.answers(&ping).len(), 1);
    }

    #[test]
    fn each_request_of_a_batch_is_answered() {
        let batch = r#"[{"id":1,"method":"ping"},{"id":"b","method":"nope"}]"#;
        let answers = answers(Era::Legacy, batch);
        assert_eq!(answers.len(), 2);
        assert!(answers[1].starts_with(br#"{"jsonrpc":"2.0","id":"b","error":{"code":-32601,"#));
    }
}
