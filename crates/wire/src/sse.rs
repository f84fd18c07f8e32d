//! Server-sent events, with the raw bytes of each event beside what they mean.

use bytes::{Bytes, BytesMut};

/// One block of a stream: the lines up to and including a blank one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The bytes of the block, its blank line included.
    pub raw: Bytes,
    /// The value of `event:`.
    pub event: Option<String>,
    /// The values of `data:`, joined by newlines; `None` when there was no such line.
    pub data: Option<String>,
    /// The value of `id:`.
    pub id: Option<String>,
    /// The value of `retry:` in milliseconds, when it was a number.
    pub retry: Option<u64>,
    /// The texts of the comment lines.
    pub comments: Vec<String>,
    /// What a receiver has to ignore in it.
    pub oddities: Vec<Oddity>,
}

/// Something in an event that the format tells receivers to ignore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oddity {
    /// A field name that the format does not have.
    UnknownField,
    /// `retry:` with something other than digits.
    BadRetry,
    /// `id:` with a NUL in it.
    NulInId,
    /// Bytes that are not UTF-8; shown as replacement characters.
    NotUtf8,
    /// The stream ended before the blank line, so the event does not count.
    Truncated,
    /// The block grew past the limit and was cut.
    Overlong,
}

/// Whether a body begins like a stream of events, which no JSON text does.
pub fn is_stream(body: &[u8]) -> bool {
    ["event:", "data:", "id:", "retry:", ":"].iter().any(|field| body.starts_with(field.as_bytes()))
}

impl Event {
    /// Whether a browser would dispatch the event: it has data and was ended by a blank line.
    pub fn is_dispatched(&self) -> bool {
        self.data.is_some()
            && !self.oddities.iter().any(|o| matches!(o, Oddity::Truncated | Oddity::Overlong))
    }
}

/// Cuts a byte stream into events, however the stream is split: LF, CR and CRLF, a byte order mark, comments.
#[derive(Debug)]
pub struct Events {
    buffer: BytesMut,
    /// Bytes of `buffer` that are already known to hold no end of a block.
    searched: usize,
    /// Where in `buffer` the current line starts.
    line: usize,
    /// A CR ended the last block; a LF right after it belongs to it.
    swallow_lf: bool,
    started: bool,
    limit: usize,
}

impl Events {
    /// Events of at most `limit` bytes each.
    pub fn new(limit: usize) -> Self {
        Self { buffer: BytesMut::new(), searched: 0, line: 0, swallow_lf: false, started: false, limit }
    }

    /// Takes in the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next event, if one is complete.
    #[expect(clippy::should_implement_trait, reason = "more events may come after a None")]
    pub fn next(&mut self) -> Option<Event> {
        if !self.skip_prefix() {
            return None;
        }
        while let Some(at) = memchr::memchr2(b'\n', b'\r', &self.buffer[self.searched..]) {
            let end = self.searched + at;
            let blank = end == self.line;
            let cr = self.buffer[end] == b'\r';
            let crlf = cr && self.buffer.get(end + 1) == Some(&b'\n');
            // A CR at the very end may be half of a CRLF. Inside a block that can wait; a blank line cannot.
            if cr && !crlf && end + 1 == self.buffer.len() && !blank {
                self.searched = end;
                return self.overlong();
            }
            self.searched = end + 1 + usize::from(crlf);
            self.line = self.searched;
            if blank {
                self.swallow_lf = cr && !crlf;
                return Some(parse(&self.take(self.searched), None));
            }
        }
        self.searched = self.buffer.len();
        self.overlong()
    }

    /// The stream has ended: an unfinished event, if there is one.
    pub fn finish(&mut self) -> Option<Event> {
        let rest = self.take(self.buffer.len());
        (!rest.is_empty()).then(|| parse(&rest, Some(Oddity::Truncated)))
    }

    /// Drops a byte order mark at the start and the LF of a split CRLF; false when more bytes must decide.
    fn skip_prefix(&mut self) -> bool {
        const BOM: &[u8] = b"\xef\xbb\xbf";
        if !self.started {
            if self.buffer.len() < BOM.len() && BOM.starts_with(&self.buffer) {
                return false;
            }
            self.started = true;
            if self.buffer.starts_with(BOM) {
                let _mark = self.buffer.split_to(BOM.len());
            }
        }
        if self.swallow_lf && !self.buffer.is_empty() {
            self.swallow_lf = false;
            if self.buffer[0] == b'\n' {
                let _lf = self.buffer.split_to(1);
            }
        }
        !self.buffer.is_empty()
    }

    fn overlong(&mut self) -> Option<Event> {
        (self.buffer.len() > self.limit).then(|| parse(&self.take(self.buffer.len()), Some(Oddity::Overlong)))
    }

    fn take(&mut self, end: usize) -> Bytes {
        self.searched = 0;
        self.line = 0;
        self.buffer.split_to(end).freeze()
    }
}

/// An event with `data`, and an id if there is one, as bytes.
pub fn encode(id: Option<&str>, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len() + 32);
    if let Some(id) = id {
        out.extend_from_slice(b"id: ");
        out.extend_from_slice(id.as_bytes());
        out.push(b'\n');
    }
    for line in data.split(|b| *b == b'\n') {
        out.extend_from_slice(b"data: ");
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out.push(b'\n');
    out
}

fn parse(raw: &Bytes, oddity: Option<Oddity>) -> Event {
    let mut event = Event { raw: raw.clone(), oddities: oddity.into_iter().collect(), ..Event::default() };
    let text = String::from_utf8_lossy(raw);
    if matches!(text, std::borrow::Cow::Owned(_)) {
        event.oddities.push(Oddity::NotUtf8);
    }
    // "\r\n" counts once: an empty piece between CR and LF looks like a blank line, and those mean nothing here.
    for line in text.split(['\n', '\r']).filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        field(&mut event, name, value.strip_prefix(' ').unwrap_or(value));
    }
    event
}

fn field(event: &mut Event, name: &str, value: &str) {
    match name {
        "" => event.comments.push(value.to_owned()),
        "event" => event.event = Some(value.to_owned()),
        "id" if value.contains('\0') => event.oddities.push(Oddity::NulInId),
        "id" => event.id = Some(value.to_owned()),
        "data" => match &mut event.data {
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
            none @ None => *none = Some(value.to_owned()),
        },
        "retry" => match value.bytes().all(|b| b.is_ascii_digit()).then(|| value.parse().ok()).flatten() {
            Some(ms) => event.retry = Some(ms),
            None => event.oddities.push(Oddity::BadRetry),
        },
        _ => event.oddities.push(Oddity::UnknownField),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8], cut: usize, limit: usize) -> Vec<Event> {
        let mut events = Events::new(limit);
        let mut got = Vec::new();
        for part in bytes.chunks(cut.max(1)) {
            events.push(part);
            got.extend(std::iter::from_fn(|| events.next()));
        }
        got.extend(events.finish());
        got
    }

    fn data(bytes: &[u8]) -> Vec<Option<String>> {
        read(bytes, 1, 1000).into_iter().filter(Event::is_dispatched).map(|e| e.data).collect()
    }

    #[test]
    fn fields_mean_what_the_format_says() {
        let stream = b": hi\nid: 7\nevent: message\nretry: 250\ndata: a\ndata:b\ndata\n\n";
        let events = read(stream, 1000, 1000);
        let [event] = &events[..] else { panic!("one event: {events:?}") };
        assert_eq!(event.comments, ["hi"]);
        assert_eq!((event.id.as_deref(), event.event.as_deref()), (Some("7"), Some("message")));
        assert_eq!(event.retry, Some(250));
        assert_eq!(event.data.as_deref(), Some("a\nb\n"));
        assert_eq!(event.raw, stream.as_slice());
    }

    #[test]
    fn every_newline_and_a_byte_order_mark() {
        for newline in ["\n", "\r", "\r\n"] {
            let stream = format!("\u{feff}data: 1{newline}{newline}data: 2{newline}{newline}");
            assert_eq!(data(stream.as_bytes()), [Some("1".into()), Some("2".into())], "{newline:?}");
        }
    }

    #[test]
    fn a_blank_line_of_cr_ends_the_event_at_once() {
        let mut events = Events::new(100);
        events.push(b"data: 1\r\r");
        assert_eq!(events.next().and_then(|e| e.data).as_deref(), Some("1"));
    }

    #[test]
    fn an_unfinished_event_does_not_count() {
        let events = read(b"data: 1\n", 3, 100);
        assert_eq!(events[0].oddities, [Oddity::Truncated]);
        assert!(!events[0].is_dispatched());
    }

    #[test]
    fn oddities_are_kept_and_the_stream_goes_on() {
        let events = read(b"what: ever\nretry: soon\nid: a\0b\ndata: \xff\n\ndata: 2\n\n", 4, 100);
        assert_eq!(
            events[0].oddities,
            [Oddity::NotUtf8, Oddity::UnknownField, Oddity::BadRetry, Oddity::NulInId]
        );
        assert_eq!(events[1].data.as_deref(), Some("2"));
    }

    #[test]
    fn memory_is_bounded() {
        let mut events = Events::new(10);
        events.push(&[b'x'; 50]);
        assert_eq!(events.next().map(|e| e.oddities), Some(vec![Oddity::Overlong, Oddity::UnknownField]));
        assert!(events.buffer.is_empty());
    }

    #[test]
    fn what_is_encoded_is_read_back() {
        assert_eq!(encode(Some("3"), b"{}"), b"id: 3\ndata: {}\n\n");
        assert_eq!(data(&encode(None, b"a\nb")), [Some("a\nb".into())]);
    }

    proptest! {
        #[test]
        fn splitting_the_stream_changes_no_dispatched_event(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b':'), Just(b'd'), any::<u8>()], 0..200),
            cut in 1_usize..9,
        ) {
            let meaning = |events: Vec<Event>| events.into_iter()
                .filter(Event::is_dispatched).map(|e| (e.data, e.id, e.event)).collect::<Vec<_>>();
            prop_assert_eq!(meaning(read(&bytes, cut, 4000)), meaning(read(&bytes, 1000, 4000)));
        }

        #[test]
        fn data_survives_encoding(text in "[^\r]*") {
            prop_assert_eq!(data(&encode(None, text.as_bytes())), [Some(text)]);
        }
    }
}
