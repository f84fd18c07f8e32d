//! Between a client and a server: every byte passes on untouched, and what passed is written down.
//!
//! [`stdio`] stands for a process, [`http`] for an HTTP server. Neither waits for the record: they hand what they saw
//! to a [`Pen`], and a [`RecordWriter`] on a thread of its own cuts it into messages, takes the secrets out ([`Redactor`]) and
//! writes. When it cannot write, it says so, and the traffic goes on.

mod body;
pub mod http;
mod lines;
mod note;
mod record_writer;
mod redact;
mod session_assembler;
mod sessions;
pub mod stdio;

pub use note::Pen;
pub use record_writer::{RecordOptions, RecordWriter, Written};
pub use redact::Redactor;
