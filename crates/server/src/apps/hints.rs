//! Reads what OpenAI's host says about its user in the `_meta` of a request.
//!
//! These are hints: they choose a language and are displayed, and decide nothing else. Malformed hints are ignored.

use protocol::apps::openai::{LOCALE, USER_AGENT, USER_LOCATION};
use protocol::locale;
use serde_json::Value;
use serde_json::value::RawValue;

use super::openai::PREFIX;

/// The key of the locale in older clients, before `openai/locale`.
const OLD_LOCALE: &str = "webplus/i18n";
/// The longest hint that is displayed, in characters.
const MAX_CHARS: usize = 120;

/// The hints of one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hints {
    /// Whether the request has any key of OpenAI's.
    pub(super) openai: bool,
    /// The user's language, a well-formed tag.
    pub(crate) locale: Option<String>,
    /// The user's client.
    pub(super) user_agent: Option<String>,
    /// Where the user roughly is, in words.
    pub(super) place: Option<String>,
}

impl Hints {
    /// The hints in the params of a request.
    pub(crate) fn from_params(params: &Value) -> Self {
        let Some(meta) = params.get("_meta").and_then(Value::as_object) else { return Self::default() };
        let tag = |key| meta.get(key).and_then(Value::as_str).filter(|tag| locale::check(tag).is_ok());
        Self {
            openai: meta.keys().any(|key| key.starts_with(PREFIX)),
            locale: tag(LOCALE).or_else(|| tag(OLD_LOCALE)).map(str::to_owned),
            user_agent: meta.get(USER_AGENT).and_then(line),
            place: meta.get(USER_LOCATION).and_then(place),
        }
    }

    /// The hints in an unparsed `_meta`. Without a key of OpenAI's it is not parsed.
    pub(crate) fn from_raw_meta(meta: &RawValue) -> Self {
        if !meta.get().contains(PREFIX) && !meta.get().contains(OLD_LOCALE) {
            return Self::default();
        }
        let meta = serde_json::from_str(meta.get()).unwrap_or(Value::Null);
        Self::from_params(&serde_json::json!({ "_meta": meta }))
    }

    /// These hints, completed with those of the handshake.
    pub(crate) fn or(self, earlier: Self) -> Self {
        Self {
            openai: self.openai || earlier.openai,
            locale: self.locale.or(earlier.locale),
            user_agent: self.user_agent.or(earlier.user_agent),
            place: self.place.or(earlier.place),
        }
    }
}

/// City, region and country, as far as they are given.
fn place(location: &Value) -> Option<String> {
    let parts: Vec<_> =
        ["city", "region", "country"].iter().filter_map(|key| line(&location[*key])).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// A text that fits on one line.
fn line(value: &Value) -> Option<String> {
    let text: String = value.as_str()?.chars().filter(|c| !c.is_control()).take(MAX_CHARS).collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn hints(meta: &Value) -> Hints {
        Hints::from_params(&json!({ "_meta": meta }))
    }

    #[test]
    fn hints_are_read() {
        let read = hints(&json!({
            LOCALE: "de-CH",
            USER_AGENT: "ChatGPT/1.2025.012",
            USER_LOCATION: { "city": "Bern", "country": "CH", "latitude": 46.9 },
        }));
        assert!(read.openai);
        assert_eq!(read.locale.as_deref(), Some("de-CH"));
        assert_eq!(read.user_agent.as_deref(), Some("ChatGPT/1.2025.012"));
        assert_eq!(read.place.as_deref(), Some("Bern, CH"));
    }

    #[test]
    fn malformed_hints_are_absent() {
        for meta in [
            json!({ LOCALE: 7, USER_AGENT: {}, USER_LOCATION: "Bern" }),
            json!({ LOCALE: "de_CH", USER_AGENT: " \n", USER_LOCATION: { "city": 3 } }),
            json!({ LOCALE: null, USER_AGENT: null, USER_LOCATION: [] }),
        ] {
            let read = hints(&meta);
            assert_eq!(read, Hints { openai: true, ..Hints::default() }, "{meta}");
        }
        assert_eq!(hints(&json!("x")), Hints::default());
    }

    #[test]
    fn hints_stay_in_their_line() {
        let long = format!("a\nb{}", "x".repeat(500));
        let read = hints(&json!({ USER_AGENT: long }));
        assert_eq!(
            read.user_agent.map(|text| (text.starts_with("abx"), text.len())),
            Some((true, MAX_CHARS))
        );
    }

    #[test]
    fn the_old_key_still_counts() {
        assert_eq!(hints(&json!({ OLD_LOCALE: "fr-CA" })).locale.as_deref(), Some("fr-CA"));
        assert_eq!(hints(&json!({ OLD_LOCALE: "fr", LOCALE: "de" })).locale.as_deref(), Some("de"));
    }

    #[test]
    fn a_request_speaks_louder_than_the_handshake() {
        let handshake = hints(&json!({ LOCALE: "fr", USER_AGENT: "x" }));
        let both = hints(&json!({ LOCALE: "de" })).or(handshake.clone());
        assert_eq!((both.locale.as_deref(), both.user_agent.as_deref()), (Some("de"), Some("x")));
        assert_eq!(Hints::default().or(handshake.clone()), handshake);
    }
}
