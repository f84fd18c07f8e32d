//! Requests that can be cancelled while they are under way, by their ids.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

/// The requests that are under way.
#[derive(Debug, Default)]
pub(super) struct Cancellations {
    tokens: Mutex<HashMap<String, CancellationToken>>,
}

/// A request that can be cancelled for as long as this is there.
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
    /// Lets `token` be cancelled under `id`; nothing if another request has that id.
    pub(super) fn enter(&self, id: &str, token: &CancellationToken) -> Option<Cancellable<'_>> {
        match self.tokens.lock().unwrap_or_else(PoisonError::into_inner).entry(id.to_owned()) {
            Entry::Occupied(_) => None,
            Entry::Vacant(place) => {
                place.insert(token.clone());
                Some(Cancellable { all: self, id: id.to_owned() })
            }
        }
    }

    /// Cancels a request: whether there was one.
    pub(super) fn cancel(&self, id: &str) -> bool {
        let tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.get(id).is_some_and(|token| {
            token.cancel();
            true
        })
    }
}
