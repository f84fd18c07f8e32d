//! Makes texts about different sessions comparable.

/// `text` with every number and id replaced by a mark: what differs from session to session.
pub(crate) fn without_numbers(text: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        out.push_str(&rest[..start]);
        let word = &rest[start..];
        let end = word.find(|c| !is_part(c)).unwrap_or(word.len());
        let (word, after) = word.split_at(end);
        out.push_str(if word.contains(|c: char| c.is_ascii_digit()) { "#" } else { word });
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_numbers_make_no_difference() {
        let same = |one, other| without_numbers(one) == without_numbers(other);
        assert!(same("id 41, session 9f-3a", "id 7, session 0c-12"));
        assert!(same("given up after 6152 ms", "given up after 88 ms"));
        assert!(same("no answer to \"y-12\"", "no answer to \"y-9\""));
        assert!(!same("no answer to ping", "no answer to pong"));
        assert_eq!(without_numbers("grüße, 測試"), "grüße, 測試");
    }
}
