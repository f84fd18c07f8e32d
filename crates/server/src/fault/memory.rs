//! The memory of a fault. Each fault of each server has its own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The memory of one fault of one server. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    turns: Arc<AtomicUsize>,
    notes: Arc<Mutex<Vec<String>>>,
}

impl Memory {
    /// Returns a number that grows by one each time.
    pub fn turn(&self) -> usize {
        self.turns.fetch_add(1, Ordering::Relaxed)
    }

    /// Appends a text, unless it is noted already.
    pub fn note(&self, text: &str) {
        if !self.has(text) {
            self.lock().push(text.to_owned());
        }
    }

    /// Removes a note.
    pub fn forget(&self, text: &str) {
        self.lock().retain(|known| known != text);
    }

    /// Whether the text is noted.
    pub fn has(&self, text: &str) -> bool {
        self.place(text).is_some()
    }

    /// The index of the text among the notes.
    pub fn place(&self, text: &str) -> Option<usize> {
        self.lock().iter().position(|known| known == text)
    }

    /// All notes, oldest first.
    pub fn notes(&self) -> Vec<String> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
