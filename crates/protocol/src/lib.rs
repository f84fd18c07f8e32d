//! What each revision of the Model Context Protocol says, as data and pure functions.

pub mod apps;
pub mod capability;
pub mod code;
pub mod header;
mod json;
pub mod locale;
pub mod meta;
pub mod method;
pub mod schema;
pub mod shape;
mod version;

pub use version::{Era, Span, UnknownVersion, Version};
