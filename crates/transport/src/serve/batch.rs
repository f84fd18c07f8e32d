//! Passes a payload, single or batch, to a handler. Every transport uses this.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::join_all;
use http::HeaderMap;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use wire::{Frame, Kind, Malformed, Payload};

use super::{Answer, Handler, Inbound, Limits, Opening, Out};

/// How many streamed messages may be queued before the server has to wait.
const MAX_QUEUED: usize = 16;

/// Answers a whole payload, which was parsed from `bytes`.
pub(super) fn answer<H: Handler>(
    handler: &Arc<H>,
    peer: &Arc<H::Peer>,
    payload: Payload<'_>,
    bytes: &Bytes,
    headers: Option<&HeaderMap>,
    limits: &Limits,
) -> Answer {
    match payload {
        Payload::Single(frame) => handle_single(handler, peer, frame, bytes, headers),
        Payload::Batch(items) if handler.accepts_batches(peer) && !items.is_empty() => {
            if items.len() > limits.batch {
                return refuse_batch(items.len(), limits.batch);
            }
            let mut answers = BatchAnswers::new(limits.message);
            for item in items {
                answers.add(item, |item| match item {
                    Ok(frame) => handle_in_batch(handler, peer, frame, bytes, headers),
                    Err(why) => handler.malformed(Some(peer), &why),
                });
            }
            // On a pipe the responses to a batch form a batch. On an event stream each goes out as it comes.
            answers.into_answer(headers.is_none())
        }
        Payload::Batch(_) => handler.malformed(Some(peer), &Malformed::NotAnObject("array")),
    }
}

fn handle_single<H: Handler>(
    handler: &Arc<H>,
    peer: &Arc<H::Peer>,
    frame: Frame<'_>,
    bytes: &Bytes,
    headers: Option<&HeaderMap>,
) -> Answer {
    let opening = Opening::classify(&frame);
    handler.handle(peer, Inbound { frame, bytes, opening, headers })
}

/// A batch belongs to its session, whatever its messages say. It holds neither handshakes nor modern requests.
fn handle_in_batch<H: Handler>(
    handler: &Arc<H>,
    peer: &Arc<H::Peer>,
    frame: Frame<'_>,
    batch: &Bytes,
    headers: Option<&HeaderMap>,
) -> Answer {
    let bytes = &batch.slice_ref(frame.text.as_bytes());
    handler.handle(peer, Inbound { frame, bytes, opening: Opening::Legacy, headers })
}

fn refuse_batch(count: usize, most: usize) -> Answer {
    let why = format!("a batch of {count} messages; send at most {most}");
    let error = serde_json::json!({ "code": protocol::code::INVALID_REQUEST, "message": why });
    let body = serde_json::json!({ "jsonrpc": "2.0", "id": null, "error": error });
    Answer::Message { status: 413, body: body.to_string().into() }
}

/// The answers of a batch, as many as there is room for.
struct BatchAnswers {
    ready: Responses,
    streams: Vec<mpsc::Receiver<Out>>,
    /// Answers that are not known yet, with the ids of their requests.
    later: Vec<(Answer, Option<Box<RawValue>>)>,
}

/// Responses that go out together. They are bounded like one message.
struct Responses {
    messages: Vec<Bytes>,
    bytes: usize,
    most: usize,
}

impl BatchAnswers {
    const fn new(most: usize) -> Self {
        let ready = Responses { messages: Vec::new(), bytes: 0, most };
        Self { ready, streams: Vec::new(), later: Vec::new() }
    }

    /// Adds the answer to one message. Once the batch is full, further requests are not handled.
    fn add<'a>(
        &mut self,
        item: Result<Frame<'a>, Malformed>,
        handle: impl FnOnce(Result<Frame<'a>, Malformed>) -> Answer,
    ) {
        if self.ready.is_full()
            && let Ok(frame) = &item
        {
            if let (Kind::Request, Some(id)) = (frame.kind(), frame.id) {
                self.ready.messages.push(too_long(id));
            }
            return;
        }
        let id = item.as_ref().ok().and_then(|frame| frame.id);
        match handle(item) {
            Answer::Accepted => {}
            Answer::Message { body, .. } => self.ready.push(body, id),
            Answer::Stream(stream) => self.streams.push(stream),
            later @ Answer::Later(_) => self.later.push((later, id.map(ToOwned::to_owned))),
        }
    }

    /// One answer out of many: nothing, a JSON array, or, when some of it takes time, a stream.
    fn into_answer(mut self, collect: bool) -> Answer {
        let later = std::mem::take(&mut self.later);
        if !later.is_empty() {
            return Answer::Later(Box::pin(async move {
                let known = later.into_iter().map(|(answer, id)| async { (answer.known().await, id) });
                for (answer, id) in join_all(known).await {
                    match answer {
                        Answer::Accepted | Answer::Later(_) => {}
                        Answer::Message { body, .. } => self.ready.push(body, id.as_deref()),
                        Answer::Stream(stream) => self.streams.push(stream),
                    }
                }
                self.into_answer(collect)
            }));
        }
        match (self.ready.messages.is_empty(), self.streams.is_empty()) {
            (true, true) => Answer::Accepted,
            (false, true) => Answer::Message { status: 200, body: array(&self.ready.messages) },
            (_, false) => {
                let (sender, receiver) = mpsc::channel(MAX_QUEUED);
                tokio::spawn(merge(self.ready, self.streams, sender, collect));
                Answer::Stream(receiver)
            }
        }
    }
}

impl Responses {
    fn is_full(&self) -> bool {
        self.bytes >= self.most
    }

    /// Adds a response, or in its place an error when there is no room for it.
    fn push(&mut self, message: Bytes, id: Option<&RawValue>) {
        let fits = self.messages.is_empty() || self.bytes + message.len() <= self.most;
        self.bytes += message.len();
        match (fits, id) {
            (false, Some(id)) => self.messages.push(too_long(id)),
            (true, _) | (false, None) => self.messages.push(message),
        }
    }
}

/// The answer to a request whose response would make the batch too long.
fn too_long(id: &RawValue) -> Bytes {
    let code = protocol::code::INTERNAL_ERROR;
    let why = "the responses to this batch are too long together: send the request by itself";
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{why}"}}}}"#).into()
}

fn array(messages: &[Bytes]) -> Bytes {
    let mut out = Vec::with_capacity(messages.iter().map(|message| message.len() + 1).sum::<usize>() + 1);
    out.push(b'[');
    for (index, message) in messages.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.extend_from_slice(message);
    }
    out.push(b']');
    out.into()
}

/// Passes on each message as it comes, or collects the responses until all are complete.
async fn merge(
    mut ready: Responses,
    streams: Vec<mpsc::Receiver<Out>>,
    sender: mpsc::Sender<Out>,
    collect: bool,
) {
    let (gather, mut gathered) = mpsc::channel(MAX_QUEUED);
    for stream in streams {
        let gather = gather.clone();
        tokio::spawn(async move { Answer::Stream(stream).send_into(&gather).await });
    }
    drop(gather);
    if !collect {
        for message in ready.messages.drain(..) {
            // The client has gone. The streams notice that by themselves.
            let _ = sender.send(Out::Message(message)).await;
        }
    }
    loop {
        let out = tokio::select! {
            out = gathered.recv() => out,
            () = sender.closed() => return,
        };
        match out {
            Some(Out::Message(message)) if collect && is_response(&message) => {
                let id = Frame::parse(&message).ok().and_then(|frame| frame.id.map(ToOwned::to_owned));
                ready.push(message, id.as_deref());
            }
            Some(out) => drop(sender.send(out).await),
            None => break,
        }
    }
    if !ready.messages.is_empty() {
        let _ = sender.send(Out::Message(array(&ready.messages))).await;
    }
}

fn is_response(message: &[u8]) -> bool {
    Frame::parse(message).is_ok_and(|frame| matches!(frame.kind(), Kind::Result | Kind::Error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(count: usize, most: usize) -> (Vec<serde_json::Value>, usize) {
        let mut answers = BatchAnswers::new(most);
        let mut handled = 0;
        for _ in 0..count {
            let frame = Frame::parse(br#"{"jsonrpc":"2.0","id":7,"method":"m"}"#);
            answers.add(frame, |_| {
                handled += 1;
                Answer::Message {
                    status: 200,
                    body: format!(r#"{{"result":"{}"}}"#, "x".repeat(1000)).into(),
                }
            });
        }
        let Answer::Message { body, .. } = answers.into_answer(true) else { panic!("it is all there") };
        (serde_json::from_slice(&body).unwrap(), handled)
    }

    #[test]
    fn what_there_is_no_room_for_is_not_worked_on_and_answered_with_an_error() {
        let (answers, handled) = answered(20, 5000);
        assert_eq!((answers.len(), handled), (20, 5));
        let results = answers.iter().take_while(|answer| answer.get("result").is_some()).count();
        assert_eq!(results, 4);
        assert!(
            answers[results..].iter().all(|answer| answer["id"] == 7 && answer["error"]["code"] == -32603)
        );
        assert_eq!(answered(1, 10).0[0]["result"].as_str().map(str::len), Some(1000), "one may be longer");
    }
}
