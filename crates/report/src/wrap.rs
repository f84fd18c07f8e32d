//! Words on lines.

/// `text` broken at spaces so that no line is wider than `width` characters; a word that is wider stands alone, so that
/// it can still be copied whole.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut taken = 0;
    for word in text.split(' ') {
        let wide = word.chars().count();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_to_the_width_and_words_stay_whole() {
        assert_eq!(wrap("a bb ccc dddd", 6), ["a bb", "ccc", "dddd"]);
        assert_eq!(wrap("https://example.com/long x", 5), ["https://example.com/long", "x"]);
        assert_eq!(wrap("as it is", usize::MAX), ["as it is"]);
        assert_eq!(wrap("", 10), [""]);
    }
}
