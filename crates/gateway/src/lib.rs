//! Puts a server behind one endpoint, for any client: [`Gateway`] is a [`transport::serve::Handler`] whose answers come from
//! somewhere else.
//!
//! A client session has a server session of its own: a process, or a session over HTTP. What passes is not parsed into a model and
//! written again. Where an id has to differ on the two sides, its bytes are replaced and all others stay.
//!
//! [`transport::serve`] does what concerns clients: admission, limits, session ids, streams that can be resumed.

mod client_message;
mod client_session;
mod exchange;
mod failure;
mod handler;
mod headers;
mod ids;
mod mirrored_headers;
mod send_order;
mod slow_answer;
mod upstream;

pub use exchange::Exchange;
pub use handler::Gateway;
pub use upstream::UpstreamServer;
