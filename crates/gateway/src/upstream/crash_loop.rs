//! Notices a program that ends again and again, so that it is not started for every message.

use std::time::Duration;

use tokio::time::Instant;

/// A process that ran for this long was sound.
const STABLE_AFTER: Duration = Duration::from_secs(10);
/// How many starts in a row may fail before the next one has to wait.
const MAX_QUICK_ENDS: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// How the latest starts of a program went.
#[derive(Debug, Default)]
pub(super) struct CrashLoop {
    quick_ends: u32,
    not_before: Option<Instant>,
    why: String,
}

impl CrashLoop {
    /// Whether the program may be started now; the error says why not.
    pub(super) fn may_start(&self, now: Instant) -> Result<(), String> {
        match self.not_before.filter(|not_before| *not_before > now) {
            None => Ok(()),
            Some(not_before) => Err(format!(
                "it ended {} times in a row and is not started for another {:.0} s: {}",
                self.quick_ends,
                (not_before - now).as_secs_f64().ceil(),
                self.why
            )),
        }
    }

    /// Notes that a process ended by itself.
    pub(super) fn note_end(&mut self, started: Instant, now: Instant, why: &str) {
        if now - started >= STABLE_AFTER {
            *self = Self::default();
            return;
        }
        self.quick_ends += 1;
        why.clone_into(&mut self.why);
        if let Some(waits) = self.quick_ends.checked_sub(MAX_QUICK_ENDS) {
            let pause = FIRST_PAUSE.saturating_mul(1 << waits.min(10)).min(LONGEST_PAUSE);
            self.not_before = Some(now + pause);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_always_ends_is_started_less_and_less_often() {
        let (mut starts, mut now) = (CrashLoop::default(), Instant::now());
        for _ in 1..MAX_QUICK_ENDS {
            starts.note_end(now, now, "no database");
            assert_eq!(starts.may_start(now), Ok(()));
        }
        for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
            starts.note_end(now, now, "no database");
            assert!(starts.may_start(now).unwrap_err().contains("no database"));
            now += Duration::from_secs(pause);
            assert_eq!(starts.may_start(now), Ok(()));
        }
    }

    #[test]
    fn a_program_that_ran_for_a_while_starts_anew() {
        let (mut starts, now) = (CrashLoop::default(), Instant::now());
        for _ in 0..MAX_QUICK_ENDS {
            starts.note_end(now, now, "no database");
        }
        starts.note_end(now, now + STABLE_AFTER, "killed");
        assert_eq!(starts.may_start(now), Ok(()));
    }
}
