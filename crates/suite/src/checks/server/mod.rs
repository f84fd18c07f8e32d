//! Checks that talk to a server.

pub(super) mod apps;
pub(super) mod base;
pub(super) mod batches;
pub(super) mod calls;
pub(super) mod cancellation;
mod fixture;
pub(super) mod headers;
pub(super) mod http;
pub(super) mod lifecycle;
pub(super) mod listening;
pub(super) mod modern;
pub(super) mod mrtr;
pub(super) mod negotiation;
pub(super) mod progress;
pub(super) mod prompts;
pub(super) mod requests;
pub(super) mod resources;
pub(super) mod sessions;
pub(super) mod statelessness;
pub(super) mod subscriptions;
pub(super) mod tasks;
pub(super) mod tools;
pub(super) mod utilities;
