//! A payload, single or batch, through a handler: the part that every transport shares.

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;
use tokio::sync::mpsc;
use wire::{Frame, Malformed, Payload};

use super::{Answer, Handler, Inbound, Opening, Out};

/// How many streamed messages may wait before the server is made to wait.
const QUEUE: usize = 64;

/// Answers a whole payload.
pub(super) fn answer<H: Handler>(
    handler: &Arc<H>,
    peer: &Arc<H::Peer>,
    payload: Payload<'_>,
    headers: Option<&HeaderMap>,
) -> Answer {
    match payload {
        Payload::Single(frame) => one(handler, peer, frame, headers),
        Payload::Batch(items) if handler.accepts_batches(peer) && !items.is_empty() => {
            let answers = items.into_iter().map(|item| match item {
                Ok(frame) => one(handler, peer, frame, headers),
                Err(why) => handler.malformed(Some(peer), &why),
            });
            join(answers.collect())
        }
        Payload::Batch(_) => handler.malformed(Some(peer), &Malformed::NotAnObject("array")),
    }
}

fn one<H: Handler>(
    handler: &Arc<H>,
    peer: &Arc<H::Peer>,
    frame: Frame<'_>,
    headers: Option<&HeaderMap>,
) -> Answer {
    let opening = Opening::of(&frame);
    handler.handle(peer, Inbound { frame, opening, headers })
}

/// One answer out of many: nothing, a JSON array, or, when some of it takes time, a stream of single messages.
fn join(answers: Vec<Answer>) -> Answer {
    let mut ready = Vec::new();
    let mut streams = Vec::new();
    for answer in answers {
        match answer {
            Answer::Accepted => {}
            Answer::Message { body, .. } => ready.push(body),
            Answer::Stream(stream) => streams.push(stream),
        }
    }
    match (ready.is_empty(), streams.is_empty()) {
        (true, true) => Answer::Accepted,
        (false, true) => Answer::Message { status: 200, body: array(&ready) },
        (_, false) => Answer::Stream(merge(ready, streams)),
    }
}

fn array(messages: &[Bytes]) -> Bytes {
    let mut out = b"[".to_vec();
    for (index, message) in messages.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.extend_from_slice(message);
    }
    out.push(b']');
    out.into()
}

fn merge(ready: Vec<Bytes>, streams: Vec<mpsc::Receiver<Out>>) -> mpsc::Receiver<Out> {
    let (sender, receiver) = mpsc::channel(QUEUE);
    for mut stream in streams {
        let sender = sender.clone();
        tokio::spawn(async move {
            while let Some(out) = stream.recv().await {
                if sender.send(out).await.is_err() {
                    return;
                }
            }
        });
    }
    tokio::spawn(async move {
        for message in ready {
            if sender.send(Out::Message(message)).await.is_err() {
                return;
            }
        }
    });
    receiver
}
