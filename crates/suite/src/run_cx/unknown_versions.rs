//! What the target answers to a client that asks for a version that does not exist. A run asks once for each.

use std::sync::atomic::{AtomicBool, Ordering};

use protocol::{Era, Version, code};
use serde_json::{Value, json};
use tokio::sync::OnceCell;
use transport::Transport;
use transport::client::{Failure, Limits, Profile, Reply, Session, Target};

use super::ProcessSlots;
use crate::Finding;
use crate::expect::Answer;

/// A version that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NonexistentVersion {
    /// It is older than the oldest.
    Past,
    /// It is newer than the newest.
    Future,
}

/// The result of `initialize` in a version that does not exist.
pub(crate) type CounterOffer = Result<Value, Finding>;

/// The counter-offers, and whose turn it is to ask for them.
#[derive(Debug, Default)]
pub(crate) struct UnknownVersions {
    past: OnceCell<CounterOffer>,
    future: OnceCell<CounterOffer>,
    /// Whether the next fresh session of the legacy era asks.
    is_planned: AtomicBool,
}

impl NonexistentVersion {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Past => "1999-12-31",
            Self::Future => "2999-12-31",
        }
    }
}

impl UnknownVersions {
    /// Says whether a check wants to know.
    pub(crate) fn plan(&self, wanted: bool) {
        self.is_planned.store(wanted, Ordering::Release);
    }

    /// Whether the caller has to ask. Only the first caller has to.
    pub(crate) fn take_turn(&self) -> bool {
        self.is_planned.swap(false, Ordering::AcqRel)
    }

    /// Asks for both on a session that has not been initialized. What fails there is tried again on a session of its
    /// own when a check wants to know, because a server may refuse a second handshake.
    pub(crate) async fn ask_on(&self, session: &Session, limits: &Limits) {
        for asked in [NonexistentVersion::Future, NonexistentVersion::Past] {
            match initialize(session, asked, limits).await {
                // Somebody may have asked before.
                Ok(offer) if read_revision(&offer).is_some() => drop(self.cell(asked).set(Ok(offer))),
                // What met silence once is not waited for again.
                Err(silence @ Finding::Blocked(_)) => {
                    let _ = (self.future.set(Err(silence.clone())), self.past.set(Err(silence)));
                    return;
                }
                Ok(_) | Err(_) => return,
            }
        }
    }

    /// The answer to `asked`, for which the target is asked on a session of its own unless it has answered already.
    pub(super) async fn counter_offer(
        &self,
        asked: NonexistentVersion,
        target: &Target,
        limits: &Limits,
        slots: &ProcessSlots,
    ) -> CounterOffer {
        let ask = async || {
            let _slot = slots.acquire_second().await;
            ask_target(target, asked, limits).await
        };
        self.cell(asked).get_or_init(ask).await.clone()
    }

    /// The revision that a counter-offer named, if one is known.
    pub(super) fn offered(&self) -> Option<Version> {
        let offer = self.future.get().or(self.past.get())?;
        read_revision(offer.as_ref().ok()?)
    }

    const fn cell(&self, asked: NonexistentVersion) -> &OnceCell<CounterOffer> {
        match asked {
            NonexistentVersion::Past => &self.past,
            NonexistentVersion::Future => &self.future,
        }
    }
}

fn read_revision(offer: &Value) -> Option<Version> {
    offer["protocolVersion"].as_str()?.parse().ok()
}

async fn ask_target(target: &Target, asked: NonexistentVersion, limits: &Limits) -> CounterOffer {
    let mut first = None;
    // Any legacy revision serves: what is asked for is in the message.
    let version = Era::Legacy.newest();
    for transport in Transport::candidates(target, version) {
        let connected =
            Session::connect_over(target, transport, version, Profile::default(), limits.clone()).await;
        let offer = match connected {
            Ok(session) => {
                let offer = initialize(&session, asked, limits).await;
                session.close().await;
                offer
            }
            Err(failure) => Err(Finding::blocked(failure.to_string())),
        };
        match offer {
            Ok(offer) => return Ok(offer),
            Err(finding) => drop(first.get_or_insert(finding)),
        }
    }
    Err(first.unwrap_or_else(|| Finding::Broke("no transport fits the target".to_owned())))
}

/// Sends a handshake in a version that does not exist.
async fn initialize(session: &Session, asked: NonexistentVersion, limits: &Limits) -> CounterOffer {
    let profile = Profile::default();
    let params = json!({
        "protocolVersion": asked.as_str(),
        "capabilities": profile.capabilities_in(Era::Legacy.newest()),
        "clientInfo": profile.info,
    });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let sent = session.request("initialize").body(message.to_string()).timeout(limits.start).send().await;
    match sent {
        // The pages show this error by example, although they ask for a counter-offer.
        Ok(reply) if lists_versions(&reply) => Err(Finding::not_applicable(
            "the server refuses a version that does not exist, and lists those that it supports",
        )),
        Ok(reply) => Answer::new(reply, session.clone()).expect_result(),
        Err(failure @ Failure::TimedOut { .. }) => Err(Finding::blocked(failure.to_string())),
        Err(failure) => Err(failure.into()),
    }
}

/// Whether this is the error for an unsupported version that the page on the lifecycle shows.
fn lists_versions(reply: &Reply) -> bool {
    let data =
        reply.error().filter(|_| reply.code() == Some(code::INVALID_PARAMS)).and_then(|error| error.data);
    let supported = data.as_ref().and_then(|data| data["supported"].as_array());
    supported.is_some_and(|versions| !versions.is_empty() && versions.iter().all(Value::is_string))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use server::Faults;
    use server::fault::Faulty;

    use super::*;

    #[test]
    fn one_caller_asks() {
        let versions = UnknownVersions::default();
        assert!(!versions.take_turn(), "no check wants to know");
        versions.plan(true);
        assert_eq!((versions.take_turn(), versions.take_turn()), (true, false));
    }

    #[tokio::test]
    async fn an_answer_is_kept() {
        let target = transport::in_process(Faulty::new(Faults::new([])), "the reference");
        let limits = Limits::default();
        let slots = ProcessSlots::new(&target, Duration::ZERO);
        let versions = UnknownVersions::default();
        assert_eq!(versions.offered(), None);
        let newest = Era::Legacy.newest();
        for asked in [NonexistentVersion::Past, NonexistentVersion::Future] {
            let offer = versions.counter_offer(asked, &target, &limits, &slots).await.unwrap();
            assert_eq!(read_revision(&offer), Some(newest));
        }
        assert_eq!(versions.offered(), Some(newest));
        // Nothing listens there: the answer must be the first one.
        let nobody = Target::command("/no/such/program", [""; 0]);
        let again = versions.counter_offer(NonexistentVersion::Past, &nobody, &limits, &slots).await;
        assert!(again.is_ok());
    }
}
