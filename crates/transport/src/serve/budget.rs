//! Budgets in bytes: the process has one, a session has a share of it, and whatever holds memory on behalf of a client
//! holds a [`Reservation`] for as long.
//!
//! Reserving never waits: if there is no room, the client is refused. A reservation returns its bytes when it is
//! dropped. Nothing here allocates memory or knows what the bytes are.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

use super::Limits;

/// Pieces of at most this size may also use [`reserve_for_small`], so that large pieces cannot crowd out small ones.
const SMALL_PIECE: usize = 4 * 1024;

/// What a charged message costs besides its bytes: the box around it, and its place in a queue.
const MESSAGE_OVERHEAD: usize = 128;

/// A number of bytes that may be held at once. Clones share it.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Account>);

#[derive(Debug)]
struct Account {
    scope: Scope,
    limit: usize,
    used: AtomicUsize,
    parent: Option<Budget>,
}

/// Bytes that are reserved in a budget, and in those above it, until this is dropped.
#[derive(Debug)]
pub struct Reservation {
    budget: Budget,
    bytes: usize,
}

/// The two budgets that everything is charged to. They are separate, so that what sessions keep for long never uses up
/// the room that requests need for a moment.
#[derive(Clone, Debug)]
pub struct Budgets {
    /// Messages that are being read, handled or written.
    pub work: Budget,
    /// What outlives a request: replay logs, queued messages, and whatever the handler remembers.
    pub kept: Budget,
}

/// Whose budget it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The whole process's.
    Process,
    /// One session's, or one pipe's.
    Session,
}

/// There is no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.reason())]
pub struct Exhausted {
    /// Whose budget has no room.
    pub scope: Scope,
    /// Whether there would be no room even if nothing else were held.
    pub is_too_large: bool,
}

impl Budget {
    /// A budget of `limit` bytes for the whole process.
    pub fn new(limit: usize) -> Self {
        Self(Arc::new(Account { scope: Scope::Process, limit, used: AtomicUsize::new(0), parent: None }))
    }

    /// The share of one session. Its reservations count in this budget too.
    #[must_use]
    pub fn for_session(&self, limit: usize) -> Self {
        let parent = Some(self.clone());
        Self(Arc::new(Account { scope: Scope::Session, limit, used: AtomicUsize::new(0), parent }))
    }

    /// How many bytes are held.
    pub fn used(&self) -> usize {
        self.0.used.load(Ordering::Relaxed)
    }

    /// How many bytes may be held.
    pub fn limit(&self) -> usize {
        self.0.limit
    }

    /// Takes `bytes`, or says whose budget has no room for them.
    pub fn reserve(&self, bytes: usize) -> Result<Reservation, Exhausted> {
        self.take_bytes(bytes)?;
        Ok(Reservation { budget: self.clone(), bytes })
    }

    /// A reservation of nothing yet.
    pub fn reserve_nothing(&self) -> Reservation {
        Reservation { budget: self.clone(), bytes: 0 }
    }

    /// Whether more than half of it is used, so that caches should be dropped.
    pub fn is_half_used(&self) -> bool {
        self.used() > self.limit() / 2
    }

    /// Charges a message for as long as anybody holds it or a slice of it.
    pub fn hold(&self, message: Bytes) -> Result<Bytes, Exhausted> {
        let reservation = self.reserve(message.len() + MESSAGE_OVERHEAD)?;
        Ok(Bytes::from_owner(ChargedMessage { message, _reservation: reservation }))
    }

    fn take_bytes(&self, bytes: usize) -> Result<(), Exhausted> {
        let account = &*self.0;
        let limit = account.limit + if bytes <= SMALL_PIECE { reserve_for_small(account.limit) } else { 0 };
        let before = account.used.fetch_add(bytes, Ordering::Relaxed);
        let refused = if before.saturating_add(bytes) > limit {
            Err(Exhausted { scope: account.scope, is_too_large: bytes > limit })
        } else {
            account.parent.as_ref().map_or(Ok(()), |parent| parent.take_bytes(bytes))
        };
        if refused.is_err() {
            account.used.fetch_sub(bytes, Ordering::Relaxed);
        }
        refused
    }

    fn give_back(&self, bytes: usize) {
        self.0.used.fetch_sub(bytes, Ordering::Relaxed);
        if let Some(parent) = &self.0.parent {
            parent.give_back(bytes);
        }
    }
}

/// What is left for small pieces when a budget is used up.
const fn reserve_for_small(limit: usize) -> usize {
    limit / 4
}

impl Reservation {
    /// How many bytes it has.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Grows or shrinks to `bytes`. When there is no room it stays as it is.
    pub fn resize(&mut self, bytes: usize) -> Result<(), Exhausted> {
        match bytes.checked_sub(self.bytes) {
            Some(more) => self.budget.take_bytes(more)?,
            None => self.budget.give_back(self.bytes - bytes),
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.budget.give_back(self.bytes);
    }
}

impl Budgets {
    /// The budgets of a process.
    pub fn of_process(limits: &Limits) -> Self {
        Self { work: Budget::new(limits.work), kept: Budget::new(limits.kept) }
    }

    /// The share of one session.
    #[must_use]
    pub fn for_session(&self, limits: &Limits) -> Self {
        Self {
            work: self.work.for_session(limits.session_work),
            kept: self.kept.for_session(limits.session_kept),
        }
    }
}

impl Exhausted {
    const fn reason(self) -> &'static str {
        match (self.is_too_large, self.scope) {
            (true, _) => "it takes more memory than one message may",
            (false, Scope::Session) => "the session holds as much as it may: wait for answers, or end it",
            (false, Scope::Process) => "the server holds as much as it may: try again later",
        }
    }
}

/// A message with its charge.
struct ChargedMessage {
    message: Bytes,
    _reservation: Reservation,
}

impl AsRef<[u8]> for ChargedMessage {
    fn as_ref(&self) -> &[u8] {
        &self.message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_taken_on_every_level_and_given_back() {
        let process = Budget::new(100_000);
        let session = process.for_session(60_000);
        let first = session.reserve(50_000).unwrap();
        assert_eq!((session.used(), process.used()), (50_000, 50_000));
        assert_eq!(session.reserve(20_000).unwrap_err().scope, Scope::Session);
        let other = process.for_session(60_000);
        let mut second = other.reserve(40_000).unwrap();
        assert_eq!(second.resize(55_000).unwrap_err().scope, Scope::Process);
        assert_eq!((other.used(), process.used()), (40_000, 90_000), "a refusal changes nothing");
        second.resize(10_000).unwrap();
        drop(first);
        assert_eq!((session.used(), other.used(), process.used()), (0, 10_000, 10_000));
        drop(second);
        assert_eq!(process.used(), 0);
    }

    #[test]
    fn what_is_small_finds_room_when_what_is_large_does_not() {
        let budget = Budget::new(100_000);
        let _large = budget.reserve(100_000).unwrap();
        assert!(budget.reserve(SMALL_PIECE + 1).is_err());
        let small: Vec<_> = std::iter::from_fn(|| budget.reserve(SMALL_PIECE).ok()).collect();
        assert_eq!(small.len(), 25_000 / SMALL_PIECE);
    }

    #[test]
    fn what_never_fits_is_told_apart() {
        let budget = Budget::new(10_000);
        assert!(budget.reserve(10_001).unwrap_err().is_too_large);
        let _half = budget.reserve(5_000).unwrap();
        assert!(!budget.reserve(6_000).unwrap_err().is_too_large);
    }

    #[test]
    fn a_message_is_charged_while_a_part_of_it_lives() {
        let budget = Budget::new(10_000);
        let held = budget.hold(Bytes::from(vec![7; 1000])).unwrap();
        let part = held.slice(10..20);
        drop(held);
        assert_eq!(budget.used(), 1000 + MESSAGE_OVERHEAD);
        drop(part);
        assert_eq!(budget.used(), 0);
    }
}
