//! Locks that outlive a panic: what a panic may have left half done is never more than one entry.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks `mutex`, even if another thread panicked while it held it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
