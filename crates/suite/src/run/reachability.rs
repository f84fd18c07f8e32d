//! Finds out why a target cannot be measured: it ends, is silent, or admits nobody.

use std::time::Duration;

use protocol::{Era, Version, code};
use transport::client::{Failure, FirstContact, Profile, Session, Settled, Target, settle};

use super::TargetRun;
use crate::lock::lock;
use crate::run_cx::NonexistentVersion;
use crate::{CaseReport, Event, Finding, Plan, clients};

impl TargetRun<'_> {
    /// Why nothing can be measured of a target that ends before it says anything: not only at a discovery, which it need not
    /// know, but also at the handshakes of the newest and the oldest revision.
    pub(super) async fn ended_before_any_answer(&self, first: &FirstContact) -> Option<Failure> {
        let is_dead = |failure: &Failure| matches!(failure, Failure::Closed { .. });
        let mut failure = first.session.ended().filter(is_dead)?;
        if first.session.has_received() || !self.options.protocols.is_empty() {
            return None;
        }
        for version in [Era::Legacy.newest(), Era::Legacy.oldest()] {
            let (settled, _slot) = self.settle_in_turn(version).await;
            failure = match settled {
                Settled::Unsettled(failure) if is_dead(&failure) => failure,
                Settled::Spoken(session) => {
                    session.close().await;
                    return None;
                }
                Settled::Absent(_) | Settled::Unsettled(_) => return None,
            };
        }
        Some(failure)
    }

    /// The revision that a target of the legacy era offers to who names `version`, a modern one. `None` where it shows any sign
    /// of the modern era, or has no handshake of the legacy one: then the checks say what is wrong.
    pub(super) async fn legacy_offer(&self, version: Version) -> Option<String> {
        if self.shows_modern_sign(version).await {
            return None;
        }
        let _slot = self.run.slots.acquire().await;
        let limits = self.run.limits.clone();
        match settle(&self.run.target, Era::Legacy.newest(), clients::usual(), limits).await {
            Settled::Spoken(session) => {
                let offer = session.server().version;
                session.close().await;
                offer
            }
            Settled::Absent(Failure::OtherVersion { offered, .. }) => Some(offered),
            Settled::Absent(_) | Settled::Unsettled(_) => None,
        }
    }

    /// The revision that a target offers to who names `version`, which it does not speak. `None` where it has said elsewhere
    /// that it speaks it, or offers what is not a revision: then the checks of the handshake say what is wrong.
    pub(super) async fn lawful_offer(&self, version: Version, refusal: Failure) -> Option<String> {
        let Failure::OtherVersion { offered, .. } = refusal else { return None };
        offered.parse::<Version>().ok()?;
        // The answer is kept with the run, and the checks judge it.
        let _ = self.run.counter_offer(NonexistentVersion::Future).await;
        (!self.run.offered().contains(&version)).then_some(offered)
    }

    /// Whether a list is answered as only servers of the modern era do.
    async fn shows_modern_sign(&self, version: Version) -> bool {
        let _slot = self.run.slots.acquire().await;
        let limits = self.run.limits.clone();
        let probe = limits.probe;
        let connected = Session::connect(&self.run.target, version, Profile::default(), limits).await;
        let Ok(session) = connected else { return false };
        let reply = session.request("tools/list").timeout(probe).send().await;
        session.close().await;
        reply.is_ok_and(|reply| {
            let refuses =
                |code| code::is_recognised_modern(reply.status(), code) && code != code::METHOD_NOT_FOUND;
            reply.result_type().is_some() || reply.code().is_some_and(refuses)
        })
    }

    /// Blocks every case of a revision that the target does not speak.
    pub(super) fn block_revision(&self, version: Version, offer: &str) {
        let plan = Plan::new(&[version], self.run.target.usual_transport(), &self.options.selection);
        (self.emit)(Event::Began { version, cases: plan.cases.len() });
        let obstacle =
            Err(Finding::blocked(format!("the server does not speak {version}: it offers {offer}")));
        for case in &plan.cases {
            (self.emit)(Event::Finished(CaseReport::new(case, &obstacle, Duration::ZERO)));
        }
    }

    /// What stands in the way of a target that let us into none of its revisions, where nothing of it can be measured: it
    /// ends or is silent, or HTTP itself says no: a wrong path, a Host that it does not serve. Who asks for a token can be
    /// measured by how it asks.
    pub(super) fn explain_refusal(&self) -> Option<Failure> {
        let mut failures: Vec<Failure> = Vec::new();
        for list in [&self.absent, &self.unsettled] {
            failures.extend(lock(list).iter().map(|(_, failure)| failure.clone()));
        }
        let closed = |failure: &Failure| match failure {
            Failure::Status { status, .. } => !matches!(status, 400 | 401),
            other => !answers_something(other),
        };
        if !failures.iter().all(closed) {
            return None;
        }
        // An HTTP status to a POST says more than what became of a transport that most servers do not have.
        let refused = failures.iter().find_map(|failure| self.refused_post(failure));
        refused.or_else(|| failures.pop())
    }

    /// A status that was the answer to a message, with the path that the message went to.
    fn refused_post(&self, failure: &Failure) -> Option<Failure> {
        let (Failure::Status { doing, status }, Target::Url(endpoint)) = (failure, &self.run.target) else {
            return None;
        };
        let doing = format!("a POST to {} ({doing})", endpoint.url.path());
        Some(Failure::Status { doing, status: *status })
    }
}

/// Whether the target answered, even with nonsense.
pub(super) const fn answers_something(failure: &Failure) -> bool {
    match failure {
        Failure::NotHttp { .. }
        | Failure::NotJsonRpc { .. }
        | Failure::Status { .. }
        | Failure::NoResponse { .. }
        | Failure::Refused { .. }
        | Failure::OtherVersion { .. }
        | Failure::BadEndpoint { .. }
        | Failure::TooLarge { .. }
        | Failure::Flooded { .. } => true,
        Failure::Unusable(_)
        | Failure::NotStarted { .. }
        | Failure::Unreachable { .. }
        | Failure::Tls { .. }
        | Failure::Closed { .. }
        | Failure::SessionLost { .. }
        | Failure::TimedOut { .. }
        | Failure::NoEndpoint { .. }
        | Failure::Unavailable { .. }
        | Failure::Ours(_) => false,
    }
}
