//! Checks that talk to a server.

pub(super) mod apps;
pub(super) mod base;
pub(super) mod calls;
pub(super) mod completion;
pub(super) mod content;
pub(super) mod elicitation;
pub(super) mod headers;
pub(super) mod http;
pub(super) mod lifecycle;
pub(super) mod lists;
pub(super) mod logging;
pub(super) mod modern;
pub(super) mod openai;
pub(super) mod pagination;
pub(super) mod prompts;
pub(super) mod resources;
pub(super) mod sessions;
pub(super) mod structured;
pub(super) mod subscriptions;
pub(super) mod tools;
