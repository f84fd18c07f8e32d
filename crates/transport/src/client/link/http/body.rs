//! A response body as messages: one JSON text, or the events of a stream.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};
use wire::sse::{Event, Events, Oddity, is_stream};
use wire::{Payload, What};

use super::Exchange;
use crate::MAX_EVIDENCE_BYTES;
use crate::client::{Failure, Message};

/// Reads a body, records it, and returns it piece by piece.
#[derive(Debug)]
pub(crate) struct BodyReader {
    pub(crate) exchange: Exchange,
    /// How the body was cut short, if it was.
    pub(crate) cut: Option<String>,
    /// The id of the last event that had one.
    pub(crate) last_event_id: Option<String>,
    /// The last `retry` in milliseconds.
    pub(crate) retry: Option<u64>,
    mode: Mode,
    ready: VecDeque<Item>,
}

/// One piece of a body.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    /// An event with a message.
    Message(Message),
    /// An event without one.
    Event(Event),
    /// The whole body, if it is not a stream; with its message, if it is one.
    Whole(Bytes, Option<Message>),
}

#[derive(Debug)]
enum Mode {
    Events(Events),
    Whole(BytesMut),
    Over,
}

impl BodyReader {
    pub(crate) fn new(exchange: Exchange) -> Self {
        let limit = exchange.http().message_limit;
        let mode = if exchange.is_stream() {
            Mode::Events(Events::new(limit))
        } else {
            Mode::Whole(BytesMut::new())
        };
        Self { exchange, cut: None, last_event_id: None, retry: None, mode, ready: VecDeque::new() }
    }

    /// The next piece; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Item>, Failure> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Ok(Some(item));
            }
            if matches!(self.mode, Mode::Over) {
                return Ok(None);
            }
            match self.exchange.chunk().await {
                Ok(Some(bytes)) => self.push(&bytes)?,
                Ok(None) => {
                    if self.exchange.is_stream() {
                        self.exchange
                            .http()
                            .record
                            .record_end(self.exchange.number, "the server ended the stream");
                    }
                    self.finish()?;
                }
                Err(why) => {
                    self.exchange.http().record.record_end(self.exchange.number, &why);
                    self.cut = Some(why);
                    self.finish()?;
                }
            }
        }
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let limit = self.exchange.http().message_limit;
        match &mut self.mode {
            Mode::Events(events) => {
                events.push(bytes);
                while let Mode::Events(events) = &mut self.mode
                    && let Some(event) = events.next()
                {
                    self.event(event)?;
                }
                Ok(())
            }
            Mode::Whole(body) if body.len() + bytes.len() > limit => {
                let start = body.split().freeze();
                Err(self.too_large("a body", &start))
            }
            Mode::Whole(body) => {
                body.extend_from_slice(bytes);
                if is_stream(body) && self.says_json() { self.read_as_stream() } else { Ok(()) }
            }
            Mode::Over => Ok(()),
        }
    }

    /// Reads a stream that is declared as JSON as a stream, so that only the declaration counts as wrong. Its first
    /// bytes are recorded again, as noise.
    fn read_as_stream(&mut self) -> Result<(), Failure> {
        let events = Mode::Events(Events::new(self.exchange.http().message_limit));
        let Mode::Whole(body) = std::mem::replace(&mut self.mode, events) else { return Ok(()) };
        let start = Bytes::copy_from_slice(&body[..body.len().min(MAX_EVIDENCE_BYTES)]);
        self.exchange.http().record.record_received(What::Noise, self.exchange.number, start)?;
        self.push(&body)
    }

    fn says_json(&self) -> bool {
        self.exchange.head.media_type().is_some_and(|t| t == "application/json" || t.ends_with("+json"))
    }

    fn finish(&mut self) -> Result<(), Failure> {
        match std::mem::replace(&mut self.mode, Mode::Over) {
            Mode::Events(mut events) => events.finish().map_or(Ok(()), |event| self.event(event)),
            Mode::Whole(body) => self.whole(body.freeze()),
            Mode::Over => Ok(()),
        }
    }

    fn event(&mut self, event: Event) -> Result<(), Failure> {
        if event.oddities.contains(&Oddity::Overlong) {
            return Err(self.too_large("an event", &event.raw));
        }
        let (number, record) = (self.exchange.number, &self.exchange.http().record);
        if event.oddities.contains(&Oddity::Truncated) {
            return record.record_received(What::Noise, number, event.raw);
        }
        if let Some(id) = &event.id {
            self.last_event_id = Some(id.clone());
        }
        self.retry = event.retry.or(self.retry);
        // HTTP+SSE names its endpoint in an event of its own, which is not a message. Events of other names count only if
        // they hold a message.
        let data = event.data.as_deref().unwrap_or_default();
        let carries = match event.event.as_deref() {
            None | Some("" | "message") => true,
            Some("endpoint") => false,
            Some(_) => Payload::parse(data.as_bytes()).is_ok(),
        };
        match carries.then(|| Message::from_event(event.clone(), number)).flatten() {
            Some(message) => {
                record.record_received(What::Message, number, message.bytes.clone())?;
                self.ready.push_back(Item::Message(message));
            }
            None => {
                record.record_received(What::Event, number, event.raw.clone())?;
                self.ready.push_back(Item::Event(event));
            }
        }
        Ok(())
    }

    fn whole(&mut self, body: Bytes) -> Result<(), Failure> {
        if body.is_empty() {
            return Ok(());
        }
        let is_message = self.cut.is_none() && (self.says_json() || Payload::parse(&body).is_ok());
        let what = if is_message { What::Message } else { What::Noise };
        self.exchange.http().record.record_received(what, self.exchange.number, body.clone())?;
        let message = is_message.then(|| Message::plain(body.clone(), self.exchange.number));
        self.ready.push_back(Item::Whole(body, message));
        Ok(())
    }

    fn too_large(&mut self, what: &str, start: &Bytes) -> Failure {
        let evidence = Bytes::copy_from_slice(&start[..start.len().min(MAX_EVIDENCE_BYTES)]);
        let limit = self.exchange.http().message_limit;
        // The exchange has failed already, so hitting a bound now changes nothing. Discarded bytes count.
        let record = &self.exchange.http().record;
        let _ = record
            .record_received(What::Noise, self.exchange.number, evidence)
            .and_then(|()| record.count_discarded(limit));
        self.mode = Mode::Over;
        self.exchange.close();
        Failure::TooLarge { what: what.into(), limit }
    }
}
