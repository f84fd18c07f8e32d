//! Which revisions the target speaks: modern ones by what the first contact showed, all others by a handshake.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::StreamExt;
use futures_util::stream;
use protocol::{Era, Version};
use transport::Transport;
use transport::client::{Failure, FirstContact, ModernClaim, Profile, Session, Settled, settle};

use super::TargetRun;
use super::target_description::server_name;
use crate::lock::lock;
use crate::run_cx::{NonexistentVersion, Slot};
use crate::{Event, Plan, Run, ServerCx, clients};

/// What is known of a modern revision before it is measured.
#[derive(Debug)]
pub(super) enum Start {
    /// The target speaks it, and this session is open.
    Open(Box<Session>, Slot),
    /// The target names it; a discovery in it will tell.
    Named,
    /// The target does not speak it, or said nothing that could be relied on.
    None,
}

impl TargetRun<'_> {
    /// What the first contact means for each modern revision, newest first. Its session serves for the revision that it was
    /// made in; one of the legacy era serves to ask for a version that does not exist.
    pub(super) async fn take_first(&self, first: FirstContact, slot: Slot) -> Vec<(Version, Start)> {
        self.run.revisions.note_listed(&first.session.server().supported);
        let mut starts = Vec::new();
        let mut spoken = None;
        for version in self.revisions.modern.iter().rev().copied() {
            let why = match first.claim(version) {
                ModernClaim::Spoken => {
                    spoken = Some(version);
                    continue;
                }
                ModernClaim::Named => {
                    starts.push((version, Start::Named));
                    continue;
                }
                ModernClaim::Unnamed => format!("{version} is not among its supportedVersions"),
                ModernClaim::Absent(why) => why,
            };
            if !self.is_named(version) {
                (self.emit)(Event::Absent { version, why });
            }
            starts.push((version, Start::None));
        }
        match spoken {
            Some(version) => starts.insert(0, (version, self.keep_first(first, version, slot).await)),
            None => {
                if !first.initialized && self.run.unknown_versions.take_turn() {
                    self.run.unknown_versions.ask_on(&first.session, &self.run.limits).await;
                }
                self.reuse_refused(first, slot).await;
            }
        }
        starts
    }

    /// Keeps the process that refused the discovery for the handshake of the newest legacy revision, as the page on
    /// compatibility lets a client do: one start less.
    async fn reuse_refused(&self, first: FirstContact, slot: Slot) {
        let version = Era::Legacy.newest();
        let is_reusable = !first.initialized && first.session.ended().is_none();
        if is_reusable && self.measures_all_over_pipes(version) {
            self.run.keep_spare(first.session.fall_back(version, Profile::bare()), slot);
        } else {
            first.session.close().await;
        }
    }

    /// The session of the first contact, or another one if something of the legacy era was said on it.
    async fn keep_first(&self, first: FirstContact, version: Version, slot: Slot) -> Start {
        if !first.initialized {
            return Start::Open(Box::new(first.session.with_profile(clients::usual())), slot);
        }
        first.session.close().await;
        match self.settle(version).await {
            Settled::Spoken(session) => Start::Open(Box::new(session), slot),
            Settled::Absent(failure) | Settled::Unsettled(failure) => {
                lock(&self.unsettled).push((version, failure));
                Start::None
            }
        }
    }

    /// Asks for versions that do not exist before any check wants to know: what ends a session over HTTP may end others. Where
    /// sessions are processes, the first that has a handshake asks.
    async fn ask_for_unknown_versions(&self) {
        if !self.run.slots.are_needed() && self.run.unknown_versions.take_turn() {
            for asked in [NonexistentVersion::Future, NonexistentVersion::Past] {
                // The checks judge the answer.
                let _ = self.run.counter_offer(asked).await;
            }
        }
    }

    /// Whether a check will run that looks at what unknown versions are answered with.
    pub(super) fn asks_for_unknown_versions(&self) -> bool {
        let (transport, selection) = (self.run.target.usual_transport(), &self.options.selection);
        self.legacy_versions().any(|version| {
            let plan = Plan::new(&[version], transport, selection);
            plan.active().any(|case| matches!(case.check.run, Run::CounterOffer(_)))
        })
    }

    /// The legacy revisions to measure, newest first: what an older one says of the newer ones is known by then.
    fn legacy_versions(&self) -> impl Iterator<Item = Version> + '_ {
        self.revisions.legacy.iter().rev().copied().filter(|version| self.is_wanted(*version))
    }

    /// Measures every revision that is wanted, those of the modern era first.
    pub(super) async fn measure_revisions(&self, modern: Vec<(Version, Start)>) {
        let mut steps: Vec<Pin<Box<dyn Future<Output = ()> + Send + '_>>> = Vec::new();
        let wanted = modern.into_iter().filter(|(version, _)| self.is_wanted(*version));
        steps.extend(wanted.map(|(version, start)| Box::pin(self.measure_modern(version, start)) as _));
        steps.push(Box::pin(self.ask_for_unknown_versions()));
        steps.extend(self.legacy_versions().map(|version| Box::pin(self.settle_and_measure(version)) as _));
        stream::iter(steps)
            .buffer_unordered(self.run.slots.count_concurrent_revisions(self.processes_held()))
            .collect::<Vec<()>>()
            .await;
    }

    /// How many processes a revision holds at a time. A whole run ends the first before it needs the second; a part of it
    /// keeps both, and two revisions that each wait for their second one would wait for each other.
    fn processes_held(&self) -> usize {
        let is_whole = self.legacy_versions().all(|version| self.measures_all_over_pipes(version));
        if is_whole { 1 } else { 2 }
    }

    async fn measure_modern(&self, version: Version, start: Start) {
        match start {
            Start::Open(session, slot) => self.measure_spoken(version, *session, slot).await,
            Start::Named => self.settle_and_measure(version).await,
            Start::None if self.is_named(version) => match self.legacy_offer(version).await {
                Some(offer) => self.block_revision(version, &offer),
                None => self.measure_named(version).await,
            },
            Start::None => {}
        }
    }

    async fn settle_and_measure(&self, version: Version) {
        // One start that nothing came of is waited for in full; the others wait until it has been tried again.
        if let Some(failure) = self.silent_start().filter(|_| !self.is_named(version)) {
            return lock(&self.unsettled).push((version, failure));
        }
        let (settled, slot) = self.settle_in_turn(version).await;
        if !matches!(settled, Settled::Spoken(_)) {
            self.run.end_spare(version).await;
        }
        match settled {
            Settled::Spoken(session) => self.measure_spoken(version, session, slot).await,
            Settled::Unsettled(Failure::BadEndpoint { .. }) => self.measure_bad_endpoint(version).await,
            Settled::Absent(failure) if self.is_named(version) => {
                drop(slot);
                match self.lawful_offer(version, failure).await {
                    Some(offer) => self.block_revision(version, &offer),
                    None => self.measure_named(version).await,
                }
            }
            Settled::Unsettled(_) if self.is_named(version) => {
                drop(slot);
                self.measure_named(version).await;
            }
            Settled::Absent(failure) => {
                self.run.revisions.note(version, false);
                (self.emit)(Event::Absent { version, why: failure.to_string() });
                lock(&self.absent).push((version, failure));
            }
            Settled::Unsettled(failure) => lock(&self.unsettled).push((version, failure)),
        }
    }

    fn measures_all_over_pipes(&self, version: Version) -> bool {
        let plan = Plan::new(&[version], Transport::Stdio, &self.options.selection);
        self.run.slots.are_needed()
            && self.is_wanted(version)
            && plan.says_everything(version, Transport::Stdio)
    }

    /// Starts the handshake in the newest legacy revision beside the first contact, which leaves a core idle. A part of the
    /// suite may need two processes of one revision at a time, and then there would be none left for the other.
    pub(super) fn prefetch_legacy(&self) {
        let version = Era::Legacy.newest();
        if !self.measures_all_over_pipes(version) {
            return;
        }
        let run = Arc::clone(&self.run);
        lock(&self.prefetched).spawn(async move {
            let slot = run.slots.acquire().await;
            (settle(&run.target, version, clients::usual(), run.limits.clone()).await, slot)
        });
    }

    /// The handshake that was started beside the first contact.
    async fn take_prefetched(&self) -> Option<(Settled, Slot)> {
        let mut prefetched = std::mem::take(&mut *lock(&self.prefetched));
        prefetched.join_next().await?.ok()
    }

    /// Whether the target speaks a revision, once one more process may live.
    pub(super) async fn settle_in_turn(&self, version: Version) -> (Settled, Slot) {
        if version == Era::Legacy.newest()
            && let Some(settled) = self.take_prefetched().await
        {
            return settled;
        }
        let slot = self.run.slots.acquire().await;
        (self.settle(version).await, slot)
    }

    async fn settle(&self, version: Version) -> Settled {
        let (target, limits) = (&self.run.target, self.run.limits.clone());
        if self.pings_in_handshake(version) {
            return Box::pin(Session::open_half(target, version, clients::usual(), limits)).await.into();
        }
        Box::pin(settle(target, version, clients::usual(), limits)).await
    }

    /// Whether the handshake of the shared session is the one with a ping in its middle. The newest revision has it on the
    /// second process, which the others may do without.
    fn pings_in_handshake(&self, version: Version) -> bool {
        version.era() == Era::Legacy
            && version != Era::Legacy.newest()
            && self.measures_all_over_pipes(version)
    }

    async fn measure_spoken(&self, version: Version, session: Session, slot: Slot) {
        self.run.revisions.note(version, true);
        (self.emit)(Event::Spoken { version, server: server_name(&session) });
        let cx = ServerCx::new(Arc::clone(&self.run), version, session.transport());
        if self.pings_in_handshake(version) {
            // A server that cannot be told is one that has ended, which the checks will meet.
            let _ = cx.ping_and_initialized(&session).await;
        }
        self.measure_revision(cx.with_shared_session(session, slot)).await;
    }

    /// The stream of HTTP+SSE does not give a usable endpoint. The checks of that transport say what is wrong.
    async fn measure_bad_endpoint(&self, version: Version) {
        self.run.revisions.note(version, true);
        self.measure_revision(ServerCx::new(Arc::clone(&self.run), version, Transport::HttpSse)).await;
    }

    /// The failure of a revision whose start was not answered.
    fn silent_start(&self) -> Option<Failure> {
        let unsettled = lock(&self.unsettled);
        unsettled.iter().map(|(_, failure)| failure).find(|failure| failure.is_timeout()).cloned()
    }

    /// Revisions that were not settled are tried once more, each alone. When that meets silence as well, it is enough.
    pub(super) async fn settle_again(&self) {
        let unsettled = std::mem::take(&mut *lock(&self.unsettled));
        for (version, earlier) in unsettled {
            if self.silent_again.load(Ordering::Relaxed) {
                self.leave_unsettled(version, earlier);
                continue;
            }
            match self.settle(version).await {
                Settled::Spoken(session) => self.measure_spoken(version, session, None).await,
                Settled::Absent(failure) => {
                    self.run.revisions.note(version, false);
                    (self.emit)(Event::Absent { version, why: failure.to_string() });
                    lock(&self.absent).push((version, failure));
                }
                Settled::Unsettled(Failure::BadEndpoint { .. }) => self.measure_bad_endpoint(version).await,
                Settled::Unsettled(failure) => self.leave_unsettled(version, failure),
            }
        }
    }

    fn leave_unsettled(&self, version: Version, failure: Failure) {
        if failure.is_timeout() {
            self.silent_again.store(true, Ordering::Relaxed);
        }
        if self.has_spoken() {
            let why = match (self.run.server_end.explain(), &failure) {
                (Some(end), _) => end,
                (None, Failure::Unavailable { .. }) => failure.to_string(),
                (None, _) => failure.at_start().to_string(),
            };
            (self.emit)(Event::Unsettled { version, why });
        } else {
            lock(&self.unsettled).push((version, failure));
        }
    }

    /// Measures revisions that the target offered and then refused: the checks of the handshake report that.
    pub(super) async fn finish_negotiation(&self) {
        for offered in self.run.offered() {
            let refused = lock(&self.absent).iter().any(|(version, _)| *version == offered);
            if refused {
                self.measure_named(offered).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use server::Faults;
    use server::fault::Faulty;

    use super::super::{Options, Revisions, run_revisions};
    use super::*;
    use crate::Selection;

    /// Stands for a second modern revision, which does not exist yet: the reference server names it in its discovery.
    const DUMMY: Version = Version::V2025_11_25;

    #[tokio::test]
    async fn a_second_modern_revision_is_measured_beside_the_first() {
        let target = transport::in_process(Faulty::new(Faults::new([])), "the reference");
        let mut revisions = Revisions::default();
        revisions.legacy.retain(|version| *version != DUMMY);
        revisions.modern.insert(0, DUMMY);
        let only = vec!["server/tools/listed".to_owned()];
        let options = Options { selection: Selection { only, skip: Vec::new() }, ..Options::default() };
        let mut spoken = BTreeSet::new();
        let report = run_revisions(&target, "", &options, revisions, |event| {
            if let Event::Spoken { version, .. } = event {
                assert!(spoken.insert(*version), "{version} twice");
            }
        });
        let report = report.await.unwrap();
        let measured: Vec<_> = report.revisions().into_iter().map(|revision| revision.protocol).collect();
        assert_eq!(measured, Version::ALL);
        assert!(spoken.into_iter().eq(Version::ALL));
    }

    #[test]
    fn every_revision_is_tried_once_and_has_checks() {
        let Revisions { legacy, modern } = Revisions::default();
        assert_eq!([legacy, modern].concat(), Version::ALL);
        for version in Version::ALL {
            assert!(
                !Plan::new(&[version], Transport::Stdio, &Selection::default()).cases.is_empty(),
                "{version}"
            );
        }
    }
}
