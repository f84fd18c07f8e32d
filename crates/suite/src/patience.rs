//! How much silence a revision puts up with: a server that hangs costs seconds, not minutes.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::lock::lock;

use crate::{Finding, Verdict};

/// How many different requests in a row may go unanswered before the server is given up.
const MAX_SILENT_METHODS: usize = 3;
/// How often one method may stay unanswered before checks stop asking for it.
const MAX_SILENCES_OF_METHOD: u32 = 2;
/// How many times the limit of one answer the silence of a revision may last.
const BUDGET_FACTOR: u32 = 3;
/// How long a method that went unanswered in an earlier revision may take in this one.
const SECOND_CHANCE: Duration = Duration::from_secs(2);

/// What went unanswered in earlier revisions. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct SilenceMemory(Arc<Mutex<SilentMethods>>);

#[derive(Debug, Default)]
struct SilentMethods {
    methods: HashSet<String>,
    /// Whether the server was given up in one of them.
    given_up: bool,
}

/// What is left of the patience with one server in one revision.
#[derive(Debug)]
pub struct Patience {
    /// How long the server may be silent in all, where an answer is due.
    budget: Duration,
    memory: SilenceMemory,
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
    /// What was ever answered.
    answered: HashSet<String>,
}

impl Patience {
    /// Patience with a server that has `timeout` for one answer, and that was silent before as `memory` says.
    pub fn new(timeout: Duration, memory: SilenceMemory) -> Self {
        Self { budget: timeout * BUDGET_FACTOR, memory, state: Mutex::default() }
    }

    /// Blocked when `method` is not asked for any more.
    pub fn allow_request(&self, method: &str) -> Verdict {
        let state = self.lock();
        if state.row.len() >= MAX_SILENT_METHODS || state.lost >= self.budget {
            let lost = state.lost.as_millis();
            return Err(Finding::blocked(format!(
                "the server was silent for {lost} ms and was given up; --timeout SECONDS waits longer"
            )));
        }
        match state.silent.get(method) {
            Some(times) if *times >= MAX_SILENCES_OF_METHOD => Err(Finding::blocked(format!(
                "{method} went unanswered {times} times and is not asked again; --timeout SECONDS waits longer"
            ))),
            Some(_) | None => Ok(()),
        }
    }

    /// The limit for `method` where it would usually be `usual`.
    pub fn limit(&self, method: &str, usual: Duration) -> Duration {
        if self.is_remembered(method) { usual.min(SECOND_CHANCE) } else { usual }
    }

    /// Whether the server was given up in an earlier revision: then nothing is waited for as long as it should, and silence
    /// proves nothing. A single method has been waited for long enough before.
    pub fn was_given_up(&self) -> bool {
        lock(&self.memory.0).given_up
    }

    fn is_remembered(&self, method: &str) -> bool {
        let memory = lock(&self.memory.0);
        memory.given_up || memory.methods.contains(method)
    }

    /// Whether the server was given up.
    pub fn is_used_up(&self) -> bool {
        self.allow_request("").is_err()
    }

    /// An answer to `method` came.
    pub fn note_answer(&self, method: &str) {
        let mut state = self.lock();
        state.row.clear();
        state.silent.remove(method);
        if !state.answered.contains(method) {
            state.answered.insert(method.to_owned());
        }
    }

    /// Whether `method` was ever answered.
    pub fn has_answered(&self, method: &str) -> bool {
        self.lock().answered.contains(method)
    }

    /// No answer to `method` came within `after`.
    pub fn note_silence(&self, method: &str, after: Duration) {
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

    /// The revision is done: the next ones know what went unanswered in it.
    pub fn remember(&self) {
        let given_up = self.is_used_up();
        let silent: Vec<_> = self.lock().silent.keys().cloned().collect();
        let mut memory = lock(&self.memory.0);
        memory.methods.extend(silent);
        memory.given_up |= given_up;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn waits_side_by_side_are_counted_once() {
        let patience = Patience::new(SECOND, SilenceMemory::default());
        for _ in 0..5 {
            patience.note_silence("a", SECOND * 2);
        }
        assert!(patience.allow_request("b").is_ok() && patience.allow_request("a").is_err());
        patience.note_answer("a");
        assert!(patience.allow_request("a").is_ok(), "it answers again");
    }

    #[test]
    fn silence_on_all_sides_is_the_end_of_it() {
        let patience = Patience::new(SECOND * 20, SilenceMemory::default());
        for method in ["a", "b", "c"] {
            assert!(!patience.is_used_up());
            patience.note_silence(method, SECOND);
        }
        assert!(patience.is_used_up());
    }

    #[test]
    fn the_next_revision_is_another_chance_with_less_time() {
        let memory = SilenceMemory::default();
        let patience = Patience::new(SECOND * 20, memory.clone());
        patience.note_silence("a", SECOND);
        patience.note_silence("a", SECOND);
        assert!(patience.allow_request("a").is_err());
        patience.remember();
        let next = Patience::new(SECOND * 20, memory);
        assert!(next.allow_request("a").is_ok() && next.is_remembered("a") && !next.is_remembered("b"));
        assert!(next.limit("a", SECOND * 10) < next.limit("b", SECOND * 10));
    }
}
