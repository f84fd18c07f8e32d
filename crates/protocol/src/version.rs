//! The protocol revisions: closed, ordered, and a string only at the edges.

use std::fmt;
use std::str::FromStr;

/// A revision of the Model Context Protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// The first public revision; HTTP means HTTP+SSE here.
    V2024_11_05,
    /// Streamable HTTP, batches, audio, tool annotations.
    V2025_03_26,
    /// Structured output, elicitation, resource links, titles; batches gone.
    V2025_06_18,
    /// Icons, tasks (experimental), URL elicitation, sampling with tools.
    V2025_11_25,
    /// Stateless: no handshake, per-request `_meta`, `server/discover`.
    V2026_07_28,
}

/// How a connection begins, which is what divides the revisions in two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Era {
    /// An `initialize` handshake opens a session.
    Legacy,
    /// Every request stands alone and carries its own version.
    Modern,
}

/// A string that names no revision.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a protocol revision; known are {known}", known = Version::known())]
pub struct UnknownVersion(pub String);

impl Version {
    /// Every revision, oldest first.
    pub const ALL: [Self; 5] =
        [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];

    /// The newest revision.
    pub const LATEST: Self = Era::Modern.newest();

    /// A string from before the first release; a client that asks for it is offered the first revision.
    pub const PRE_RELEASE: &'static str = "2024-10-07";

    /// The date that names the revision.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// Whether the revision begins with a handshake.
    pub const fn era(self) -> Era {
        match self {
            Self::V2024_11_05 | Self::V2025_03_26 | Self::V2025_06_18 | Self::V2025_11_25 => Era::Legacy,
            Self::V2026_07_28 => Era::Modern,
        }
    }

    /// The revision that a server answers to an `initialize` that asks for `requested`:
    /// the same one if it is known, else the newest that has a handshake.
    pub fn negotiate(requested: &str) -> Self {
        if requested == Self::PRE_RELEASE {
            return Self::V2024_11_05;
        }
        match requested.parse() {
            Ok(version) if Self::era(version) == Era::Legacy => version,
            _ => Era::Legacy.newest(),
        }
    }

    fn known() -> String {
        Self::ALL.map(Self::as_str).join(", ")
    }
}

impl Era {
    /// Both eras, the older first.
    pub const ALL: [Self; 2] = [Self::Legacy, Self::Modern];

    /// The newest revision of the era.
    pub const fn newest(self) -> Version {
        self.span().until
    }

    /// The oldest revision of the era.
    pub const fn oldest(self) -> Version {
        self.span().since
    }

    /// The revisions of the era, oldest first.
    pub fn versions(self) -> impl DoubleEndedIterator<Item = Version> {
        self.span().versions()
    }

    /// From the first revision of the era to its last. No other era lies in between.
    pub const fn span(self) -> Span {
        let (mut first, mut last) = (0, Version::ALL.len() - 1);
        while Version::ALL[first].era() as u8 != self as u8 {
            first += 1;
        }
        while Version::ALL[last].era() as u8 != self as u8 {
            last -= 1;
        }
        Span { since: Version::ALL[first], until: Version::ALL[last] }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Version {
    type Err = UnknownVersion;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|v| v.as_str() == text).ok_or_else(|| UnknownVersion(text.to_owned()))
    }
}

impl serde::Serialize for Version {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> serde::Deserialize<'de> for Version {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// The revisions from one to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first revision of the span.
    pub since: Version,
    /// The last revision of the span.
    pub until: Version,
}

impl Span {
    /// Every revision.
    pub const ALWAYS: Self = Self { since: Version::V2024_11_05, until: Version::LATEST };
    /// The revisions with a handshake.
    pub const LEGACY: Self = Era::Legacy.span();
    /// The stateless revisions.
    pub const MODERN: Self = Era::Modern.span();

    /// From `since` on.
    pub const fn since(since: Version) -> Self {
        Self { since, until: Version::LATEST }
    }

    /// Up to and including `until`.
    pub const fn until(until: Version) -> Self {
        Self { since: Version::V2024_11_05, until }
    }

    /// From `since` up to and including `until`.
    pub const fn between(since: Version, until: Version) -> Self {
        Self { since, until }
    }

    /// In `version` alone.
    pub const fn only(version: Version) -> Self {
        Self { since: version, until: version }
    }

    /// Whether `version` lies in the span.
    pub const fn contains(self, version: Version) -> bool {
        self.since as u8 <= version as u8 && version as u8 <= self.until as u8
    }

    /// The revisions of the span, oldest first.
    pub fn versions(self) -> impl DoubleEndedIterator<Item = Version> {
        Version::ALL.into_iter().filter(move |v| self.contains(*v))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_revisions_map_one_to_one() {
        for version in Version::ALL {
            assert_eq!(version.as_str().parse(), Ok(version));
        }
        let error = "2025-01-01".parse::<Version>().unwrap_err().to_string();
        assert!(error.contains("`2025-01-01`") && error.contains("2026-07-28"), "{error}");
    }

    /// Whatever is asked of an era holds for a revision that is added to it, without a second list.
    #[test]
    fn every_revision_belongs_to_one_era_and_to_its_span() {
        assert!(Version::ALL.is_sorted());
        let by_era: Vec<_> = Era::ALL.into_iter().flat_map(Era::versions).collect();
        assert_eq!(by_era, Version::ALL);
        for version in Version::ALL {
            let era = version.era();
            assert!(Era::ALL.into_iter().all(|other| other.span().contains(version) == (other == era)));
            assert!((era.oldest()..=era.newest()).contains(&version));
        }
        assert_eq!(Version::ALL.last(), Some(&Version::LATEST));
    }

    #[test]
    fn negotiation_offers_what_was_asked_or_the_newest_with_a_handshake() {
        assert_eq!(Version::negotiate("2024-10-07"), Version::V2024_11_05);
        assert_eq!(Version::negotiate("2025-03-26"), Version::V2025_03_26);
        assert_eq!(Version::negotiate("2026-07-28"), Version::V2025_11_25);
        assert_eq!(Version::negotiate("1999-01-01"), Version::V2025_11_25);
    }

    #[test]
    fn spans_hold_their_ends() {
        let span = Span::between(Version::V2025_03_26, Version::V2025_06_18);
        assert_eq!(span.versions().collect::<Vec<_>>(), [Version::V2025_03_26, Version::V2025_06_18]);
        assert!(Span::ALWAYS.contains(Version::LATEST));
    }
}
