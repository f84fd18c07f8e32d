//! Frames to processes and sockets, both ends.
//!
//! [`client`] is the end that measures: it can send anything and keeps every byte that came back. [`serve`] is the end
//! that answers: one [`serve::Handler`] behind stdio, Streamable HTTP and HTTP+SSE. [`secrets`] finds and hides what
//! must not be shown. [`tap`] sits between two ends that are not ours, passes every byte on, and records. [`upstream`] is the end
//! that passes messages on to servers.

mod accept;
pub mod client;
mod hop_by_hop;
mod in_process;
pub mod secrets;
pub mod serve;
pub mod tap;
mod transport;
pub mod upstream;

pub use accept::accept;
pub use hop_by_hop::strip_hop_by_hop;
pub use in_process::in_process;
pub use transport::Transport;

/// The most bytes of one message. Both ends refuse a longer one.
pub const MAX_MESSAGE: usize = 16 * 1024 * 1024;

/// How many bytes of a message that is too long are recorded, as evidence.
pub(crate) const MAX_EVIDENCE_BYTES: usize = 1024;
