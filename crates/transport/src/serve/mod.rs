//! The end that answers: one [`Handler`] behind pipes, Streamable HTTP and HTTP+SSE.
//!
//! A transport knows bytes, sessions and streams; a handler knows what a message means. The handler is asked
//! once per message and answers at once, with one message, or with a stream of them.
//!
//! Everything that is held on a client's behalf is charged to a [`Budget`] and bounded in time by [`Limits`]. What is
//! beyond them is refused, with a status that says whether to come back.

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
pub use handler::{Answer, Handler, Inbound, Out, Outbox, Via};
pub use limits::Limits;
pub use opening::Opening;
