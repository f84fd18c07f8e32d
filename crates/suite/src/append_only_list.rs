//! A list that only grows, and whose last item counts: what was borrowed from earlier items stays valid.

use std::iter::successors;
use std::sync::OnceLock;

/// Items one after the other, never fewer than one.
#[derive(Debug, Default)]
pub(crate) struct Succession<T> {
    item: T,
    next: OnceLock<Box<Self>>,
}

impl<T> Succession<T> {
    /// All items, oldest first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &T> {
        self.links().map(|link| &link.item)
    }

    /// The item that counts now.
    pub(crate) fn now(&self) -> &T {
        &self.last_link().item
    }

    /// Puts `item` into the place of the one that counts now. When two do so at once, the first wins.
    pub(crate) fn replace(&self, item: T) {
        let _ = self.last_link().next.set(Box::new(Self { item, next: OnceLock::new() }));
    }

    fn links(&self) -> impl Iterator<Item = &Self> {
        successors(Some(self), |link| link.next.get().map(Box::as_ref))
    }

    fn last_link(&self) -> &Self {
        self.links().last().unwrap_or(self)
    }
}
