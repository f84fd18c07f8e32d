//! Which part of a long message a finding is about.

use std::collections::HashMap;

use serde_json::value::RawValue;

/// Words that are shorter occur by chance.
const MIN_WORD_CHARS: usize = 6;
/// What occurs more often does not tell a place.
const MAX_OCCURRENCES: usize = 2;

/// Where in `message` the part begins that one of `texts` names: by a JSON Pointer, in quotes, or by a word that is rare
/// in it. Texts that come first count first.
pub fn find_focus(message: &str, texts: &[&str]) -> Option<usize> {
    let pointed = texts.iter().find_map(|text| find_pointer(message, text));
    let quoted = || texts.iter().find_map(|text| rarest(message, quotes(text)));
    let word = || texts.iter().find_map(|text| rarest(message, words(text)));
    pointed.or_else(quoted).or_else(word)
}

/// Where the value begins that `text` points to at its beginning. Pointers of checks begin at the message, at its result
/// or at its parameters.
fn find_pointer(message: &str, text: &str) -> Option<usize> {
    let pointer = text.split([':', ' ']).next().filter(|word| word.starts_with('/'))?;
    let from = |start: &'static str| walk(message, &format!("{start}{pointer}"));
    // A missing member is shown in its deepest existing parent.
    let (_, at) = ["", "/result", "/params"].into_iter().filter_map(from).max_by_key(|(depth, _)| *depth)?;
    Some(at)
}

/// How many steps of `pointer` are there, and where the last of them begins.
fn walk(message: &str, pointer: &str) -> Option<(usize, usize)> {
    let mut value = message.trim();
    let mut depth = 0;
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        let Some(inner) = child(value, &step) else { break };
        value = inner;
        depth += 1;
    }
    // The parts borrow from the message, so that the distance of their beginnings is the place.
    let at = (value.as_ptr() as usize).checked_sub(message.as_ptr() as usize)?;
    (depth > 0).then_some((depth, at))
}

fn child<'m>(value: &'m str, step: &str) -> Option<&'m str> {
    if value.starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(value).ok()?;
        return items.get(step.parse::<usize>().ok()?).map(|raw| raw.get());
    }
    let members: HashMap<String, &RawValue> = serde_json::from_str(value).ok()?;
    members.get(step).map(|raw| raw.get())
}

fn quotes(text: &str) -> Vec<&str> {
    let between = |quote: char| text.split(quote).skip(1).step_by(2);
    between('`').chain(between('"')).filter(|part| part.len() > 1).collect()
}

fn words(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_alphanumeric() || "_-./:".contains(c);
    text.split(|c| !is_part(c)).filter(|word| word.len() >= MIN_WORD_CHARS).collect()
}

/// Where the part that occurs least begins.
fn rarest(message: &str, parts: Vec<&str>) -> Option<usize> {
    let counted = parts.into_iter().filter_map(|part| {
        let times = message.matches(part).take(MAX_OCCURRENCES + 1).count();
        (1..=MAX_OCCURRENCES).contains(&times).then_some((times, std::cmp::Reverse(part.len()), part))
    });
    counted.min().and_then(|(_, _, part)| message.find(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &str = r#"{"id":1,"result":{"tools":[{"name":"alpha"},{"name":"beta","inputSchema":7}]}}"#;

    fn shown(text: &str) -> Option<&'static str> {
        find_focus(MESSAGE, &[text]).map(|at| &MESSAGE[at..])
    }

    #[test]
    fn a_pointer_is_followed_from_the_result() {
        assert!(shown("/tools/1/inputSchema: not an object").unwrap().starts_with("7}"));
        assert!(shown("/tools/0/inputSchema: missing").unwrap().starts_with(r#"{"name":"alpha"}"#));
        assert!(shown("/result/tools/1: wrong").unwrap().starts_with(r#"{"name":"beta""#));
    }

    #[test]
    fn quotes_come_before_words() {
        assert!(shown("tool `beta` has no inputSchema").unwrap().starts_with("beta"));
        assert!(shown("the inputSchema is a number").unwrap().starts_with("inputSchema"));
        assert_eq!(shown("nothing of that"), None);
        assert_eq!(find_focus("not JSON", &["/a/b: x"]), None);
    }
}
