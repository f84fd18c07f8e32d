//! Open requests that can be cancelled by their ids.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

/// The cancellation tokens of the open requests.
#[derive(Debug, Default)]
pub(super) struct Cancellations {
    tokens: Mutex<HashMap<String, CancellationToken>>,
}

/// Keeps a request cancellable; dropping it removes the entry.
#[derive(Debug)]
pub(super) struct Cancellable<'a> {
    all: &'a Cancellations,
    id: String,
}

impl Drop for Cancellable<'_> {
    fn drop(&mut self) {
        self.all.tokens.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}

impl Cancellations {
    /// Registers `token` under `id`. Returns nothing if an open request already has that id.
    pub(super) fn enter(&self, id: &str, token: &CancellationToken) -> Option<Cancellable<'_>> {
        match self.tokens.lock().unwrap_or_else(PoisonError::into_inner).entry(id.to_owned()) {
            Entry::Occupied(_) => None,
            Entry::Vacant(place) => {
                place.insert(token.clone());
                Some(Cancellable { all: self, id: id.to_owned() })
            }
        }
    }

    /// Cancels a request. Returns whether one with that id was open.
    pub(super) fn cancel(&self, id: &str) -> bool {
        let tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.get(id).is_some_and(|token| {
            token.cancel();
            true
        })
    }
}
