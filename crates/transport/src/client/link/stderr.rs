//! What a process says on stderr: every line recorded, the last ones kept at hand.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};
use wire::{Line, Lines, What};

use crate::client::failure::Stderr;
use crate::client::ledger::Ledger;

/// The longest line that is recorded whole.
const LINE: usize = 64 * 1024;
/// How many lines are kept at hand, and how much of each.
const KEPT_LINES: usize = 12;
const KEPT_CHARS: usize = 300;

/// The last lines of stderr. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tail(Arc<Mutex<VecDeque<String>>>);

impl Tail {
    pub(crate) fn last(&self) -> Stderr {
        Stderr(self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect())
    }

    fn keep(&self, line: &[u8]) {
        let shown: String = String::from_utf8_lossy(line).trim_end().chars().take(KEPT_CHARS).collect();
        if shown.is_empty() {
            return;
        }
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == KEPT_LINES {
            lines.pop_front();
        }
        lines.push_back(shown);
    }
}

/// Reads stderr to its end, also when nothing more of it is recorded: a full pipe would block the process.
pub(crate) async fn drain(mut input: impl AsyncRead + Unpin, ledger: Ledger, tail: Tail) {
    let mut lines = Lines::new(LINE);
    let mut buffer = vec![0; 8 * 1024];
    let keep = |line: Line| {
        let (Line::Whole(bytes) | Line::Overlong(bytes) | Line::Unterminated(bytes)) = line;
        tail.keep(&bytes);
        // Past the bound of the session it is only drained.
        let _ = ledger.got(What::Stderr, 0, bytes);
    };
    while let Ok(count @ 1..) = input.read(&mut buffer).await {
        lines.push(&buffer[..count]);
        while let Some(line) = lines.next() {
            keep(line);
        }
    }
    lines.finish().into_iter().for_each(keep);
}
