//! Bytes to JSON-RPC frames and back, without I/O.
//!
//! Everything here borrows from the bytes that arrived: a [`Frame`] is a set of spans, not a model. So what a peer really
//! sent stays visible (field order, number spelling, unknown members), and a rewrite changes only the spans it names.

mod frame;
mod id;
mod lines;
pub mod markup;
mod number;
pub mod recording;
pub mod rfc3339;
mod splice;
pub mod sse;
mod strict;
mod transcript;

pub use frame::{Frame, Kind, Malformed, Payload, members, text};
pub use id::{Id, integer, integer_of};
pub use lines::{Line, Lines};
pub use splice::{Splice, span_of};
pub use strict::{Flaw, MAX_DEPTH, inspect};
pub use transcript::{Direction, Entry, Mark, Recorder, Transcript, What};
