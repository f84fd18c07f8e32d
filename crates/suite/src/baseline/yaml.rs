//! As much of YAML as a list of expected failures needs: two keys, each with a list of words.

use super::BaselineError;

/// A word of a list, with the key that it stands under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) key: String,
    pub(super) value: String,
    pub(super) line: usize,
}

/// Whether the text begins with a key, as a mapping does.
pub(super) fn is_mapping(text: &str) -> bool {
    let first = text.lines().map(bare).find(|line| !line.is_empty() && *line != "---");
    first.is_some_and(|line| line.starts_with("server:") || line.starts_with("client:"))
}

/// The words of every list, in order.
pub(super) fn items(text: &str) -> Result<Vec<Item>, BaselineError> {
    let mut items = Vec::new();
    let mut key = None;
    for (number, raw) in text.lines().enumerate() {
        let line = number + 1;
        let error = |what: String| BaselineError { line, what };
        let content = bare(raw);
        if content.is_empty() || content == "---" {
            continue;
        }
        if let Some(value) = content.strip_prefix('-') {
            let key = key.clone().ok_or_else(|| error("an entry before `server:`".to_owned()))?;
            items.push(Item { key, value: word(value).map_err(error)?, line });
            continue;
        }
        let (name, rest) = content
            .split_once(':')
            .ok_or_else(|| error(format!("`{content}` is no `key:` and no `- entry`")))?;
        if raw.starts_with([' ', '\t']) {
            return Err(error(format!("`{content}` is indented; an entry begins with `-`")));
        }
        key = Some(unquoted(name.trim()).to_owned());
        for value in flow(rest.trim()).map_err(error)? {
            items.push(Item {
                key: key.clone().unwrap_or_default(),
                value: word(value).map_err(error)?,
                line,
            });
        }
    }
    Ok(items)
}

/// The line without its comment and the space around it.
fn bare(line: &str) -> &str {
    let comment = line.match_indices('#').find(|(at, _)| *at == 0 || line[..*at].ends_with([' ', '\t']));
    line[..comment.map_or(line.len(), |(at, _)| at)].trim()
}

/// The words of a list in brackets; none where there is nothing.
fn flow(text: &str) -> Result<Vec<&str>, String> {
    if text.is_empty() || text == "~" || text == "null" {
        return Ok(Vec::new());
    }
    let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let inside =
        inside.ok_or_else(|| format!("`{text}` is not a list; write `- entry` lines below the key"))?;
    Ok(inside.split(',').map(str::trim).filter(|word| !word.is_empty()).collect())
}

fn word(text: &str) -> Result<String, String> {
    let text = unquoted(text.trim());
    if text.is_empty() {
        return Err("an empty entry".to_owned());
    }
    if text.contains(": ") || text.ends_with(':') {
        return Err(format!("`{text}`: no space may follow the colon"));
    }
    Ok(text.to_owned())
}

fn unquoted(text: &str) -> &str {
    let inner = |quote| text.strip_prefix(quote).and_then(|text: &str| text.strip_suffix(quote));
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_in_either_notation() {
        let text =
            "# known\nserver:\n  - tools-list # why\n  - 'ping:ping'\nclient: [initialize, \"sse-retry\"]\n";
        assert!(is_mapping(text));
        let read: Vec<_> = items(text).unwrap().into_iter().map(|item| (item.key, item.value)).collect();
        let expected = [
            ("server", "tools-list"),
            ("server", "ping:ping"),
            ("client", "initialize"),
            ("client", "sse-retry"),
        ];
        assert_eq!(read, expected.map(|(key, value)| (key.to_owned(), value.to_owned())));
        assert!(!is_mapping("server/tools/name-unique\n"));
    }

    #[test]
    fn what_is_no_list_of_words_is_refused_with_its_line() {
        for (text, line) in [
            ("server:\n  - a: b\n", 2),
            ("server: yes\n", 1),
            ("server:\n  -\n", 2),
            ("server:\n  x: y\n", 2),
        ] {
            assert_eq!(items(text).unwrap_err().line, line, "{text}");
        }
    }
}
