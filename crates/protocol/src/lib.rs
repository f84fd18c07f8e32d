//! What each revision of the Model Context Protocol says, as data and pure functions.

mod version;

pub use version::{Era, Span, UnknownVersion, Version};
