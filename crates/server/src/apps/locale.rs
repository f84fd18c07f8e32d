//! The languages that the demo speaks, and which one a user gets.

use protocol::apps::openai::LOCALE;
use serde_json::{Value, json};

use crate::context::Call;
use crate::fault::apps::LOCALE_ECHOED;

/// A language that the demo speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Locale {
    /// English, for everybody else too.
    En,
    /// German.
    De,
    /// French.
    Fr,
}

impl Locale {
    const ALL: [Self; 3] = [Self::En, Self::De, Self::Fr];

    /// The language for whoever called.
    pub(super) fn of(call: &Call) -> Self {
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

    /// A number with that many decimals, as it is written in the language.
    pub(super) fn number(self, value: f64, decimals: usize) -> String {
        self.point(&format!("{value:.decimals$}"))
    }

    /// A number with the decimals that it has.
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

/// So many of something.
pub(super) fn counted(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// Says in the result which language it speaks, if the client asked for one.
pub(super) fn answer(call: &Call, result: &mut Value) {
    let Some(asked) = &call.client.hints.locale else { return };
    let spoken = if call.server.is_broken(&LOCALE_ECHOED) { asked } else { Locale::nearest(asked).tag() };
    if result.get("_meta").is_none() {
        result["_meta"] = json!({});
    }
    result["_meta"][LOCALE] = spoken.into();
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
