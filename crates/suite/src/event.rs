//! What happens during a run, without presentation.

use std::time::Duration;

use protocol::Version;

use crate::{CaseReport, Survey, TargetReport, ViewedApp};

/// How a server calls itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ServerName {
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// The target was reached, and this is what it says of itself.
    Reached(TargetReport),
    /// The target could not be reached, and nothing was measured.
    Unreached {
        /// What is known of it.
        target: TargetReport,
        /// What stood in the way.
        why: String,
    },
    /// The target speaks a revision.
    Spoken {
        /// The revision.
        version: Version,
        /// How the server calls itself in it.
        server: ServerName,
    },
    /// The target said that it does not speak a revision.
    Absent {
        /// The revision.
        version: Version,
        /// What it said.
        why: String,
    },
    /// It could not be found out whether the target speaks a revision.
    Unsettled {
        /// The revision.
        version: Version,
        /// What stood in the way, and which option helps.
        why: String,
    },
    /// The cases of one revision begin.
    Began {
        /// The revision.
        version: Version,
        /// How many cases there are.
        cases: usize,
    },
    /// A case has its outcome.
    Finished(CaseReport),
    /// An app was shown in one row of the matrix of hosts.
    Viewed(ViewedApp),
    /// How much the target offers, in one revision.
    Surveyed {
        /// The revision.
        version: Version,
        /// How much.
        survey: Survey,
    },
    /// An entry of the baseline has no effect on what was measured.
    UnusedEntry {
        /// The entry, as it was written.
        entry: String,
        /// Why it has none.
        why: String,
    },
    /// The run was interrupted. Cases that have not run never will.
    Interrupted,
    /// All is done.
    Ended {
        /// How long it took.
        took: Duration,
    },
}
