//! Every legacy revision, tried by a handshake on a connection of its own.

use std::time::Duration;

use futures_util::StreamExt;
use protocol::{Span, Version};

use super::{RUNG, Spoken};
use crate::client::{Failure, Limits, Profile, Session, Target};

/// One revision that was tried.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) version: Version,
    pub(super) outcome: Result<Spoken, Failure>,
}

/// Tries them all, oldest first. `took` is how long the target needed for its first answer.
pub(super) async fn all(target: &Target, limits: &Limits, took: Duration) -> Vec<Attempt> {
    // It has answered once, so it will not need the time of a first start again. What was no answer in all that time is
    // not for want of time.
    let patience = match took < limits.start {
        true => limits.start.min(limits.probe.max(took * 3)),
        false => limits.probe,
    };
    let limits = Limits {
        start: patience,
        request: patience,
        connect: limits.connect.min(patience),
        shutdown: limits.shutdown.min(RUNG),
        ..limits.clone()
    };
    let at_once = match target {
        // Each is a process of its own.
        Target::Command(_) => 2,
        Target::Url(_) | Target::InProcess(_) => 4,
    };
    let attempts = Span::LEGACY.versions().map(|version| attempt(target, version, limits.clone()));
    futures_util::stream::iter(attempts).buffered(at_once).collect().await
}

async fn attempt(target: &Target, version: Version, limits: Limits) -> Attempt {
    let outcome = match Session::open(target, version, Profile::default(), limits).await {
        Ok(session) => {
            let spoken = Spoken { version, transport: session.transport(), server: session.server() };
            session.close().await;
            Ok(spoken)
        }
        Err(failure) => Err(failure),
    };
    Attempt { version, outcome }
}
