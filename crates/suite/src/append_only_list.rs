//! A list that only grows, and whose last item counts: what was borrowed from earlier items stays valid.

use std::iter::successors;
use std::sync::OnceLock;

/// Items one after the other, never fewer than one.
#[derive(Debug, Default)]
pub(crate) struct AppendOnlyList<T> {
    item: T,
    next: OnceLock<Box<Self>>,
}

impl<T> AppendOnlyList<T> {
    /// All items, oldest first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &T> {
        self.nodes().map(|node| &node.item)
    }

    /// The item that counts now.
    pub(crate) fn latest(&self) -> &T {
        &self.last_node().item
    }

    /// Puts `item` into the place of the one that counts now. When two do so at once, the first wins.
    pub(crate) fn replace_latest(&self, item: T) {
        let _ = self.last_node().next.set(Box::new(Self { item, next: OnceLock::new() }));
    }

    fn nodes(&self) -> impl Iterator<Item = &Self> {
        successors(Some(self), |node| node.next.get().map(Box::as_ref))
    }

    fn last_node(&self) -> &Self {
        self.nodes().last().unwrap_or(self)
    }
}
