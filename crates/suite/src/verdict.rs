//! What a check finds.

use transport::client::{Blame, Failure};

use crate::Evidence;

/// What a check finds: nothing to complain about, or a finding.
pub type Verdict = Result<(), Finding>;

/// Why a check did not pass.
#[derive(Clone, Debug)]
pub enum Finding {
    /// The target does not do what it should.
    Violated(Box<Evidence>),
    /// It could not be tested; the text says what stood in the way.
    Blocked(String),
    /// The target does not have what the check is about; the text says what.
    NotApplicable(String),
    /// The suite itself went wrong.
    Broke(String),
}

impl Finding {
    /// A violation, with what was expected and what was there instead.
    pub fn violated(expected: impl Into<String>, actual: impl Into<String>) -> Self {
        Self::Violated(Box::new(Evidence::new(expected, actual)))
    }

    /// The target does not have what the check is about.
    pub fn not_applicable(why: impl Into<String>) -> Self {
        Self::NotApplicable(why.into())
    }

    /// It could not be tested.
    pub fn blocked(why: impl Into<String>) -> Self {
        Self::Blocked(why.into())
    }
}

/// A target that was reached and gives no answer where one is due has failed; one that cannot be reached has not
/// been tested.
impl From<Failure> for Finding {
    fn from(failure: Failure) -> Self {
        match failure.blame() {
            Blame::Target => Self::violated("an answer", failure.to_string()),
            Blame::User => Self::Blocked(failure.to_string()),
            Blame::Ours => Self::Broke(failure.to_string()),
        }
    }
}
