//! The end that answers: one [`Handler`] behind pipes, Streamable HTTP and HTTP+SSE.
//!
//! A transport knows bytes, sessions and streams; a handler knows what a message means. The handler is called once per
//! message and returns at once: one message, or a stream of messages.
//!
//! Everything that is held on a client's behalf is charged to a [`Budget`] and bounded in time by [`Limits`]. What
//! exceeds them is refused, with a status that says whether to try again.

mod batch;
mod budget;
mod cost;
mod handler;
pub mod http;
mod limits;
mod opening;
pub mod pipe;
mod queue;

pub use budget::{Budget, Budgets, Exhausted, Reservation, Scope};
pub use handler::{Answer, Handler, Inbound, Out, Outbox};
pub use limits::Limits;
pub use opening::Opening;
