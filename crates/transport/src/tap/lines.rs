//! The streams of a process as entries.

use bytes::Bytes;
use wire::{Direction, Line, Lines, What};

use super::note::Piece;
use super::session_assembler::EntryParts;
use crate::{MAX_EVIDENCE_BYTES, MAX_MESSAGE};

/// The unfinished lines on the streams of a process.
#[derive(Debug)]
pub(super) struct ProcessLines {
    stdin: Lines,
    stdout: Lines,
    stderr: Lines,
}

impl ProcessLines {
    pub(super) fn new() -> Self {
        let lines = || Lines::new(MAX_MESSAGE);
        Self { stdin: lines(), stdout: lines(), stderr: lines() }
    }

    /// Adds `piece`, and returns what is complete.
    pub(super) fn add_piece(&mut self, direction: Direction, piece: Piece) -> EntryParts {
        let (lines, stderr) = match (direction, &piece) {
            (_, Piece::Stderr(_)) => (&mut self.stderr, true),
            (Direction::ToServer, _) => (&mut self.stdin, false),
            (Direction::ToClient, _) => (&mut self.stdout, false),
        };
        match piece {
            Piece::Bytes(bytes) | Piece::Stderr(bytes) => {
                lines.push(&bytes);
                std::iter::from_fn(|| lines.next()).map(|line| entry(line, stderr)).collect()
            }
            Piece::End(how) => {
                let mut last: EntryParts =
                    lines.finish().map(|line| entry(line, false)).into_iter().collect();
                if direction == Direction::ToClient {
                    last.extend(self.stderr.finish().map(|line| entry(line, true)));
                }
                last.extend(how.map(|how| (What::End, Bytes::from(how))));
                last
            }
            Piece::Head(_) => EntryParts::new(),
        }
    }
}

fn entry(line: Line, stderr: bool) -> (What, Bytes) {
    match line {
        Line::Whole(bytes) | Line::Overlong(bytes) | Line::Unterminated(bytes) if stderr => {
            (What::Stderr, bytes)
        }
        Line::Whole(bytes) if bytes.trim_ascii().is_empty() => (What::Noise, bytes),
        Line::Whole(bytes) => (What::Message, bytes),
        Line::Unterminated(bytes) => (What::Noise, bytes),
        // The beginning is enough evidence.
        Line::Overlong(bytes) => (What::Noise, bytes.slice(..bytes.len().min(MAX_EVIDENCE_BYTES))),
    }
}
