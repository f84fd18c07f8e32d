//! The checks, a file per section of the protocol.

mod server;
mod wire;

use crate::Check;

/// Every check, section by section, in the order in which reports show them.
pub(crate) const ALL: &[&[Check]] = &[
    wire::jsonrpc::CHECKS,
    wire::message::CHECKS,
    wire::stdio::CHECKS,
    wire::http::CHECKS,
    wire::direction::CHECKS,
    server::base::CHECKS,
    server::lifecycle::CHECKS,
    server::modern::CHECKS,
    server::stdio::CHECKS,
    server::http::CHECKS,
    server::rebinding::CHECKS,
    server::posts::CHECKS,
    server::bygone::CHECKS,
    server::http_sse::CHECKS,
    server::sessions::CHECKS,
    server::session_ids::CHECKS,
    server::streams::CHECKS,
    server::resumption::CHECKS,
    server::headers::CHECKS,
    server::header_names::CHECKS,
    server::header_params::CHECKS,
    server::authorization::CHECKS,
    server::tokens::CHECKS,
    server::tools::CHECKS,
    server::calls::CHECKS,
    server::resources::CHECKS,
    server::prompts::CHECKS,
    server::utilities::CHECKS,
    server::subscriptions::CHECKS,
    server::apps::CHECKS,
];
