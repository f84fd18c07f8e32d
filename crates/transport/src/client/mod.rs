//! The measuring client: it sends anything, sees exactly what came back, and bounds every wait.
//!
//! A [`Target`] says how to reach a server, [`probe`] finds out what it speaks, and a [`Session`] talks to it over any
//! transport. Every byte is in the session's [`wire::Recorder`]. [`RawSocket`] sends what is not HTTP.

mod answer_poster;
mod basic_auth;
pub(crate) mod bounded_recorder;
mod broken_answer;
mod expected_response;
mod failure;
mod limits;
pub(crate) mod link;
mod message;
mod probe;
mod profile;
mod proxies;
mod quota;
mod rate_limit;
mod reply;
mod responder;
mod route;
mod session;
mod target;
mod turns;

pub use failure::{Blame, Failure, Stderr};
pub use limits::Limits;
pub use link::http::{await_connection, read_certificates};
pub use link::raw::{RawEnd, RawReply, RawSocket};
pub use link::{ProcessEnd, Step, adopt_orphans, end_descendants};
pub use message::Message;
pub use probe::{
    Discovery, FirstContact, Modern, ModernClaim, Settled, SpokenRevision, first_contact, probe, settle,
};
pub use profile::{Answer, Profile, ServerRequest};
pub use proxies::Proxies;
pub use quota::RunQuota;
pub use rate_limit::RateLimitWaits;
pub use reply::{Head, Reply, RpcError};
pub use session::{Closing, InputRequired, PendingRequest, Request, Rounds, Server, Session};
pub use target::{Dial, Endpoint, Program, Target, quoted};
pub use turns::Turn;
