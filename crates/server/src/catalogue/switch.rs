//! Switches one tool, one prompt and one resource on and off, so that lists can change.

use std::sync::atomic::{AtomicBool, Ordering};

/// A list that can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    /// The tools.
    Tools,
    /// The prompts.
    Prompts,
    /// The resources.
    Resources,
}

/// Which of the switchable items are on.
#[derive(Debug, Default)]
pub(super) struct Switches {
    tools: AtomicBool,
    prompts: AtomicBool,
    resources: AtomicBool,
}

impl Switches {
    pub(super) fn is_on(&self, list: List) -> bool {
        self.flag(list).load(Ordering::Relaxed)
    }

    /// Switches it, and returns whether it is on now.
    pub(super) fn toggle(&self, list: List) -> bool {
        !self.flag(list).fetch_not(Ordering::Relaxed)
    }

    const fn flag(&self, list: List) -> &AtomicBool {
        match list {
            List::Tools => &self.tools,
            List::Prompts => &self.prompts,
            List::Resources => &self.resources,
        }
    }
}
