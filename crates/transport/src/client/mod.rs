//! The end that measures: it sends anything, sees exactly what came back, and waits for nothing without a bound.
//!
//! A [`Target`] says how to reach a server, [`probe`] finds out what it speaks, and a [`Session`] talks to it over
//! whatever wire it has; every byte lands in the session's [`wire::Recorder`]. [`RawSocket`] sends what is no HTTP.

mod answer_poster;
mod failure;
mod ledger;
mod limits;
pub(crate) mod link;
mod message;
mod probe;
mod profile;
mod proxies;
mod quota;
mod reply;
mod responder;
mod route;
mod session;
mod target;
mod turns;
mod want;

pub use failure::{Blame, Failure, Stderr};
pub use limits::Limits;
pub use link::http::{await_connection, read_certificates};
pub use link::raw::{RawEnd, RawReply, RawSocket};
pub use link::{ProcessEnd, Step, adopt_orphans, end_descendants};
pub use message::Message;
pub use probe::{Discovery, FirstContact, Modern, Settled, Spoken, first_contact, probe, settle};
pub use profile::{Answer, Profile, ServerRequest};
pub use proxies::Proxies;
pub use quota::RunQuota;
pub use reply::{Head, Reply, RpcError};
pub use session::{Closing, InputRequired, Pending, Request, Rounds, Server, Session, Transport};
pub use target::{Dial, Endpoint, Program, Target, quoted};
pub use turns::Turn;
