//! Text without its escapes, which maps each place in it to the place in the original.
//!
//! JSON (`\n`, `\/`, `\u0041`), URLs (`%41`) and HTML (`&amp;`, `&#65;`, `&#x41;`) are undone in one pass. Invalid
//! escapes stay as they are. No I/O.

/// Text without escapes.
pub(super) struct Unescaped {
    pub(super) text: Vec<u8>,
    /// An escape: its place in the text, how many bytes it became, and its place in the original.
    escapes: Vec<Escape>,
}

#[derive(Clone, Copy)]
struct Escape {
    at: usize,
    became: usize,
    from: usize,
    to: usize,
}

impl Unescaped {
    /// `None` when there is no escape in the text.
    pub(super) fn new(original: &[u8]) -> Option<Self> {
        let mut text = Vec::new();
        let mut escapes = Vec::new();
        let mut rest = 0;
        let mut at = 0;
        while let Some(next) = memchr::memchr3(b'\\', b'%', b'&', &original[at..]).map(|next| at + next) {
            let Some((meant, length)) = read_escape(&original[next..]) else {
                at = next + 1;
                continue;
            };
            text.extend_from_slice(&original[rest..next]);
            at = next + length;
            rest = at;
            escapes.push(Escape { at: text.len(), became: meant.len(), from: next, to: at });
            text.extend_from_slice(&meant);
        }
        text.extend_from_slice(&original[rest..]);
        (!escapes.is_empty()).then_some(Self { text, escapes })
    }

    /// The part of the original that became this part of the text.
    pub(super) fn original(&self, span: &std::ops::Range<usize>) -> std::ops::Range<usize> {
        self.place(span.start, false)..self.place(span.end, true)
    }

    /// Maps a place to the original. A place within an escape maps to its beginning, or to its end if `end` is set.
    fn place(&self, at: usize, end: bool) -> usize {
        let known = self.escapes.partition_point(|escape| escape.at + usize::from(end) <= at);
        let Some(escape) = known.checked_sub(1).map(|last| self.escapes[last]) else { return at };
        let past = escape.at + escape.became;
        match at {
            at if at >= past => escape.to + (at - past),
            _ if end => escape.to,
            _ => escape.from,
        }
    }
}

/// What an escape at the beginning of `text` means, and how long it is.
fn read_escape(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    match text.first()? {
        b'%' => Some((vec![byte_of(text.get(1..3)?)?], 3)),
        b'\\' => backslash(text),
        b'&' => entity(text),
        _ => None,
    }
}

fn backslash(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let simple = |byte: u8| Some((vec![byte], 2));
    match text.get(1)? {
        b'n' => simple(b'\n'),
        b't' => simple(b'\t'),
        b'r' => simple(b'\r'),
        b'b' => simple(8),
        b'f' => simple(12),
        byte @ (b'"' | b'\'' | b'\\' | b'/') => simple(*byte),
        b'x' => Some((vec![byte_of(text.get(2..4)?)?], 4)),
        b'u' if text.get(2) == Some(&b'{') => {
            let end = text.iter().take(12).position(|byte| *byte == b'}')?;
            Some((encode_utf8(number_of(&text[3..end], 16)?)?, end + 1))
        }
        b'u' => {
            let first = number_of(text.get(2..6)?, 16)?;
            if let (0xd800..=0xdbff, Some(b"\\u")) = (first, text.get(6..8)) {
                let second = number_of(text.get(8..12)?, 16).filter(|it| (0xdc00..=0xdfff).contains(it))?;
                return Some((encode_utf8(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))?, 12));
            }
            Some((encode_utf8(first)?, 6))
        }
        _ => None,
    }
}

fn entity(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let end = text.iter().take(12).position(|byte| *byte == b';')?;
    let meant = match &text[1..end] {
        b"amp" => vec![b'&'],
        b"lt" => vec![b'<'],
        b"gt" => vec![b'>'],
        b"quot" => vec![b'"'],
        b"apos" => vec![b'\''],
        [b'#', b'x' | b'X', digits @ ..] => encode_utf8(number_of(digits, 16)?)?,
        [b'#', digits @ ..] => encode_utf8(number_of(digits, 10)?)?,
        _ => return None,
    };
    Some((meant, end + 1))
}

fn byte_of(digits: &[u8]) -> Option<u8> {
    number_of(digits, 16).and_then(|number| u8::try_from(number).ok())
}

fn number_of(digits: &[u8], radix: u32) -> Option<u32> {
    let digits = std::str::from_utf8(digits).ok()?;
    let all = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    all.then(|| u32::from_str_radix(digits, radix).ok()).flatten()
}

fn encode_utf8(number: u32) -> Option<Vec<u8>> {
    char::from_u32(number).map(|c| c.to_string().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_and_found_again() {
        for (original, meant) in [
            (r"a\u0041\/b", "aA/b"),
            ("%41%c3%a4x", "Aäx"),
            ("&lt;&#65;&#x42;&amp;", "<AB&"),
            (r"\ud83d\ude00!", "😀!"),
            (r"100% & \q \u12 &nothing %zz", r"100% & \q \u12 &nothing %zz"),
        ] {
            let unescaped = Unescaped::new(original.as_bytes());
            let text = unescaped.as_ref().map_or(original.as_bytes(), |it| &it.text);
            assert_eq!(String::from_utf8_lossy(text), meant);
        }
        let original = r"x\u0041\/b%42y";
        let unescaped = Unescaped::new(original.as_bytes()).unwrap();
        assert_eq!(unescaped.text, b"xA/bBy");
        for (span, part) in [(1..3, r"\u0041\/"), (0..1, "x"), (3..5, "b%42"), (5..6, "y"), (2..4, r"\/b")] {
            assert_eq!(&original[unescaped.original(&span)], part);
        }
    }
}
