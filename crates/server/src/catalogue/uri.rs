//! URI templates of RFC 6570, level 1: literals and `{variable}`.

use std::collections::BTreeMap;

/// The values of a template's variables.
pub(crate) type Values = BTreeMap<String, String>;

/// The values with which `template` expands to `uri`; `None` when it does not.
///
/// A value ends at the next literal and is never empty. This is unambiguous, because expansion percent-encodes reserved
/// characters.
pub(crate) fn matches(template: &str, uri: &str) -> Option<Values> {
    let mut values = Values::new();
    let mut rest = uri;
    let mut parts = template.split('{');
    rest = rest.strip_prefix(parts.next()?)?;
    for part in parts {
        let (name, literal) = part.split_once('}')?;
        let end = if literal.is_empty() { rest.len() } else { rest.find(literal)? };
        let (value, after) = rest.split_at(end);
        values.insert(name.to_owned(), decoded(value)?);
        rest = after.strip_prefix(literal)?;
    }
    rest.is_empty().then_some(values)
}

/// The names of the variables, in their order.
pub(crate) fn variables(template: &str) -> impl Iterator<Item = &str> {
    template.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|(name, _)| name)
}

/// Expands `template` with `value` for its only variable.
pub(crate) fn expand(template: &str, value: &str) -> String {
    let encoded: String = value.bytes().map(encode).collect();
    match (template.split_once('{'), template.split_once('}')) {
        (Some((before, _)), Some((_, after))) => format!("{before}{encoded}{after}"),
        _ => template.to_owned(),
    }
}

/// Decodes an expanded value; `None` when expansion cannot have produced it.
fn decoded(value: &str) -> Option<String> {
    if value.is_empty() {
        return None;
    }
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => bytes.push(digit(rest.next()?)? << 4 | digit(rest.next()?)?),
            byte if is_unreserved(byte) => bytes.push(byte),
            _ => return None,
        }
    }
    String::from_utf8(bytes).ok()
}

fn encode(byte: u8) -> String {
    if is_unreserved(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
}

const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn digit(hex: u8) -> Option<u8> {
    char::from(hex).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(template: &str, uri: &str) -> Option<Vec<String>> {
        matches(template, uri).map(|values| values.into_values().collect())
    }

    #[test]
    fn variables_take_what_stands_in_their_place() {
        assert_eq!(values("a:{x}", "a:1"), Some(vec!["1".into()]));
        assert_eq!(values("a:{x}/b/{y}", "a:1/b/2"), Some(vec!["1".into(), "2".into()]));
        assert_eq!(values("a:{x}", "a:J%C3%BCrgen%20K."), Some(vec!["Jürgen K.".into()]));
    }

    #[test]
    fn other_uris_do_not_match() {
        for uri in ["a:", "b:1", "a:1/2", "a:%4", "a:%GG", "a:%FF", "a:x y", "a:ü"] {
            assert_eq!(values("a:{x}", uri), None, "{uri}");
        }
        assert_eq!(values("a:{x}/b", "a:1/c"), None);
        assert_eq!(values("a:{x}/b", "a:1/b/b"), None);
    }

    #[test]
    fn expansion_and_matching_are_inverse() {
        for value in ["x", "a/b", "100 %", "ü{}"] {
            let uri = expand("a:{x}/end", value);
            assert_eq!(values("a:{x}/end", &uri), Some(vec![value.into()]), "{uri}");
        }
        assert_eq!(variables("a:{x}/{y}").collect::<Vec<_>>(), ["x", "y"]);
    }
}
