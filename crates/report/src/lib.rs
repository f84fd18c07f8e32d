//! What a run found, in every format: pure functions of a [`suite::Report`].

mod again;
mod explain;
mod findings;
pub mod human;
pub mod json;

pub use explain::{explain, list};
