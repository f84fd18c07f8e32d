//! What a misspelt name was meant to be.

/// How alike two names have to be, from 0 to 1.
const MIN_LIKENESS: f64 = 0.65;

/// `; did you mean …?`, if one of `names` is close to `word`.
pub(crate) fn did_you_mean<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    nearest_name(word, names).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// What is wrong with `word`, which names no check, no section and no alias.
pub(crate) fn explain_unknown_check(word: &str) -> String {
    let near = nearest_check(word).map(|name| format!("did you mean `{name}`?"));
    format!("no check `{word}`; {}", near.as_deref().unwrap_or("`yardstick list` shows all"))
}

fn nearest_check(word: &str) -> Option<&'static str> {
    let ids = suite::registry().map(|check| check.id);
    let sections = suite::registry().map(|check| check.section().0);
    let aliases = suite::registry().flat_map(|check| check.aliases.iter().copied());
    // A beginning of ids chooses all of them.
    let beginnings = suite::registry().filter_map(|check| check.id.rsplit_once('/')).map(|(start, _)| start);
    nearest_name(word, ids.chain(sections).chain(aliases).chain(beginnings))
}

/// The name that `word` is a part of, else the one that is spelt most alike.
fn nearest_name<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let names: Vec<&str> = names.into_iter().collect();
    let part = names.iter().filter(|name| word.len() >= 3 && name.contains(word));
    if let Some(name) = part.min_by_key(|name| name.len()) {
        return Some(name);
    }
    let scored = names.into_iter().map(|name| (likeness(word, name), name));
    // Of two that are equally near the first counts, which is the order in which they are listed elsewhere.
    let nearest = scored.reduce(|best, other| if other.0 > best.0 { other } else { best });
    nearest.filter(|(likeness, _)| *likeness >= MIN_LIKENESS).map(|(_, name)| name)
}

/// How alike two names are; the first part of an id may have been left out.
fn likeness(word: &str, name: &str) -> f64 {
    let whole = strsim::normalized_damerau_levenshtein(word, name);
    let rest = name.split_once('/').map(|(_, rest)| strsim::normalized_damerau_levenshtein(word, rest));
    whole.max(rest.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_finger_are_understood() {
        for (word, meant) in [
            ("server/tool/unknown-tool-refused", "server/tools/unknown-tool-refused"),
            ("tools/unknown-tool", "server/tools/unknown-tool-refused"),
            ("server/tools/unkown-tool-refused", "server/tools/unknown-tool-refused"),
            ("tolls", "tools"),
            ("lifecylce", "lifecycle"),
            ("sevrer/tools", "server/tools"),
            ("server/tolls", "server/tools"),
            ("wrie/jsonrpc", "wire/jsonrpc"),
        ] {
            assert_eq!(nearest_check(word), Some(meant), "{word}");
        }
    }

    #[test]
    fn what_is_like_nothing_suggests_nothing() {
        assert_eq!(explain_unknown_check("x"), "no check `x`; `yardstick list` shows all");
        assert_eq!(did_you_mean("pdf", ["human", "json", "html"]), "");
    }
}
