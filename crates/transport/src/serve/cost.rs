//! Estimates how much memory the tree of a JSON text needs, before it is parsed.

/// Bytes for an element of an array or a member of an object, in a collection that may have just doubled.
const BYTES_PER_ELEMENT: usize = 160;
/// Bytes for an array or an object itself.
const BYTES_PER_COLLECTION: usize = 480;
/// Bytes for each byte of text: the text, its copy in the tree, a second one in the arguments of a call, and the
/// answer.
const BYTES_PER_TEXT_BYTE: usize = 4;
/// Bytes for each byte of a short text, in the worst case.
const BYTES_PER_SHORT_TEXT_BYTE: usize = 32;

/// Texts of at most this size are not scanned.
pub(super) const SHORT_TEXT: usize = 16 * 1024;

/// The bytes that handling `text` needs, be it JSON or not. Brackets and commas within strings do not count.
pub(super) fn estimate_handling(text: &[u8]) -> usize {
    if text.len() <= SHORT_TEXT {
        return text.len() * BYTES_PER_SHORT_TEXT_BYTE;
    }
    let (mut elements, mut collections) = (0_usize, 0_usize);
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b',' => elements += 1,
            b'{' | b'[' => collections += 1,
            b'"' => rest = after_string(rest),
            _ => {}
        }
    }
    text.len() * BYTES_PER_TEXT_BYTE + elements * BYTES_PER_ELEMENT + collections * BYTES_PER_COLLECTION
}

/// The rest of the text after the string that begins here. `text` starts after the opening quote.
fn after_string(mut text: &[u8]) -> &[u8] {
    while let Some(at) = memchr::memchr2(b'"', b'\\', text) {
        let skipped = if text[at] == b'"' { 1 } else { 2 };
        let is_end = text[at] == b'"';
        text = text.get(at + skipped..).unwrap_or_default();
        if is_end {
            return text;
        }
    }
    &[]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structure_costs_and_text_does_not() {
        let numbers = format!("[{}1]", "1,".repeat(20_000));
        assert_eq!(
            estimate_handling(numbers.as_bytes()),
            numbers.len() * BYTES_PER_TEXT_BYTE + 20_000 * BYTES_PER_ELEMENT + BYTES_PER_COLLECTION
        );
        let said = format!(r#""a \" quote and {}""#, "[1,{".repeat(20_000));
        assert_eq!(estimate_handling(said.as_bytes()), said.len() * BYTES_PER_TEXT_BYTE);
        let unfinished = format!("\"{}\\", ",".repeat(20_000));
        assert_eq!(estimate_handling(unfinished.as_bytes()), unfinished.len() * BYTES_PER_TEXT_BYTE);
    }

    /// The estimate is never below what the tree really takes.
    #[test]
    fn an_element_is_no_larger_than_estimated() {
        assert!(size_of::<serde_json::Value>() * 2 <= BYTES_PER_ELEMENT);
    }
}
