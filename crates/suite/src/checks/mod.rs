//! The checks, a file per section of the protocol.

mod server;
pub(crate) mod wire;

use crate::Check;

pub(crate) use server::apps::Surface;

/// Every check, section by section, in the order in which reports show them.
pub(crate) const ALL: &[&[Check]] = &[
    wire::jsonrpc::CHECKS,
    wire::message::CHECKS,
    wire::stdio::CHECKS,
    wire::client::CHECKS,
    wire::elicitation::CHECKS,
    wire::sampling::CHECKS,
    wire::logging::CHECKS,
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
    server::structured::CHECKS,
    server::resources::CHECKS,
    server::prompts::CHECKS,
    server::lists::CHECKS,
    server::pagination::CHECKS,
    server::content::CHECKS,
    server::completion::CHECKS,
    server::logging::CHECKS,
    server::elicitation::CHECKS,
    wire::caching::CHECKS,
    server::subscriptions::CHECKS,
    server::apps::tools::CHECKS,
    server::apps::tool_details::CHECKS,
    server::apps::listed::CHECKS,
    server::apps::reading::CHECKS,
    server::apps::content::CHECKS,
    server::apps::metadata::CHECKS,
    server::apps::negotiation::CHECKS,
    server::apps::fallback::CHECKS,
    server::openai::tools::CHECKS,
    server::openai::widgets::CHECKS,
    server::openai::results::CHECKS,
];
