//! The checks, a file per section of the protocol.

mod server;
mod wire;

use crate::Check;

/// Every check, section by section, in the order in which reports show them.
pub(crate) const ALL: &[&[Check]] = &[
    wire::jsonrpc::CHECKS,
    wire::message::CHECKS,
    wire::stdio::CHECKS,
    wire::exchange::CHECKS,
    wire::lifecycle::CHECKS,
    wire::meta::CHECKS,
    wire::progress::CHECKS,
    wire::cancellation::CHECKS,
    wire::mrtr::CHECKS,
    wire::subscriptions::CHECKS,
    wire::tasks::CHECKS,
    server::base::CHECKS,
    server::requests::CHECKS,
    server::batches::CHECKS,
    server::lifecycle::CHECKS,
    server::negotiation::CHECKS,
    server::modern::CHECKS,
    server::statelessness::CHECKS,
    server::http::CHECKS,
    server::sessions::CHECKS,
    server::headers::CHECKS,
    server::tools::CHECKS,
    server::calls::CHECKS,
    server::resources::CHECKS,
    server::prompts::CHECKS,
    server::utilities::CHECKS,
    server::subscriptions::CHECKS,
    server::listening::CHECKS,
    server::cancellation::CHECKS,
    server::progress::CHECKS,
    server::mrtr::CHECKS,
    server::tasks::begin::CHECKS,
    server::tasks::end::CHECKS,
    server::tasks::questions::CHECKS,
    server::tasks::support::CHECKS,
    server::tasks::extension::CHECKS,
    server::tasks::extended::CHECKS,
    server::apps::CHECKS,
];
