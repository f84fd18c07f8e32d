//! Which revisions the target speaks, as far as that has been settled.

use std::collections::HashMap;
use std::sync::Mutex;

use crate::lock::lock;
use protocol::Version;

/// The settled revisions, and those that the discovery listed. It asks nothing itself.
#[derive(Debug, Default)]
pub(crate) struct SpokenRevisions {
    settled: Mutex<HashMap<Version, bool>>,
    listed: Mutex<Vec<Version>>,
}

impl SpokenRevisions {
    /// Notes whether the target speaks `version`.
    pub(crate) fn note(&self, version: Version, speaks: bool) {
        lock(&self.settled).insert(version, speaks);
    }

    /// Whether the target speaks `version`; `None` as long as that is not settled.
    pub(crate) fn find(&self, version: Version) -> Option<bool> {
        lock(&self.settled).get(&version).copied()
    }

    /// Whether the target is known to speak any.
    pub(crate) fn has_any(&self) -> bool {
        lock(&self.settled).values().any(|speaks| *speaks)
    }

    /// Notes the versions that the discovery listed. Unknown ones are left out.
    pub(crate) fn note_listed(&self, versions: &[String]) {
        let known = versions.iter().filter_map(|text| text.parse::<Version>().ok());
        lock(&self.listed).extend(known);
    }

    /// The revisions that the discovery listed.
    pub(crate) fn listed(&self) -> Vec<Version> {
        lock(&self.listed).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_that_was_ruled_out_is_settled_but_not_spoken() {
        let revisions = SpokenRevisions::default();
        assert_eq!(revisions.find(Version::LATEST), None);
        revisions.note(Version::LATEST, false);
        assert_eq!((revisions.find(Version::LATEST), revisions.has_any()), (Some(false), false));
        revisions.note(Version::V2025_11_25, true);
        assert!(revisions.has_any());
    }

    #[test]
    fn what_no_revision_is_called_is_not_listed() {
        let revisions = SpokenRevisions::default();
        revisions.note_listed(&["2025-11-25".to_owned(), "tomorrow".to_owned()]);
        assert_eq!(revisions.listed(), [Version::V2025_11_25]);
    }
}
