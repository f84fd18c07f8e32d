//! The checks, a file per section of the protocol.
//!
//! `server` holds the checks that talk to a server, `wire` those that only read recorded messages, `app` those that look at an
//! app in a browser, and `host` those of hosts. Above each check stands, in our own words, what the specification asks; the
//! place itself is in its `cites`.

mod app;
mod host;
mod server;
pub(crate) mod wire;

use crate::Check;

// Checks that the runs name: because a finding of another check is due to theirs, or because they are treated in their own way.
pub(crate) use app::lifecycle::INITIALIZES;
pub(crate) use app::looks::UNCHANGED;
pub(crate) use host::server::SHOWN;
pub(crate) use server::calls::CALL_IN_TIME;
pub(crate) use server::lifecycle::HANDSHAKE_COMPLETE;
pub(crate) use server::lists::{PROMPTS_LISTED, RESOURCES_LISTED, TOOLS_LISTED};
pub(crate) use wire::http::ONE_OBJECT;
pub(crate) use wire::message::SCHEMA;
pub(crate) use wire::response_ids::ERROR_ID;
pub(crate) use wire::ui::messages::ANSWERED;

pub(crate) use server::apps::Surface;

/// Every check, section by section, in the order in which reports show them.
pub(crate) const ALL: &[&[Check]] = &[
    wire::jsonrpc::CHECKS,
    wire::response_ids::CHECKS,
    wire::message::CHECKS,
    wire::stdio::CHECKS,
    wire::client::CHECKS,
    wire::elicitation::CHECKS,
    wire::sampling::CHECKS,
    wire::logging::CHECKS,
    wire::http::CHECKS,
    wire::http_replies::CHECKS,
    wire::exchange::CHECKS,
    wire::lifecycle::CHECKS,
    wire::meta::CHECKS,
    wire::progress::CHECKS,
    wire::cancellation::CHECKS,
    wire::mrtr::CHECKS,
    wire::subscriptions::CHECKS,
    wire::resource_updates::CHECKS,
    wire::tasks::CHECKS,
    wire::ui::messages::CHECKS,
    wire::ui::handshake::CHECKS,
    wire::ui::data::CHECKS,
    wire::ui::modes::CHECKS,
    wire::ui::sandbox::CHECKS,
    wire::ui::capabilities::CHECKS,
    wire::ui::teardown::CHECKS,
    app::lifecycle::CHECKS,
    app::messages::CHECKS,
    app::modes::CHECKS,
    app::grants::CHECKS,
    app::csp::CHECKS,
    app::size::CHECKS,
    app::theme::CHECKS,
    app::looks::CHECKS,
    app::data::CHECKS,
    app::page::CHECKS,
    app::access::CHECKS,
    server::base::CHECKS,
    server::requests::CHECKS,
    server::batches::CHECKS,
    server::lifecycle::CHECKS,
    server::negotiation::CHECKS,
    server::modern::CHECKS,
    server::stdio::CHECKS,
    server::long_answer::CHECKS,
    server::statelessness::CHECKS,
    server::http::CHECKS,
    server::rebinding::CHECKS,
    server::non_request_posts::CHECKS,
    server::removed_in_modern::CHECKS,
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
    server::roots::CHECKS,
    wire::caching::CHECKS,
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
    server::dialect::CHECKS,
    host::server::CHECKS,
    host::handshake::CHECKS,
    host::data::CHECKS,
    host::context::CHECKS,
    host::requests::CHECKS,
    host::modes::CHECKS,
    host::visibility::CHECKS,
    host::sandbox::CHECKS,
    host::attack::CHECKS,
    host::leaks::CHECKS,
    host::person::CHECKS,
];
