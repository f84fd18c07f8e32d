//! Stands between a client and a server: every byte passes unchanged, and is recorded.
//!
//! [`stdio`] stands in for a process, [`http`] for an HTTP server. They hand what passed to a [`RecordSender`]. A
//! [`RecordWriter`] on a thread of its own cuts it into messages, removes the secrets ([`Redactor`]) and writes. When
//! it cannot write, it reports that once, and the traffic goes on.

mod body;
pub mod http;
mod lines;
mod note;
mod record_writer;
mod redact;
mod session_assembler;
mod sessions;
pub mod stdio;

pub use note::RecordSender;
pub use record_writer::{RecordOptions, RecordWriter, Written};
pub use redact::Redactor;
