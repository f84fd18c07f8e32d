//! Languages: well-formed tags (BCP 47) and the best available one for a user (RFC 4647, lookup).

use oxilangtag::LanguageTag;

/// A string that is not a language tag.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{tag}` is not a language tag: {why}")]
pub struct BadTag {
    /// The string.
    pub tag: String,
    /// What the parser says about it.
    pub why: String,
}

/// Checks that a tag is well-formed; whether its subtags are registered is not looked up.
pub fn check(tag: &str) -> Result<(), BadTag> {
    match LanguageTag::parse(tag) {
        Ok(_) => Ok(()),
        Err(error) => Err(BadTag { tag: tag.to_owned(), why: error.to_string() }),
    }
}

/// The available tag that suits the ranges best, else the default.
///
/// Each range is tried as it is and then shortened from its end, never leaving a single letter at the end, since that
/// announces what was cut off. A tag is never more specific than what was asked for. `*` asks for nothing.
pub fn lookup<'a>(ranges: &[&str], available: &[&'a str], default: &'a str) -> &'a str {
    ranges.iter().find_map(|range| lookup_one(range, available)).unwrap_or(default)
}

fn lookup_one<'a>(range: &str, available: &[&'a str]) -> Option<&'a str> {
    let mut subtags: Vec<&str> = range.split('-').collect();
    if subtags.first() == Some(&"*") {
        return None;
    }
    // An extended range becomes a basic one by leaving out its wildcards (RFC 4647, 3.2).
    subtags.retain(|subtag| *subtag != "*");
    while !subtags.is_empty() {
        let wanted = subtags.join("-");
        if let Some(found) = available.iter().find(|tag| tag.eq_ignore_ascii_case(&wanted)) {
            return Some(found);
        }
        subtags.pop();
        if subtags.last().is_some_and(|subtag| subtag.len() == 1) {
            subtags.pop();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_checked_for_form() {
        for tag in
            ["en", "en-US", "es-419", "zh-Hant-CN", "de-CH-1996", "x-private", "en-u-hc-h12", "sr-Latn-RS"]
        {
            assert_eq!(check(tag), Ok(()), "{tag}");
        }
        for tag in ["", "en_US", "e", "en-", "en--US", "englishlanguage", "en-US-x", "日本"] {
            assert!(check(tag).is_err(), "{tag}");
        }
        assert!(check("de_CH").unwrap_err().to_string().starts_with("`de_CH` is not a language tag: "));
    }

    #[test]
    fn the_example_of_the_standard() {
        // zh-Hant-CN-x-private1-private2 is shortened step by step; `x` never ends a range.
        let range = ["zh-Hant-CN-x-private1-private2"];
        for (available, expected) in [
            ("zh-Hant-CN-x-private1-private2", true),
            ("zh-Hant-CN-x-private1", true),
            ("zh-Hant-CN-x", false),
            ("zh-Hant-CN", true),
            ("zh-Hant", true),
            ("zh", true),
            ("zh-CN", false),
        ] {
            let found = lookup(&range, &[available], "default");
            assert_eq!(found == available, expected, "{available}");
        }
    }

    #[test]
    fn longer_matches_and_earlier_ranges_win() {
        let available = ["en", "en-GB", "fr", "es"];
        assert_eq!(lookup(&["en-GB"], &available, "fr"), "en-GB");
        assert_eq!(lookup(&["en-AU"], &available, "fr"), "en");
        assert_eq!(lookup(&["de", "es-MX"], &available, "fr"), "es");
        assert_eq!(lookup(&["de"], &available, "fr"), "fr");
        assert_eq!(lookup(&[], &available, "fr"), "fr");
        assert_eq!(lookup(&["EN-gb"], &available, "fr"), "en-GB", "case does not count");
        assert_eq!(lookup(&["en"], &["en-GB"], "fr"), "fr", "never more specific than asked");
    }

    #[test]
    fn wildcards_ask_for_nothing() {
        let available = ["de", "de-DE", "en"];
        assert_eq!(lookup(&["*", "de"], &available, "en"), "de");
        assert_eq!(lookup(&["*"], &available, "en"), "en");
        assert_eq!(lookup(&["*-DE"], &available, "en"), "en");
        assert_eq!(lookup(&["de-*-DE"], &available, "en"), "de-DE");
    }
}
