//! What a check finds.

use transport::client::{Blame, Failure, Session};
use wire::{Direction, Frame};

use crate::{Evidence, Excerpt, Party};

/// What a check finds: nothing to complain about, or a finding.
pub type Verdict = Result<(), Finding>;

/// Why a check did not pass.
#[derive(Clone, Debug)]
pub enum Finding {
    /// The target does not do what it should.
    Violated(Box<Evidence>),
    /// It could not be tested.
    Blocked(Obstacle),
    /// The target does not have what the check is about; the text says what.
    NotApplicable(String),
    /// The suite itself went wrong.
    Broke(String),
}

/// What stood in the way of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// What it was.
    pub why: String,
    /// The check that reports it as a finding of its own, where there is one.
    pub because: Option<&'static str>,
}

/// The verdict of a check that looks for the first bad item: passes when none was found, and `finding` tells what is wrong with it.
pub(crate) fn expect_none<T>(found: Option<T>, finding: impl FnOnce(T) -> Finding) -> Verdict {
    found.map_or(Ok(()), |item| Err(finding(item)))
}

impl Finding {
    /// A violation, with what was expected and what was there instead.
    pub fn violated(expected: impl Into<String>, actual: impl Into<String>) -> Self {
        Self::Violated(Box::new(Evidence::new(expected, actual)))
    }

    /// A violation that a message of the server shows.
    pub(crate) fn violated_in(
        message: &[u8],
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) -> Self {
        let excerpt = Excerpt::from_bytes(Party::Server, message);
        Self::Violated(Box::new(Evidence::new(expected, actual).showing(excerpt)))
    }

    /// The target does not have what the check is about.
    pub fn not_applicable(why: impl Into<String>) -> Self {
        Self::NotApplicable(why.into())
    }

    /// It could not be tested.
    pub fn blocked(why: impl Into<String>) -> Self {
        Self::Blocked(Obstacle { why: why.into(), because: None })
    }

    /// It could not be tested because of what the check `because` reports.
    pub fn blocked_by(because: &'static str, why: impl Into<String>) -> Self {
        Self::Blocked(Obstacle { why: why.into(), because: Some(because) })
    }

    /// The same finding with the last request of `method` on `session`, if it is a violation that shows nothing yet.
    #[must_use]
    pub(crate) fn showing_request(mut self, session: &Session, method: &str) -> Self {
        if let Self::Violated(evidence) = &mut self
            && evidence.frames.is_empty()
        {
            let transcript = session.recorder().transcript();
            let sent = transcript.messages().filter(|entry| entry.direction == Direction::ToServer);
            let request = sent.filter(|entry| {
                Frame::parse(&entry.bytes).is_ok_and(|frame| frame.method().as_deref() == Some(method))
            });
            evidence.frames.extend(request.last().map(Excerpt::entry));
        }
        self
    }

    /// The same finding for a check that is about something else: a violation stands in its way.
    #[must_use]
    pub fn into_obstacle(self) -> Self {
        self.obstructing(Self::blocked)
    }

    /// The same finding, where `check` is the one that reports a violation of this kind.
    #[must_use]
    pub fn into_obstacle_of(self, check: &'static str) -> Self {
        self.obstructing(|actual| Self::blocked_by(check, actual))
    }

    /// The same finding, where `block` says how a violation stands in the way, seen what was there instead.
    #[must_use]
    pub(crate) fn obstructing(self, block: impl FnOnce(String) -> Self) -> Self {
        match self {
            Self::Violated(evidence) => block(evidence.actual),
            Self::Blocked(_) | Self::NotApplicable(_) | Self::Broke(_) => self,
        }
    }
}

/// A target that was reached and gives no answer where one is due has failed; one that cannot be reached has not
/// been tested.
impl From<Failure> for Finding {
    fn from(failure: Failure) -> Self {
        // That nobody can listen to it, or that it wants fewer requests, says nothing about the rule in question.
        if matches!(failure, Failure::Flooded { .. } | Failure::Unavailable { .. }) {
            return Self::blocked(failure.to_string());
        }
        match failure.blame() {
            Blame::Target => Self::violated("an answer", failure.to_string()),
            Blame::User => Self::blocked(failure.to_string()),
            Blame::Ours => Self::Broke(failure.to_string()),
        }
    }
}
