//! A payload, single or batch, through a handler: the part that every transport shares.

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;
use tokio::sync::mpsc;
use wire::{Frame, Kind, Malformed, Payload};

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
                Ok(frame) => in_batch(handler, peer, frame, headers),
                Err(why) => handler.malformed(Some(peer), &why),
            });
            let answers = answers.collect();
            // On a pipe the responses to a batch are a batch; an event stream takes each as it comes.
            join(answers, headers.is_none())
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

/// A batch is part of its session, whatever its messages say: there is no handshake in it, and nothing modern.
fn in_batch<H: Handler>(
    handler: &Arc<H>,
    peer: &Arc<H::Peer>,
    frame: Frame<'_>,
    headers: Option<&HeaderMap>,
) -> Answer {
    handler.handle(peer, Inbound { frame, opening: Opening::Legacy, headers })
}

/// One answer out of many: nothing, a JSON array, or, when some of it takes time, a stream.
fn join(answers: Vec<Answer>, collect: bool) -> Answer {
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
        (_, false) => {
            let (sender, receiver) = mpsc::channel(QUEUE);
            tokio::spawn(merge(ready, streams, sender, collect));
            Answer::Stream(receiver)
        }
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

/// Passes everything on as it comes, or keeps the responses back until all of them are there.
async fn merge(
    mut ready: Vec<Bytes>,
    streams: Vec<mpsc::Receiver<Out>>,
    sender: mpsc::Sender<Out>,
    collect: bool,
) {
    let (gather, mut gathered) = mpsc::channel(QUEUE);
    for stream in streams {
        tokio::spawn(pass(stream, gather.clone()));
    }
    drop(gather);
    if !collect {
        for message in ready.drain(..) {
            // The client has gone; the streams learn it by themselves.
            let _ = sender.send(Out::Message(message)).await;
        }
    }
    loop {
        let out = tokio::select! {
            out = gathered.recv() => out,
            () = sender.closed() => return,
        };
        match out {
            Some(Out::Message(message)) if collect && is_response(&message) => ready.push(message),
            Some(out) => drop(sender.send(out).await),
            None => break,
        }
    }
    if !ready.is_empty() {
        let _ = sender.send(Out::Message(array(&ready))).await;
    }
}

async fn pass(mut stream: mpsc::Receiver<Out>, gather: mpsc::Sender<Out>) {
    loop {
        let out = tokio::select! {
            out = stream.recv() => out,
            () = gather.closed() => return,
        };
        match out {
            Some(out) => drop(gather.send(out).await),
            None => return,
        }
    }
}

fn is_response(message: &[u8]) -> bool {
    Frame::parse(message).is_ok_and(|frame| matches!(frame.kind(), Kind::Result | Kind::Error))
}
