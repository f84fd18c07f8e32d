//! The languages of the demo, and how one is chosen.

use protocol::apps::openai::LOCALE;
use serde_json::{Value, json};

use crate::call::Call;

/// A language of the demo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Locale {
    /// English, which is also the default.
    En,
    /// German.
    De,
    /// French.
    Fr,
}

impl Locale {
    const ALL: [Self; 3] = [Self::En, Self::De, Self::Fr];

    /// The language of the caller.
    pub(super) fn for_caller(call: &Call) -> Self {
        call.client.hints.locale.as_deref().map_or(Self::En, Self::nearest)
    }

    /// The language nearest to the one asked for (RFC 4647, lookup).
    fn nearest(asked: &str) -> Self {
        let available = Self::ALL.map(Self::tag);
        let found = protocol::locale::lookup(&[asked], &available, Self::En.tag());
        Self::ALL.into_iter().find(|locale| locale.tag() == found).unwrap_or(Self::En)
    }

    pub(super) const fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::De => "de",
            Self::Fr => "fr",
        }
    }

    /// A number with that many decimals, formatted for the language.
    pub(super) fn number(self, value: f64, decimals: usize) -> String {
        self.point(&format!("{value:.decimals$}"))
    }

    /// A number with its own decimals.
    pub(super) fn plain(self, value: f64) -> String {
        let fits = value == 0.0 || (1e-6..1e15).contains(&value.abs());
        self.point(&if fits { format!("{value}") } else { format!("{value:e}") })
    }

    fn point(self, number: &str) -> String {
        match self {
            Self::En => number.to_owned(),
            Self::De | Self::Fr => number.replace('.', ","),
        }
    }
}

/// A count with its noun.
pub(super) fn counted(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// Declares the language of the result, if the client asked for one.
pub(super) fn declare_language(call: &Call, result: &mut Value) {
    let Some(asked) = &call.client.hints.locale else { return };
    if result.get("_meta").is_none() {
        result["_meta"] = json!({});
    }
    result["_meta"][LOCALE] = Locale::nearest(asked).tag().into();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_language_is_chosen() {
        for (asked, tag) in [
            ("de", "de"),
            ("de-CH-1996", "de"),
            ("FR-ca", "fr"),
            ("en-GB", "en"),
            ("ja-JP", "en"),
            ("x-y", "en"),
        ] {
            assert_eq!(Locale::nearest(asked).tag(), tag, "{asked}");
        }
    }

    #[test]
    fn numbers_are_written_as_the_language_has_it() {
        assert_eq!(Locale::En.number(2.5078, 2), "2.51");
        assert_eq!(Locale::De.number(2.5078, 2), "2,51");
        assert_eq!((Locale::Fr.plain(12.0), Locale::Fr.plain(12.5)), ("12".into(), "12,5".into()));
        assert_eq!((Locale::En.plain(1e300), Locale::En.plain(0.0)), ("1e300".into(), "0".into()));
    }
}
