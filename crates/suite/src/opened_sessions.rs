//! Every session that was opened in one revision, with its right to a process and who ended it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::lock::lock;
use futures_util::future::join_all;
use transport::client::Session;
use wire::{Direction, Entry, Recorder, Transcript, What};

use crate::Excerpt;
use crate::run_cx::Slot;

/// How many sessions are asked whether the server still knows them: each request brings the end of a short session nearer.
const MAX_ASKED: usize = 4;

/// Every session that was opened, oldest first. Sessions stay on the list after their end.
#[derive(Debug, Default)]
pub(crate) struct OpenedSessions(Mutex<Vec<Arc<Opened>>>);

/// A session, and its right to a process.
#[derive(Debug)]
struct Opened {
    session: Session,
    slot: Arc<Mutex<Slot>>,
    /// Whether the passive checks read it.
    judged: bool,
    /// Whether we have ended it, and not the server.
    closed: AtomicBool,
}

impl OpenedSessions {
    pub(crate) fn add(&self, session: &Session, slot: Slot, judged: bool) -> Arc<Mutex<Slot>> {
        let slot = Arc::new(Mutex::new(slot));
        let (session, closed) = (session.clone(), AtomicBool::new(false));
        let opened = Opened { session, slot: Arc::clone(&slot), judged, closed };
        lock(&self.0).push(Arc::new(opened));
        slot
    }

    /// Notes that we end `session`, unless the server has done so before.
    pub(crate) fn note_closing(&self, session: &Session) {
        if let Some(opened) = self.find(session).filter(|_| session.ended().is_none()) {
            opened.closed.store(true, Ordering::Release);
        }
    }

    /// The right to a process that a session has, if it has one.
    pub(crate) fn take_slot(&self, session: &Session) -> Slot {
        lock(&self.find(session)?.slot).take()
    }

    /// How many sessions the server has ended so far.
    pub(crate) fn count_lost(&self) -> usize {
        let is_lost = |one: &Opened| !one.closed.load(Ordering::Acquire) && one.session.ended().is_some();
        self.all().iter().filter(|one| is_lost(one)).count()
    }

    /// Asks on the sessions that were opened last whether the server still knows them. A stream that ends does not say so.
    pub(crate) async fn notice_lost(&self, method: &str, limit: Duration) {
        let is_open =
            |one: &Arc<Opened>| !one.closed.load(Ordering::Acquire) && one.session.ended().is_none();
        let open = self.all().into_iter().rev().filter(is_open);
        let known = open.filter(|one| one.session.server().session_id.is_some()).take(MAX_ASKED);
        let asked = known.map(|one| one.session.request(method).exact().timeout(limit).send());
        join_all(asked).await;
    }

    /// The recorder of each session that the passive checks read, also after its end.
    pub(crate) fn recorders(&self) -> Vec<Recorder> {
        let judged = self.all().into_iter().filter(|one| one.judged);
        judged.map(|one| one.session.recorder().clone()).collect()
    }

    /// The requests over HTTP whose answer did not even begin, latest first.
    pub(crate) fn requests_without_response(&self) -> Vec<Excerpt> {
        self.all()
            .iter()
            .rev()
            .flat_map(|one| find_without_response(&one.session.recorder().transcript()))
            .collect()
    }

    /// Ends every session, and forgets them. Whatever has not ended within `limit` ends when its session is dropped.
    pub(crate) async fn close_all(&self, limit: Duration) {
        let opened = std::mem::take(&mut *lock(&self.0));
        let _ = tokio::time::timeout(limit, join_all(opened.iter().map(|one| one.session.close()))).await;
    }

    fn find(&self, session: &Session) -> Option<Arc<Opened>> {
        self.all().into_iter().find(|one| one.session.is_same(session))
    }

    fn all(&self) -> Vec<Arc<Opened>> {
        lock(&self.0).clone()
    }
}

fn find_without_response(transcript: &Transcript) -> Vec<Excerpt> {
    let entries = &transcript.entries;
    let is_sent = |entry: &&Entry, what: What| entry.direction == Direction::ToServer && entry.what == what;
    let is_answered = |exchange: u32| {
        entries.iter().any(|entry| {
            entry.exchange == exchange && entry.direction == Direction::ToClient && entry.what != What::End
        })
    };
    let heads =
        entries.iter().rev().filter(|entry| is_sent(entry, What::Head) && !is_answered(entry.exchange));
    heads
        .map(|head| {
            let of_head = |entry: &&Entry| is_sent(entry, What::Message) && entry.exchange == head.exchange;
            Excerpt::request(head, entries.iter().find(of_head))
        })
        .collect()
}
