//! The end that answers: one [`Handler`] behind pipes, Streamable HTTP and HTTP+SSE.
//!
//! A transport knows bytes, sessions and streams; a handler knows what a message means. The handler is asked
//! once per message and answers at once, with one message, or with a stream of them.

mod batch;
mod handler;
pub mod http;
mod opening;
pub mod pipe;

pub use handler::{Answer, Handler, Inbound, Out, Outbox, Via};
pub use opening::Opening;
