//! Frames to processes and sockets, both ends.
//!
//! [`client`] is the end that measures: it can send anything and keeps every byte that came back.
//! [`serve`] is the end that answers: one [`serve::Handler`] behind stdio, Streamable HTTP and HTTP+SSE.
//! [`secrets`] is what neither shows.
//! [`tap`] sits between two ends that are not ours, passes every byte on, and records.

pub mod client;
mod in_process;
pub mod secrets;
pub mod serve;
pub mod tap;

pub use in_process::in_process;

/// The most bytes that one message may have before either end gives it up.
pub const MAX_MESSAGE: usize = 16 * 1024 * 1024;
