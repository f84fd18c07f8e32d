//! Newline-delimited messages, as bytes: what stdio carries.

use bytes::{Bytes, BytesMut};

/// One line, without its terminator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A complete line.
    Whole(Bytes),
    /// The beginning of a line that is longer than the limit. The rest of the line is discarded.
    Overlong(Bytes),
    /// What stood after the last newline when the stream ended.
    Unterminated(Bytes),
}

/// Cuts a byte stream into lines, however the stream is split, holding at most one line in memory.
#[derive(Debug)]
pub struct Lines {
    buffer: BytesMut,
    searched: usize,
    skipping: bool,
    limit: usize,
}

impl Lines {
    /// Lines of at most `limit` bytes each.
    pub fn new(limit: usize) -> Self {
        Self { buffer: BytesMut::new(), searched: 0, skipping: false, limit }
    }

    /// Takes in the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next line, if one is complete. A `\r` before the newline belongs to the line.
    #[expect(clippy::should_implement_trait, reason = "more lines may come after a None")]
    pub fn next(&mut self) -> Option<Line> {
        loop {
            let found = memchr::memchr(b'\n', &self.buffer[self.searched..]);
            match found.map(|at| self.searched + at) {
                Some(end) => {
                    let mut line = self.buffer.split_to(end + 1);
                    line.truncate(end);
                    self.searched = 0;
                    if !std::mem::take(&mut self.skipping) {
                        return Some(self.measured(line.freeze()));
                    }
                }
                None if self.skipping => {
                    self.buffer.clear();
                    self.searched = 0;
                    return None;
                }
                None if self.buffer.len() > self.limit => {
                    self.skipping = true;
                    self.searched = 0;
                    return Some(Line::Overlong(self.buffer.split().freeze().slice(..self.limit)));
                }
                None => {
                    self.searched = self.buffer.len();
                    return None;
                }
            }
        }
    }

    /// The stream has ended: what is left, if anything.
    pub fn finish(&mut self) -> Option<Line> {
        let rest = self.buffer.split().freeze();
        self.searched = 0;
        (!rest.is_empty() && !std::mem::take(&mut self.skipping)).then_some(Line::Unterminated(rest))
    }

    fn measured(&self, line: Bytes) -> Line {
        if line.len() > self.limit { Line::Overlong(line.slice(..self.limit)) } else { Line::Whole(line) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(lines: &mut Lines) -> Vec<Line> {
        std::iter::from_fn(|| lines.next()).collect()
    }

    fn whole(text: &'static str) -> Line {
        Line::Whole(Bytes::from_static(text.as_bytes()))
    }

    #[test]
    fn lines_come_out_as_they_went_in() {
        let mut lines = Lines::new(100);
        lines.push(b"{}\n\n{\"a\"");
        assert_eq!(all(&mut lines), [whole("{}"), whole("")]);
        lines.push(b":1}\r\nrest");
        assert_eq!(all(&mut lines), [whole("{\"a\":1}\r")]);
        assert_eq!(lines.finish(), Some(Line::Unterminated(Bytes::from_static(b"rest"))));
        assert_eq!(lines.finish(), None);
    }

    #[test]
    fn an_endless_line_is_cut_and_skipped() {
        let mut lines = Lines::new(4);
        lines.push(b"123456");
        assert_eq!(all(&mut lines), [Line::Overlong(Bytes::from_static(b"1234"))]);
        lines.push(&[b'x'; 1000]);
        assert_eq!(all(&mut lines), []);
        assert!(lines.buffer.is_empty());
        lines.push(b"\nok\n");
        assert_eq!(all(&mut lines), [whole("ok")]);
    }

    proptest! {
        #[test]
        fn splitting_the_stream_changes_nothing(bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..300), cut in 1_usize..20) {
            let mut at_once = Lines::new(40);
            at_once.push(&bytes);
            let mut expected = all(&mut at_once);
            expected.extend(at_once.finish());
            let mut in_parts = Lines::new(40);
            let mut got = Vec::new();
            for part in bytes.chunks(cut) {
                in_parts.push(part);
                got.extend(all(&mut in_parts));
            }
            got.extend(in_parts.finish());
            prop_assert_eq!(got, expected);
        }
    }
}
