//! Wraps text.

/// `text` broken at spaces so that no line is wider than `width` characters; a word that is wider stands alone, so that
/// it can still be copied whole. Colours take no room.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut taken = 0;
    for word in text.split(' ') {
        let wide = width_of(word);
        if !line.is_empty() && taken + 1 + wide > width {
            lines.push(std::mem::take(&mut line));
            taken = 0;
        }
        if !line.is_empty() {
            line.push(' ');
            taken += 1;
        }
        line.push_str(word);
        taken += wide;
    }
    lines.push(line);
    lines
}

/// How many characters of `text` are seen: all but those of ANSI codes, which end with `m`.
pub(crate) fn width_of(text: &str) -> usize {
    let mut parts = text.split('\u{1b}');
    let plain = parts.next().unwrap_or_default().chars().count();
    let behind = |part: &str| part.split_once('m').map_or(0, |(_, rest)| rest.chars().count());
    plain + parts.map(behind).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_to_the_width_and_words_stay_whole() {
        assert_eq!(wrap("a bb ccc dddd", 6), ["a bb", "ccc", "dddd"]);
        assert_eq!(wrap("https://example.com/long x", 5), ["https://example.com/long", "x"]);
        assert_eq!(wrap("as it is", usize::MAX), ["as it is"]);
        assert_eq!(wrap("", 10), [""]);
        assert_eq!(wrap("\u{1b}[1mbold\u{1b}[0m word", 9), ["\u{1b}[1mbold\u{1b}[0m word"]);
    }
}
