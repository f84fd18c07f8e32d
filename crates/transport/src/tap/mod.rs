//! Between a client and a server: every byte passes on untouched, and what passed is written down.
//!
//! [`stdio`] stands for a process, [`http`] for an HTTP server. Neither waits for the record: they hand what they saw
//! to a [`Pen`], and a [`Scribe`] on a thread of its own cuts it into messages, takes the secrets out ([`Veil`]) and
//! writes. When it cannot write, it says so, and the traffic goes on.

mod body;
mod clerk;
pub mod http;
mod lines;
mod note;
mod scribe;
mod sessions;
pub mod stdio;
mod veil;

pub use note::Pen;
pub use scribe::{Desk, Scribe, Written};
pub use veil::Veil;
