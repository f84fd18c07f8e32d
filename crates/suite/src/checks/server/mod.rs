//! Checks that talk to a server.

pub(super) mod apps;
pub(super) mod authorization;
pub(super) mod base;
pub(super) mod bygone;
pub(super) mod calls;
pub(super) mod header_names;
pub(super) mod header_params;
pub(super) mod headers;
pub(super) mod http;
pub(super) mod http_sse;
pub(super) mod lifecycle;
pub(super) mod modern;
pub(super) mod posts;
pub(super) mod prompts;
pub(super) mod rebinding;
pub(super) mod resources;
pub(super) mod resumption;
pub(super) mod session_ids;
pub(super) mod sessions;
pub(super) mod stdio;
pub(super) mod streams;
pub(super) mod subscriptions;
pub(super) mod tokens;
pub(super) mod tools;
pub(super) mod utilities;
