//! What a run found, in every format: pure functions of a [`suite::Report`], or sinks of [`suite::Event`]s.

mod collection;
mod coverage;
mod digest;
mod explain;
mod findings;
pub mod host_catalogue;
pub mod html;
pub mod human;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod mcpjam;
pub mod ndjson;
mod normalize;
mod reproduction;
mod revisions;
pub mod sarif;
mod saved;
mod tally;
mod text;
pub mod validator;
mod visible_text;
mod worst;
mod wrap;

pub use collection::Collection;
pub use coverage::coverage;
pub use explain::{explain, list};
pub use saved::{UnreadableReport, parse_saved};
pub use visible_text::{visible, visible_but_styles, visible_lines};
