//! How long this server takes for an answer, as it has shown so far, and how long to wait for one.
//!
//! No limit of a check is a number of its own: a server that takes seconds for everything is waited for longer than one that
//! takes milliseconds, and on a busy machine everything takes longer.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// How much longer than ever before an answer may take.
pub(crate) const MARGIN: u32 = 3;
/// What is waited for what need not come, by the round trip that was measured last.
const MOMENT_WAIT: Wait = Wait { least: Duration::from_millis(12), quick: 12, slow: 2 };
/// The same for what has to come.
const DOUBT_WAIT: Wait = Wait { least: Duration::from_millis(250), quick: 50, slow: 3 };
/// What a slow server is given beyond its round trips.
const MAX_EXTRA_WAIT: Duration = Duration::from_millis(500);

/// How a wait grows with the time of a round trip. A quick server needs many, since the machine does other things as well;
/// for a slow one that would be a waste.
struct Wait {
    least: Duration,
    quick: u32,
    slow: u32,
}

/// What a server has shown of its speed, in all revisions together.
#[derive(Debug)]
pub struct Pace {
    /// How long the user gives the server for one answer.
    timeout: Duration,
    /// The longest that one answer took, in microseconds, less the time that it waited behind others of ours.
    slowest: AtomicU64,
    /// How long a round trip took just now, in microseconds: the load of the machine shows in it.
    round_trip: AtomicU64,
    /// How many requests are on their way.
    outstanding: AtomicUsize,
}

/// A request on its way.
#[derive(Debug)]
pub(crate) struct Outstanding<'p> {
    pace: &'p Pace,
    /// How many others were on their way when it was sent.
    others: usize,
}

impl Pace {
    /// Nothing shown so far.
    pub const fn new(timeout: Duration) -> Self {
        Self {
            timeout,
            slowest: AtomicU64::new(0),
            round_trip: AtomicU64::new(0),
            outstanding: AtomicUsize::new(0),
        }
    }

    /// How long to wait for an answer, as things are.
    pub fn limit(&self) -> Duration {
        let slowest = self.slowest();
        let queue = u32::try_from(self.outstanding.load(Ordering::Relaxed)).unwrap_or(u32::MAX);
        self.timeout.max(slowest * MARGIN).saturating_add(slowest.saturating_mul(queue))
    }

    /// How long to listen for what need not come, when the server has answered what was asked after it.
    pub fn moment(&self) -> Duration {
        self.wait(&MOMENT_WAIT)
    }

    /// How long to wait for what has to come, when the server has answered what was asked after it: an answer may be
    /// overtaken, but not by much.
    pub fn benefit_of_doubt(&self) -> Duration {
        self.wait(&DOUBT_WAIT)
    }

    /// How long an answer may take that the server gives as quickly as it can, even if it is slower than ever before.
    pub fn longest(&self) -> Duration {
        self.benefit_of_doubt().max(self.slowest() * 2)
    }

    fn wait(&self, wait: &Wait) -> Duration {
        let one = Duration::from_micros(self.round_trip.load(Ordering::Relaxed));
        (one * wait.quick).min(one * wait.slow + MAX_EXTRA_WAIT).max(wait.least)
    }

    /// A round trip took so long just now.
    pub(crate) fn note_round_trip(&self, round_trip: Duration) {
        self.round_trip.store(micros(round_trip), Ordering::Relaxed);
    }

    pub(crate) fn begin_request(&self) -> Outstanding<'_> {
        Outstanding { pace: self, others: self.outstanding.fetch_add(1, Ordering::Relaxed) }
    }

    fn slowest(&self) -> Duration {
        Duration::from_micros(self.slowest.load(Ordering::Relaxed))
    }
}

impl Outstanding<'_> {
    /// It was answered after `took`. A server that works on one request at a time answered all the others before.
    pub(crate) fn note_answer(&self, took: Duration) {
        let share = took / u32::try_from(self.others.saturating_add(1)).unwrap_or(u32::MAX);
        self.pace.slowest.fetch_max(micros(share), Ordering::Relaxed);
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

impl Drop for Outstanding<'_> {
    fn drop(&mut self) {
        self.pace.outstanding.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_slow_server_is_waited_for_longer() {
        let pace = Pace::new(SECOND * 3);
        assert_eq!((pace.limit(), pace.moment()), (SECOND * 3, MOMENT_WAIT.least));
        pace.begin_request().note_answer(SECOND * 2);
        pace.note_round_trip(SECOND / 10);
        assert_eq!((pace.limit(), pace.moment()), (SECOND * 6, SECOND / 5 + MAX_EXTRA_WAIT));
    }

    #[test]
    fn waiting_behind_other_requests_is_our_own_doing() {
        let pace = Pace::new(SECOND * 3);
        let queue: Vec<_> = std::iter::repeat_with(|| pace.begin_request()).take(4).collect();
        queue[3].note_answer(SECOND * 4);
        assert_eq!(pace.limit(), SECOND * 3 + SECOND * 4, "one second each, and four are on their way");
        drop(queue);
        assert_eq!(pace.limit(), SECOND * 3);
    }
}
