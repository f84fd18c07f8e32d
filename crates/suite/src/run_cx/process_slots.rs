//! How many processes of the target may live at a time.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use transport::client::Target;

/// The fewest processes that may live at a time: one for what is shared, one for what is not.
const MIN_PROCESSES: usize = 2;

/// How long a caller that holds one slot waits for another.
const SHORT_WAIT: Duration = Duration::from_secs(3);

/// The right to one living process; none is needed where sessions are not processes.
pub(crate) type Slot = Option<OwnedSemaphorePermit>;

/// As many slots as there are cores. Waiting for one always ends: a process more is better than none.
#[derive(Clone, Debug)]
pub(crate) struct ProcessSlots {
    /// None where sessions are not processes.
    free: Option<Arc<Semaphore>>,
    /// How long a start may take, and so how long a slot is waited for.
    start: Duration,
}

impl ProcessSlots {
    pub(super) fn new(target: &Target, start: Duration) -> Self {
        let cores = std::thread::available_parallelism().map_or(MIN_PROCESSES, std::num::NonZero::get);
        let free = match target {
            Target::Command(_) => Some(Arc::new(Semaphore::new(cores.max(MIN_PROCESSES)))),
            Target::Url(_) | Target::InProcess(_) => None,
        };
        Self { free, start }
    }

    /// Whether every session has a process of its own.
    pub(crate) const fn are_needed(&self) -> bool {
        self.free.is_some()
    }

    /// How many revisions are measured side by side: as many as have room for their processes, where each holds so many at a
    /// time. What is not a process of its own has state that the revisions share.
    pub(crate) fn count_concurrent_revisions(&self, held_by_each: usize) -> usize {
        let slots = self.free.as_ref().map_or(1, |free| free.available_permits().max(MIN_PROCESSES));
        (slots / held_by_each).max(1)
    }

    /// Waits until one more process may live.
    pub(crate) async fn acquire(&self) -> Slot {
        self.acquire_within(self.start).await
    }

    /// The same for a caller that holds one already, and so may block others.
    pub(crate) async fn acquire_second(&self) -> Slot {
        self.acquire_within(SHORT_WAIT).await
    }

    async fn acquire_within(&self, limit: Duration) -> Slot {
        let free = Arc::clone(self.free.as_ref()?);
        tokio::time::timeout(limit, free.acquire_owned()).await.ok()?.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_that_hold_two_processes_never_wait_for_each_other() {
        let slots = ProcessSlots::new(&Target::command("true", [""; 0]), Duration::from_secs(7));
        let all = slots.count_concurrent_revisions(1);
        assert!((1..=all / 2).contains(&slots.count_concurrent_revisions(2)), "of {all}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_slot_that_nobody_gives_back_is_waited_for_no_longer_than_a_start() {
        let target = Target::command("true", [""; 0]);
        let slots = ProcessSlots::new(&target, Duration::from_secs(7));
        assert!(slots.are_needed());
        let mut held = Vec::new();
        for _ in 0..slots.count_concurrent_revisions(1) {
            held.extend(slots.acquire().await);
        }
        let began = tokio::time::Instant::now();
        assert!(slots.acquire().await.is_none());
        assert_eq!(began.elapsed().as_secs(), 7);
        assert!(slots.acquire_second().await.is_none());
        assert_eq!(began.elapsed().as_secs(), 7 + SHORT_WAIT.as_secs());
        held.pop();
        assert!(slots.acquire().await.is_some());
    }
}
