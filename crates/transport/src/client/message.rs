//! One transport message as it arrived, owned, parsed on demand.

use bytes::Bytes;
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::Arc;
use wire::sse::Event;
use wire::{Frame, Id, Kind, Malformed, Payload};

/// One transport message as it arrived: a line, an HTTP body, the data of an event.
#[derive(Clone, Debug)]
pub struct Message {
    /// Exactly the bytes, which should be JSON.
    pub bytes: Bytes,
    /// The event that carried it, with its raw bytes, when it came on a stream of events.
    pub event: Option<Arc<Event>>,
    /// Which HTTP exchange it came with; 0 where there is only one channel.
    pub exchange: u32,
}

impl Message {
    /// The message that a line or a body holds.
    pub(crate) const fn plain(bytes: Bytes, exchange: u32) -> Self {
        Self { bytes, event: None, exchange }
    }

    /// The message that an event carries; `None` when it carries none.
    pub(crate) fn from_event(event: Event, exchange: u32) -> Option<Self> {
        let data = event.data.as_deref().filter(|data| !data.is_empty() && event.is_dispatched())?;
        Some(Self { bytes: Bytes::copy_from_slice(data.as_bytes()), event: Some(Arc::new(event)), exchange })
    }

    /// Its frame or batch, or the reason why it is neither.
    pub fn payload(&self) -> Result<Payload<'_>, Malformed> {
        Payload::parse(&self.bytes)
    }

    /// Its frame, if it holds exactly one.
    pub fn frame(&self) -> Option<Frame<'_>> {
        Frame::parse(&self.bytes).ok()
    }

    /// Its frames: one, or the valid ones of a batch.
    pub fn frames(&self) -> Vec<Frame<'_>> {
        match self.payload() {
            Ok(Payload::Single(frame)) => vec![frame],
            Ok(Payload::Batch(items)) => items.into_iter().flatten().collect(),
            Err(_) => Vec::new(),
        }
    }

    /// The method, if it holds one request or notification.
    pub fn method(&self) -> Option<String> {
        self.frame()?.method().map(Into::into)
    }

    /// The parameters, if it holds one request or notification that has them.
    pub fn params(&self) -> Option<Value> {
        self.frame()?.params.and_then(value)
    }

    /// The id, if it holds one frame that has one.
    pub fn id(&self) -> Option<Id> {
        self.frame()?.id()
    }

    /// Whether it is a notification of `method`.
    pub fn is_notification(&self, method: &str) -> bool {
        self.frame()
            .is_some_and(|f| f.kind() == Kind::Notification && f.method().is_some_and(|m| m == method))
    }

    /// The whole message as a JSON value.
    pub fn value(&self) -> Option<Value> {
        serde_json::from_slice(&self.bytes).ok()
    }
}

/// A span as a value; `None` when it nests too deep for one.
pub(crate) fn value(raw: &RawValue) -> Option<Value> {
    serde_json::from_str(raw.get()).ok()
}

/// Whether two ids name the same request: equal, or the same number in another notation or as a string. A check judges
/// the notation; here it only matters which request was answered.
pub(crate) fn same_id(one: &Id, other: &Id) -> bool {
    match (one, other) {
        (Id::Number(a), Id::Number(b)) if a != b => {
            // Long numbers are rounded here, so that an id that the peer has rounded still finds its request.
            matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if a.to_bits() == b.to_bits())
        }
        (Id::Number(number), Id::String(text)) | (Id::String(text), Id::Number(number)) => number == text,
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Id {
        Id::Number(text.into())
    }

    #[test]
    fn an_id_is_known_in_another_spelling() {
        assert!(same_id(&number("8"), &number("8.0")));
        assert!(same_id(&number("18446744073709551615"), &number("18446744073709552000")));
        assert!(!same_id(&number("8"), &number("9")));
        assert!(same_id(&number("8"), &Id::from("8")));
        assert!(!same_id(&number("8"), &Id::from("eight")));
    }

    #[test]
    fn an_event_without_data_is_no_message() {
        let event = Event { id: Some("1".into()), data: Some(String::new()), ..Event::default() };
        assert!(Message::from_event(event, 1).is_none());
    }

    #[test]
    fn a_batch_gives_its_sound_frames() {
        let message = Message::plain(Bytes::from_static(br#"[{"id":1,"result":{}},7]"#), 0);
        assert_eq!(message.frames().len(), 1);
        assert!(message.frame().is_none());
    }
}
