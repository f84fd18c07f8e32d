//! The order in which the requests of a session were sent.
//!
//! A server may work on one request at a time. While it answers earlier requests it is not silent about a later one:
//! silence counts from the last of these answers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The requests of a session that wait for their response.
#[derive(Debug, Default)]
pub(crate) struct Turns(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    next: u64,
    /// Since when the server could have worked on each request, in the order of sending.
    waiting: BTreeMap<u64, Instant>,
}

/// The place of a request in the order of sending. Clones share it; it is given up with the last clone.
#[derive(Clone, Debug)]
pub struct Turn(Arc<Place>);

#[derive(Debug)]
struct Place {
    turns: Arc<Turns>,
    number: u64,
}

impl Turns {
    /// Adds a request that is sent now.
    pub(crate) fn add_request(self: &Arc<Self>) -> Turn {
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        state.waiting.insert(number, Instant::now());
        Turn(Arc::new(Place { turns: Arc::clone(self), number }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    /// Returns when neither this request nor one that was sent before it has been answered for `limit`.
    pub async fn silent_for(&self, limit: Duration) {
        self.silent_since(Instant::now(), limit).await;
    }

    /// The same, with the silence counted from `start` at the earliest.
    async fn silent_since(&self, start: Instant, limit: Duration) {
        loop {
            let until = self.since().unwrap_or(start).max(start) + limit;
            if Instant::now() >= until {
                return;
            }
            tokio::time::sleep_until(until).await;
        }
    }

    /// Waits for `future`, unless the server has been silent for `limit` since `start`.
    pub(crate) async fn wait<T>(
        &self,
        start: Instant,
        limit: Duration,
        future: impl Future<Output = T>,
    ) -> Option<T> {
        tokio::select! {
            biased;
            done = future => Some(done),
            () = self.silent_since(start, limit) => None,
        }
    }

    /// Notes that the request was answered, so that the server can turn to the later ones.
    pub(crate) fn note_answer(&self) {
        let mut state = self.0.turns.lock();
        if state.waiting.remove(&self.0.number).is_some() {
            let now = Instant::now();
            state.waiting.range_mut(self.0.number..).for_each(|(_, since)| *since = now);
        }
    }

    fn since(&self) -> Option<Instant> {
        self.0.turns.lock().waiting.get(&self.0.number).copied()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.turns.lock().waiting.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// How long a request is waited for when another one is answered after two of three seconds.
    async fn waited(turn: &Turn, answered: Turn) -> Duration {
        let start = Instant::now();
        tokio::spawn(async move {
            tokio::time::sleep(SECOND * 2).await;
            answered.note_answer();
        });
        turn.silent_for(SECOND * 3).await;
        start.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_to_an_earlier_request_is_no_silence() {
        let turns = Arc::new(Turns::default());
        let (first, second, third) = (turns.add_request(), turns.add_request(), turns.add_request());
        assert_eq!(waited(&second, first).await.as_secs(), 5);
        assert_eq!(waited(&second, third).await.as_secs(), 3, "it was sent later");
    }
}
