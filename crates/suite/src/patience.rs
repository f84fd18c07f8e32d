//! How much silence a run puts up with: a server that hangs costs seconds, not minutes.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::{Finding, Verdict};

/// How many different requests in a row may go unanswered before the server is given up.
const IN_A_ROW: usize = 3;
/// How often one method may go unanswered before it is no longer asked for.
const OF_ONE: u32 = 2;

/// How long a method that went unanswered in one revision may take in the next.
const SECOND_CHANCE: Duration = Duration::from_millis(500);
/// How long anything may take when there is hardly any patience left.
const LAST_CHANCE: Duration = Duration::from_millis(300);

/// What is left of the patience with one server, for all revisions together.
#[derive(Debug)]
pub struct Patience {
    /// How long the server may be silent in all, where an answer is due.
    budget: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    lost: Duration,
    /// Until when silence has been counted; waits that overlap are counted once.
    until: Option<Instant>,
    /// What went unanswered since the last answer to it.
    silent: HashMap<String, u32>,
    /// What went unanswered since the last answer to anything.
    row: Vec<String>,
    /// What went unanswered in an earlier revision.
    wary: HashSet<String>,
}

impl Patience {
    /// Patience for a silence of `budget`, of which `lost` is used up.
    pub fn new(budget: Duration, lost: Duration) -> Self {
        Self { budget, state: Mutex::new(State { lost, ..State::default() }) }
    }

    /// Blocked when there is no point in asking for `method` any more.
    pub fn left(&self, method: &str) -> Verdict {
        let state = self.lock();
        if state.row.len() >= IN_A_ROW || state.lost >= self.budget {
            let lost = state.lost.as_millis();
            return Err(Finding::blocked(format!("the server was silent for {lost} ms and was given up")));
        }
        match state.silent.get(method) {
            Some(times) if *times >= OF_ONE => Err(Finding::blocked(format!(
                "{method} went unanswered {times} times and is not asked again"
            ))),
            Some(_) | None => Ok(()),
        }
    }

    /// Another revision begins: what went unanswered in the last one is asked for once more, with less time.
    pub fn another_revision(&self) {
        let mut state = self.lock();
        let silent: Vec<_> = state.silent.keys().cloned().collect();
        for method in silent {
            state.silent.insert(method.clone(), OF_ONE - 1);
            state.wary.insert(method);
        }
    }

    /// How long to wait for an answer to `method` at most.
    pub fn limit(&self, method: &str) -> Duration {
        let state = self.lock();
        let left = self.budget.saturating_sub(state.lost).max(LAST_CHANCE);
        if state.wary.contains(method) { left.min(SECOND_CHANCE) } else { left }
    }

    /// Whether the server was given up.
    pub fn is_out(&self) -> bool {
        self.left("").is_err()
    }

    /// An answer to `method` came.
    pub fn answered(&self, method: &str) {
        let mut state = self.lock();
        state.row.clear();
        state.silent.remove(method);
        state.wary.remove(method);
    }

    /// A handshake named `method` was answered. That says nothing about what comes after it.
    pub fn greeted(&self, method: &str) {
        let mut state = self.lock();
        state.silent.remove(method);
        state.wary.remove(method);
    }

    /// No answer to `method` came within `after`.
    pub fn unanswered(&self, method: &str, after: Duration) {
        let mut state = self.lock();
        let now = Instant::now();
        let fresh = state.until.map_or(after, |until| now.saturating_duration_since(until).min(after));
        state.lost += fresh;
        state.until = Some(now);
        *state.silent.entry(method.to_owned()).or_default() += 1;
        if !state.row.iter().any(|known| known == method) {
            state.row.push(method.to_owned());
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn waits_side_by_side_are_counted_once() {
        let patience = Patience::new(SECOND * 3, Duration::ZERO);
        for _ in 0..5 {
            patience.unanswered("a", SECOND * 2);
        }
        assert!(patience.left("b").is_ok() && patience.left("a").is_err());
        patience.answered("a");
        assert!(patience.left("a").is_ok(), "it answers again");
    }

    #[test]
    fn silence_on_all_sides_is_the_end_of_it() {
        let patience = Patience::new(SECOND * 60, Duration::ZERO);
        for method in ["a", "b", "c"] {
            assert!(!patience.is_out());
            patience.unanswered(method, SECOND);
            patience.greeted("the handshake");
        }
        assert!(patience.is_out());
    }

    #[test]
    fn another_revision_is_another_chance() {
        let patience = Patience::new(SECOND * 60, Duration::ZERO);
        patience.unanswered("a", SECOND);
        patience.unanswered("a", SECOND);
        assert!(patience.left("a").is_err());
        patience.another_revision();
        assert!(patience.left("a").is_ok() && patience.limit("a") < patience.limit("b"));
        patience.unanswered("a", SECOND);
        assert!(patience.left("a").is_err(), "one chance");
    }

    #[test]
    fn what_the_probe_has_lost_counts() {
        assert!(Patience::new(SECOND, SECOND).is_out());
    }
}
