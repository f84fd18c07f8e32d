//! What the revisions of one run share: the target, its speed, the processes that may live at a time, and what it said to
//! versions that do not exist.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use protocol::Version;
use serde_json::{Value, json};
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore};
use transport::client::{Failure, Limits, Profile, Session, Settled, Target, Transport, settle};

use crate::patience::Memory;
use crate::policy::Calls;
use crate::{Finding, Pace};

/// A version that is older than the oldest, and was never one.
pub(crate) const PAST: &str = "1999-12-31";
/// A version that is newer than the newest.
pub(crate) const FUTURE: &str = "2999-12-31";
/// The fewest processes that may live at a time: one for what is shared, one for what is not.
const FEWEST: usize = 2;

/// How long whoever holds the right to one process waits for another.
const BRIEFLY: Duration = Duration::from_secs(3);

/// The right to one living process; none is needed where sessions are not processes.
pub(crate) type Slot = Option<OwnedSemaphorePermit>;

/// What the server answered to `initialize` in a version that does not exist: its result.
pub(crate) type CounterOffer = Result<Value, Finding>;

/// What the revisions of one run share.
#[derive(Debug)]
pub struct RunCx {
    pub(crate) target: Target,
    pub(crate) limits: Limits,
    pub(crate) calls: Calls,
    pub(crate) pace: Pace,
    pub(crate) memory: Memory,
    slots: Option<Arc<Semaphore>>,
    past: OnceCell<CounterOffer>,
    future: OnceCell<CounterOffer>,
    /// Whether the next fresh session of the legacy era asks for versions that do not exist.
    asks_unknown_versions: AtomicBool,
    /// The revisions that the discovery listed.
    listed: Mutex<Vec<Version>>,
    /// Which revisions the target speaks, as far as that has been settled.
    spoken: Mutex<HashMap<Version, bool>>,
}

impl RunCx {
    /// Nothing known so far.
    pub fn new(target: Target, limits: &Limits, calls: Calls) -> Self {
        let limits = limits.for_new_run();
        let cores = std::thread::available_parallelism().map_or(FEWEST, std::num::NonZero::get);
        let slots = match target {
            Target::Command(_) => Some(Arc::new(Semaphore::new(cores.max(FEWEST)))),
            Target::Url(_) | Target::InProcess(_) => None,
        };
        Self {
            pace: Pace::new(limits.request),
            target,
            limits,
            calls,
            memory: Memory::default(),
            slots,
            past: OnceCell::new(),
            future: OnceCell::new(),
            asks_unknown_versions: AtomicBool::new(false),
            listed: Mutex::default(),
            spoken: Mutex::default(),
        }
    }

    /// Whether every session has a process of its own.
    pub(crate) const fn starts_processes(&self) -> bool {
        self.slots.is_some()
    }

    /// How many revisions are measured side by side: as many as have room for their processes. What is not a process of its
    /// own has state that the revisions share.
    pub(crate) fn abreast(&self) -> usize {
        self.slots.as_ref().map_or(1, |slots| slots.available_permits().max(FEWEST))
    }

    /// Waits until one more process may live. No longer than a start may take: a process more is better than none.
    pub(crate) async fn slot(&self) -> Slot {
        self.slot_within(self.limits.start).await
    }

    /// The same for whoever holds one already, and so may be the one who is waited for.
    pub(crate) async fn second_slot(&self) -> Slot {
        self.slot_within(BRIEFLY).await
    }

    async fn slot_within(&self, limit: Duration) -> Slot {
        let slots = Arc::clone(self.slots.as_ref()?);
        tokio::time::timeout(limit, slots.acquire_owned()).await.ok()?.ok()
    }

    /// Takes note of whether the target speaks `version`.
    pub(crate) fn note(&self, version: Version, speaks: bool) {
        self.spoken.lock().unwrap_or_else(PoisonError::into_inner).insert(version, speaks);
    }

    /// The revisions that the target is known to speak.
    pub(crate) fn spoken(&self) -> Vec<Version> {
        let spoken = self.spoken.lock().unwrap_or_else(PoisonError::into_inner);
        spoken.iter().filter(|(_, speaks)| **speaks).map(|(version, _)| *version).collect()
    }

    /// Whether the target speaks `version`. What this run has not settled yet is found out by a handshake.
    pub(crate) async fn speaks(&self, version: Version) -> Result<bool, Finding> {
        let known = self.spoken.lock().unwrap_or_else(PoisonError::into_inner).get(&version).copied();
        if let Some(speaks) = known {
            return Ok(speaks);
        }
        let _slot = self.second_slot().await;
        let speaks = match settle(&self.target, version, Profile::default(), self.limits.clone()).await {
            Settled::Spoken(session) => {
                session.close().await;
                true
            }
            Settled::Absent(_) => false,
            Settled::Unsettled(failure) => return Err(Finding::blocked(failure.to_string())),
        };
        self.note(version, speaks);
        Ok(speaks)
    }

    /// What the server offers to a client that asks for `asked`, one of [`PAST`] and [`FUTURE`].
    pub(crate) async fn counter_offer(&self, asked: &str) -> CounterOffer {
        let cell = if asked == PAST { &self.past } else { &self.future };
        cell.get_or_init(|| self.ask_for(asked)).await.clone()
    }

    /// Asks for both on a session that has not been initialized. What does not go well there is tried again on a session of
    /// its own by the first who wants to know: a server may refuse a second handshake.
    pub(crate) async fn ask_for_unknown_versions_on(&self, session: &Session) {
        for (asked, cell) in [(FUTURE, &self.future), (PAST, &self.past)] {
            match initialize(session, asked, &self.limits).await {
                // Somebody may have asked before.
                Ok(offer) if names_a_revision(&offer) => drop(cell.set(Ok(offer))),
                // What met silence once is not waited for again.
                Err(silence @ Finding::Blocked(_)) => {
                    let _ = (self.future.set(Err(silence.clone())), self.past.set(Err(silence)));
                    return;
                }
                Ok(_) | Err(_) => return,
            }
        }
    }

    /// Whether a check wants to know what versions that do not exist are answered with.
    pub(crate) fn plan_unknown_versions(&self, wanted: bool) {
        self.asks_unknown_versions.store(wanted, Ordering::Release);
    }

    /// Whether it is the caller who has to ask for them: the first who can, and nobody after.
    pub(crate) fn takes_unknown_versions(&self) -> bool {
        self.asks_unknown_versions.swap(false, Ordering::AcqRel)
    }

    /// Takes note of the versions that the discovery listed.
    pub(crate) fn note_listed(&self, versions: &[String]) {
        let known = versions.iter().filter_map(|text| text.parse::<Version>().ok());
        self.listed.lock().unwrap_or_else(PoisonError::into_inner).extend(known);
    }

    /// The revisions that the target offered: the one that a counter-offer named, and those that the discovery listed.
    pub(crate) fn offered(&self) -> Vec<Version> {
        let mut offered = self.listed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let counter_offer = self.future.get().or(self.past.get()).and_then(|offer| offer.as_ref().ok());
        offered.extend(
            counter_offer.and_then(|offer| offer["protocolVersion"].as_str()?.parse::<Version>().ok()),
        );
        offered.sort_unstable();
        offered.dedup();
        offered
    }

    async fn ask_for(&self, asked: &str) -> CounterOffer {
        let _slot = self.second_slot().await;
        let mut first = None;
        for transport in Transport::candidates(&self.target, Version::LATEST_LEGACY) {
            match self.ask_over(transport, asked).await {
                Ok(offer) => return Ok(offer),
                Err(finding) => drop(first.get_or_insert(finding)),
            }
        }
        Err(first.unwrap_or_else(|| Finding::Broke("no transport fits the target".to_owned())))
    }

    async fn ask_over(&self, transport: Transport, asked: &str) -> CounterOffer {
        let (profile, limits) = (Profile::default(), self.limits.clone());
        // Any legacy revision serves: what is asked for is in the message.
        let version = Version::LATEST_LEGACY;
        let connected = Session::connect_via(&self.target, transport, version, profile, limits).await;
        let session = connected.map_err(|failure| Finding::blocked(failure.to_string()))?;
        let offer = initialize(&session, asked, &self.limits).await;
        session.close().await;
        offer
    }
}

fn names_a_revision(offer: &Value) -> bool {
    offer["protocolVersion"].as_str().is_some_and(|text| text.parse::<Version>().is_ok())
}

/// A handshake in a version that does not exist.
async fn initialize(session: &Session, asked: &str, limits: &Limits) -> CounterOffer {
    let profile = Profile::default();
    let params = json!({
        "protocolVersion": asked,
        "capabilities": profile.capabilities_in(Version::LATEST_LEGACY),
        "clientInfo": profile.info,
    });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let sent = session.request("initialize").body(message.to_string()).timeout(limits.start).send().await;
    match sent {
        Ok(reply) => {
            let answer = crate::expect::Answer::new(reply, session.clone());
            answer.expect_result()
        }
        Err(failure @ Failure::TimedOut { .. }) => Err(Finding::blocked(failure.to_string())),
        Err(failure) => Err(failure.into()),
    }
}
