//! What the revisions of one run share: the target, its speed, the processes that may live at a time, and what it said to
//! versions that do not exist.

mod process_slots;
mod server_end;
mod spoken_revisions;
mod unknown_versions;
mod unprovoked_end;

use std::sync::Mutex;

use protocol::Version;
use transport::client::{Limits, Profile, Session, Settled, Target, settle};

pub(crate) use process_slots::{ProcessSlots, Slot};
use server_end::ServerEnd;
use spoken_revisions::SpokenRevisions;
use unknown_versions::UnknownVersions;
pub(crate) use unknown_versions::{CounterOffer, NonexistentVersion};
use unprovoked_end::UnprovokedEnd;

use crate::lock::lock;
use crate::patience::SilenceMemory;
use crate::policy::Calls;
use crate::{Finding, Pace};

/// What the revisions of one run share.
#[derive(Debug)]
pub struct RunCx {
    pub(crate) target: Target,
    pub(crate) limits: Limits,
    pub(crate) calls: Calls,
    pub(crate) pace: Pace,
    pub(crate) memory: SilenceMemory,
    pub(crate) slots: ProcessSlots,
    pub(crate) revisions: SpokenRevisions,
    pub(crate) unknown_versions: UnknownVersions,
    pub(crate) server_end: ServerEnd,
    pub(crate) unprovoked_end: UnprovokedEnd,
    /// A process that refused a discovery, for the next session of its revision.
    spare: Mutex<Option<(Session, Slot)>>,
}

impl RunCx {
    /// Nothing known so far.
    pub fn new(target: Target, limits: &Limits, calls: Calls) -> Self {
        let limits = limits.for_new_run();
        Self {
            pace: Pace::new(limits.request),
            memory: SilenceMemory::default(),
            slots: ProcessSlots::new(&target, limits.start),
            revisions: SpokenRevisions::default(),
            unknown_versions: UnknownVersions::default(),
            server_end: ServerEnd::default(),
            unprovoked_end: UnprovokedEnd::default(),
            spare: Mutex::default(),
            target,
            limits,
            calls,
        }
    }

    /// Keeps a process that refused a discovery for the next session of its revision.
    pub(crate) fn keep_spare(&self, session: Session, slot: Slot) {
        *lock(&self.spare) = Some((session, slot));
    }

    /// The process that was kept for `version`.
    pub(crate) fn take_spare(&self, version: Version) -> Option<(Session, Slot)> {
        lock(&self.spare).take_if(|(session, _)| session.version() == version)
    }

    /// Ends the process that was kept for `version`, because it is not needed.
    pub(crate) async fn end_spare(&self, version: Version) {
        if let Some((session, _slot)) = self.take_spare(version) {
            session.close().await;
        }
    }

    /// Whether the target speaks `version`. What this run has not settled yet is found out by a handshake.
    pub(crate) async fn speaks(&self, version: Version) -> Result<bool, Finding> {
        if let Some(speaks) = self.revisions.find(version) {
            return Ok(speaks);
        }
        let _slot = self.slots.acquire_second().await;
        let speaks = match settle(&self.target, version, Profile::default(), self.limits.clone()).await {
            Settled::Spoken(session) => {
                session.close().await;
                true
            }
            Settled::Absent(_) => false,
            Settled::Unsettled(failure) => return Err(Finding::blocked(failure.to_string())),
        };
        self.revisions.note(version, speaks);
        Ok(speaks)
    }

    /// What the target offers to a client that asks for `asked`.
    pub(crate) async fn counter_offer(&self, asked: NonexistentVersion) -> CounterOffer {
        self.unknown_versions.counter_offer(asked, &self.target, &self.limits, &self.slots).await
    }

    /// The revisions that the target offered: the one that a counter-offer named, and those that the discovery listed.
    pub(crate) fn offered(&self) -> Vec<Version> {
        let mut offered = self.revisions.listed();
        offered.extend(self.unknown_versions.offered());
        offered.sort_unstable();
        offered.dedup();
        offered
    }
}
