//! Edits of byte spans that leave every other byte untouched.

use std::borrow::Cow;
use std::ops::Range;

/// Edits of one buffer, applied together.
#[derive(Clone, Debug)]
pub struct Splice<'a> {
    source: &'a [u8],
    edits: Vec<(Range<usize>, Cow<'a, [u8]>)>,
}

/// Where `inner`, a slice of `outer`, lies in it; `None` when it lies elsewhere in memory.
pub fn span_of(outer: &[u8], inner: &str) -> Option<Range<usize>> {
    let start = inner.as_ptr().addr().checked_sub(outer.as_ptr().addr())?;
    let end = start.checked_add(inner.len())?;
    (end <= outer.len()).then_some(start..end)
}

impl<'a> Splice<'a> {
    /// No edits yet.
    pub const fn new(source: &'a [u8]) -> Self {
        Self { source, edits: Vec::new() }
    }

    /// Puts `with` in the place of `inner`, which must be a slice of the source; otherwise nothing changes and the
    /// answer is false.
    pub fn replace(&mut self, inner: &str, with: impl Into<Cow<'a, [u8]>>) -> bool {
        let Some(span) = span_of(self.source, inner) else { return false };
        self.edit(span, with);
        true
    }

    /// Puts `with` in the place of the bytes at `span`, clamped to the source.
    pub fn edit(&mut self, span: Range<usize>, with: impl Into<Cow<'a, [u8]>>) {
        let end = span.end.min(self.source.len());
        self.edits.push((span.start.min(end)..end, with.into()));
    }

    /// The edited bytes. Of edits that overlap, the one that starts first wins and the others are left out.
    pub fn finish(mut self) -> Vec<u8> {
        self.edits.sort_by_key(|(span, _)| span.start);
        let grown: usize = self.edits.iter().map(|(_, with)| with.len()).sum();
        let mut out = Vec::with_capacity(self.source.len() + grown);
        let mut at = 0;
        for (span, with) in &self.edits {
            if span.start < at {
                continue;
            }
            out.extend_from_slice(&self.source[at..span.start]);
            out.extend_from_slice(with);
            at = span.end;
        }
        out.extend_from_slice(&self.source[at..]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Frame;

    #[test]
    fn only_the_named_span_changes() {
        let bytes = br#"{ "id" : 7,  "method":"tools/call", "extra" : [1.0] }"#;
        let frame = Frame::parse(bytes).unwrap();
        let mut splice = Splice::new(bytes);
        assert!(splice.replace(frame.id.unwrap().get(), b"\"a-7\"".as_slice()));
        assert_eq!(splice.finish(), br#"{ "id" : "a-7",  "method":"tools/call", "extra" : [1.0] }"#);
    }

    #[test]
    fn a_foreign_slice_is_refused() {
        let elsewhere = String::from("7");
        let mut splice = Splice::new(b"{\"id\":7}");
        assert!(!splice.replace(&elsewhere, b"8".as_slice()));
        assert_eq!(splice.finish(), b"{\"id\":7}");
    }

    #[test]
    fn edits_apply_in_order_and_never_overlap() {
        let mut splice = Splice::new(b"abcdef");
        splice.edit(4..5, b"E".as_slice());
        splice.edit(1..3, b"".as_slice());
        splice.edit(2..4, b"lost".as_slice());
        splice.edit(6..99, b"!".as_slice());
        assert_eq!(splice.finish(), b"adEf!");
    }
}
