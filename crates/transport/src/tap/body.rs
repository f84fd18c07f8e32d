//! The body of an HTTP message as entries.

use bytes::{Bytes, BytesMut};
use wire::sse::{Event, Events, Oddity};
use wire::{Payload, What};

use super::session_assembler::EntryParts;
use crate::{MAX_EVIDENCE_BYTES, MAX_MESSAGE};

/// A body that has not ended.
#[derive(Debug)]
pub(super) enum Body {
    /// Events, each as soon as it is whole.
    Events(Events),
    /// One message; `json` says that the head calls it JSON.
    Whole { bytes: BytesMut, json: bool },
    /// Too long: its beginning was recorded.
    Lost,
    /// Not recorded.
    Foreign,
}

impl Body {
    /// A body of that media type.
    pub(super) fn for_media_type(media_type: &str) -> Self {
        if media_type == "text/event-stream" {
            return Self::Events(Events::new(MAX_MESSAGE));
        }
        let json = media_type == "application/json" || media_type.ends_with("+json");
        Self::Whole { bytes: BytesMut::new(), json }
    }

    pub(super) fn push(&mut self, piece: &[u8]) -> EntryParts {
        match self {
            Self::Events(events) => {
                events.push(piece);
                std::iter::from_fn(|| events.next()).map(entry).collect()
            }
            Self::Whole { bytes, .. } if bytes.len() + piece.len() > MAX_MESSAGE => {
                bytes.truncate(MAX_EVIDENCE_BYTES);
                let start = bytes.split().freeze();
                *self = Self::Lost;
                vec![(What::Noise, start)]
            }
            Self::Whole { bytes, .. } => {
                bytes.extend_from_slice(piece);
                EntryParts::new()
            }
            Self::Lost | Self::Foreign => EntryParts::new(),
        }
    }

    /// Ends the body; `cut` says that it was cut off.
    pub(super) fn finish(self, cut: bool) -> EntryParts {
        match self {
            Self::Events(mut events) => events.finish().map(entry).into_iter().collect(),
            Self::Whole { bytes, .. } if bytes.is_empty() => EntryParts::new(),
            Self::Whole { bytes, json } => {
                let is_message = !cut && (json || Payload::parse(&bytes).is_ok());
                vec![(if is_message { What::Message } else { What::Noise }, bytes.freeze())]
            }
            Self::Lost | Self::Foreign => EntryParts::new(),
        }
    }
}

fn entry(event: Event) -> (What, Bytes) {
    if event.oddities.iter().any(|oddity| matches!(oddity, Oddity::Truncated | Oddity::Overlong)) {
        return (What::Noise, event.raw.slice(..event.raw.len().min(MAX_MESSAGE)));
    }
    // HTTP+SSE names its endpoint in an event of its own, which is not a message.
    let carries = event.event.as_deref() != Some("endpoint");
    match event.data.as_deref().filter(|data| carries && !data.is_empty()) {
        Some(data) => (What::Message, Bytes::copy_from_slice(data.as_bytes())),
        None => (What::Event, event.raw),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_entries_as_soon_as_they_are_whole() {
        let mut body = Body::for_media_type("text/event-stream");
        assert_eq!(
            body.push(b"id: 1\ndata:\n\ndata: {\"a\""),
            [(What::Event, Bytes::from_static(b"id: 1\ndata:\n\n"))]
        );
        assert_eq!(body.push(b":1}\n\nevent: endpoint\ndata: /m\n\nda").len(), 2);
        assert_eq!(body.finish(true), [(What::Noise, Bytes::from_static(b"da"))]);
    }

    #[test]
    fn a_body_is_one_message_or_noise() {
        let whole = |kind: &str, bytes: &[u8], cut| {
            let mut body = Body::for_media_type(kind);
            assert!(body.push(bytes).is_empty());
            body.finish(cut).into_iter().map(|(what, _)| what).collect::<Vec<_>>()
        };
        assert_eq!(whole("application/json", b"nonsense", false), [What::Message]);
        assert_eq!(whole("text/plain", b"nonsense", false), [What::Noise]);
        assert_eq!(whole("text/plain", b"{}", false), [What::Message]);
        assert_eq!(whole("application/json", b"{}", true), [What::Noise]);
        assert_eq!(whole("application/json", b"", false), []);
    }

    #[test]
    fn a_body_without_end_is_not_kept() {
        let mut body = Body::for_media_type("application/json");
        let big = vec![b'x'; MAX_MESSAGE];
        assert!(body.push(&big).is_empty());
        assert_eq!(body.push(b"y")[0].1.len(), MAX_EVIDENCE_BYTES);
        assert!(body.push(b"z").is_empty() && body.finish(false).is_empty());
    }
}
