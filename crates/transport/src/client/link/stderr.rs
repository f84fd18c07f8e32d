//! Reads the stderr of a process: records the beginning, and keeps the last lines.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};
use wire::{Line, Lines};

use crate::client::bounded_recorder::BoundedRecorder;
use crate::client::failure::Stderr;

/// The longest line that is recorded whole.
const MAX_LINE_BYTES: usize = 64 * 1024;
/// How many bytes are recorded, besides the last lines. Each line costs more than its bytes.
const MAX_RECORDED_BYTES: usize = 512 * 1024;
const LINE_COST: usize = 128;
/// How many bytes of a piece are searched for the last lines.
const TAIL_BYTES: usize = 4 * 1024;
/// How many last lines are kept, and how many bytes of each.
const TAIL_LINES: usize = 12;
const TAIL_LINE_CHARS: usize = 300;

/// The last lines of stderr. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tail(Arc<Mutex<VecDeque<String>>>);

impl Tail {
    pub(crate) fn last(&self) -> Stderr {
        Stderr(self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect())
    }

    fn keep_line(&self, line: &[u8]) {
        let shown: String = String::from_utf8_lossy(line).trim_end().chars().take(TAIL_LINE_CHARS).collect();
        if shown.is_empty() {
            return;
        }
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == TAIL_LINES {
            lines.pop_front();
        }
        lines.push_back(shown);
    }
}

/// Reads stderr to its end, even when nothing more is recorded, because a full pipe would block the process.
pub(crate) async fn drain(mut input: impl AsyncRead + Unpin, record: BoundedRecorder, tail: Tail) {
    let mut lines = Lines::new(MAX_LINE_BYTES);
    let mut buffer = vec![0; 64 * 1024];
    let mut room = MAX_RECORDED_BYTES;
    let keep_line = |line: Line, room: &mut usize| {
        let (Line::Whole(bytes) | Line::Overlong(bytes) | Line::Unterminated(bytes)) = line;
        tail.keep_line(&bytes);
        *room = room.saturating_sub(bytes.len() + LINE_COST);
        if *room > 0 {
            record.record_stderr(bytes);
        }
    };
    let mut left_out = 0;
    while let Ok(count @ 1..) = input.read(&mut buffer).await {
        let mut piece = &buffer[..count];
        if room == 0 {
            // Only its end is ever shown.
            let skipped = count.saturating_sub(TAIL_BYTES);
            left_out += count;
            piece = &buffer[skipped..count];
        }
        lines.push(piece);
        while let Some(line) = lines.next() {
            keep_line(line, &mut room);
        }
    }
    if let Some(line) = lines.finish() {
        keep_line(line, &mut room);
    }
    if left_out > 0 {
        record.record_stderr(format!("[yardstick left out {left_out} bytes; the last lines follow]").into());
        tail.last().0.into_iter().for_each(|line| record.record_stderr(line.into()));
    }
}
