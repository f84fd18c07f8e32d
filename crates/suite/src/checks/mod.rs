//! The checks, a file per section of the protocol.

mod server;
pub(crate) mod wire;

use crate::Check;

/// Every check, section by section, in the order in which reports show them.
pub(crate) const ALL: &[&[Check]] = &[
    wire::jsonrpc::CHECKS,
    wire::message::CHECKS,
    wire::stdio::CHECKS,
    server::base::CHECKS,
    server::lifecycle::CHECKS,
    server::modern::CHECKS,
    server::http::CHECKS,
    server::sessions::CHECKS,
    server::headers::CHECKS,
    server::tools::CHECKS,
    server::calls::CHECKS,
    server::resources::CHECKS,
    server::prompts::CHECKS,
    server::utilities::CHECKS,
    server::subscriptions::CHECKS,
    server::apps::CHECKS,
];
