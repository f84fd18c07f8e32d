//! One HTTP exchange of a transcript: what was posted, the head of the response, and its body. Nothing is judged here.

use std::collections::BTreeMap;

use ::wire::{Direction, Entry, Frame, Payload, What};

use crate::{Evidence, Excerpt, Finding, WireCx};

/// One HTTP exchange whose answer has a head.
#[derive(Debug)]
pub(super) struct Exchange<'a> {
    /// The head of the request.
    request: Option<&'a Entry>,
    /// What was posted.
    pub(super) posted: &'a Entry,
    /// The head of the answer.
    pub(super) head: &'a Entry,
    /// Everything that the body held where a message belongs.
    pub(super) body: Vec<&'a Entry>,
    /// The events that carry no message.
    pub(super) events: Vec<&'a Entry>,
    /// Where the server ended the answer, or broke it off.
    pub(super) end: Option<&'a Entry>,
}

/// Every exchange in which something was posted and an answer began, in the order of their numbers.
pub(super) fn exchanges<'a>(cx: &'a WireCx<'_>) -> Vec<Exchange<'a>> {
    let mut parts: BTreeMap<u32, Vec<&Entry>> = BTreeMap::new();
    for entry in cx.transcript.entries.iter().filter(|entry| entry.exchange > 0) {
        parts.entry(entry.exchange).or_default().push(entry);
    }
    parts.values().filter_map(|entries| Exchange::from_entries(entries)).collect()
}

impl<'a> Exchange<'a> {
    fn from_entries(entries: &[&'a Entry]) -> Option<Self> {
        let all = |direction, what| {
            let fits = move |entry: &&&Entry| entry.direction == direction && entry.what == what;
            entries.iter().copied().filter(move |entry| fits(&entry))
        };
        let body = |entry: &&&Entry| {
            entry.direction == Direction::ToClient && matches!(entry.what, What::Message | What::Noise)
        };
        Some(Self {
            request: all(Direction::ToServer, What::Head).next(),
            posted: all(Direction::ToServer, What::Message).next()?,
            // An interim response comes before the real one.
            head: all(Direction::ToClient, What::Head).next_back()?,
            body: entries.iter().filter(body).copied().collect(),
            events: all(Direction::ToClient, What::Event).collect(),
            end: all(Direction::ToClient, What::End).next(),
        })
    }

    /// The frames that were posted; none if it was not all frames.
    pub(super) fn posted(&self) -> Vec<Frame<'a>> {
        match Payload::parse(&self.posted.bytes) {
            Ok(Payload::Single(frame)) => vec![frame],
            Ok(Payload::Batch(items)) => items.into_iter().collect::<Result<_, _>>().unwrap_or_default(),
            Err(_) => Vec::new(),
        }
    }

    /// Whether a batch was posted.
    pub(super) fn is_batch(&self) -> bool {
        matches!(Payload::parse(&self.posted.bytes), Ok(Payload::Batch(_)))
    }

    /// The status of the answer.
    pub(super) fn status(&self) -> u16 {
        let head = String::from_utf8_lossy(&self.head.bytes);
        head.split(' ').nth(1).and_then(|status| status.trim().parse().ok()).unwrap_or_default()
    }

    /// The media type of the answer, lowercase and without parameters.
    pub(super) fn media_type(&self) -> Option<String> {
        let head = String::from_utf8_lossy(&self.head.bytes).to_ascii_lowercase();
        let line = head.lines().find_map(|line| line.strip_prefix("content-type:"))?;
        Some(line.split(';').next().unwrap_or_default().trim().to_owned())
    }

    /// A violation that this exchange shows: what was posted, the head, and the beginning of the body.
    pub(super) fn violated(&self, expected: impl Into<String>, actual: impl Into<String>) -> Finding {
        let posted = self.request.map(|head| Excerpt::request(head, Some(self.posted)));
        let answer = std::iter::once(self.head).chain(self.body.iter().copied().take(1));
        let mut evidence = Evidence::new(expected, actual);
        evidence.frames.push(posted.unwrap_or_else(|| Excerpt::entry(self.posted)));
        evidence.frames.extend(answer.map(Excerpt::entry));
        Finding::Violated(Box::new(evidence))
    }
}
