//! The test catalogue of mcp-validator, its tests of servers as aliases of checks.
//!
//! Which checks answer a test is said in one place, their aliases; here is what there is to answer, and why the answer is
//! sometimes to another question.

use crate::{Check, registry};

/// Its tests of servers, in its order.
pub const TESTS: &[&str] = &[
    "test_initialization",
    "test_server_capabilities",
    "test_tools_list",
    "test_tool_functionality",
    "test_tool_with_invalid_params",
    "test_jsonrpc_batch_support",
    "test_invalid_tool_name",
    "test_invalid_tool_arguments",
    "test_tool_schema_validation",
    "test_structured_tool_output",
    "test_each_tool",
    "test_dynamic_tool_discovery",
    "test_async_tool_support",
    "test_async_echo_tool",
    "test_async_long_running_tool",
    "test_async_tool_cancellation",
    "test_async_tools_capability",
    "test_dynamic_async_support",
    "test_dynamic_async_cancellation",
    "test_request_format",
    "test_response_format",
    "test_unique_request_ids",
    "test_notification_format",
    "test_error_handling",
    "test_initialization_order",
    "test_initialization_negotiation",
    "test_protocol_version_negotiation",
    "test_shutdown_sequence",
    "test_server_info_requirements",
    "test_capability_declaration",
    "test_parallel_requests",
    "test_versioning_requirements",
    "test_authorization_requirements",
    "test_logging_capability",
    "test_prompts_capability",
    "test_resources_capability",
    "test_tools_capability",
    "test_workspace_configuration",
    "test_2025_06_18",
    "test_elicitation_support",
    "test_batch_request_rejection",
    "test_enhanced_tool_validation",
    "test_enhanced_ping_validation",
    "test_prompt_arguments_validation",
    "test_resource_metadata_support",
    "test_resource_uri_validation",
    "test_cancellation_validation",
    "test_async_tool_calls_validation",
    "test_http_transport_requirements",
    "test_http_session_management",
    "test_stdio_transport_requirements",
    "test_resources_list",
    "test_resources_read",
    "test_resources_subscribe",
];

/// The checks that answer a test; the worst counts.
pub fn checks(test: &str) -> impl Iterator<Item = &'static Check> {
    registry().filter(move |check| check.aliases.contains(&test))
}

/// What the tests ask for that MCP does not have, or has in another way.
pub const NOTES: &[(&str, &str)] = &[
    (
        "test_initialization",
        "sends a handshake that only the older revisions have; in 2026-07-28 it is server/discover that is tested",
    ),
    (
        "test_server_capabilities",
        "asks for capabilities that MCP leaves to the server, as booleans in 2024-11-05; here what is declared is compared with what is served",
    ),
    (
        "test_tools_list",
        "asks every tool for a description, which no revision requires, and for `parameters`, which none has; the fields that the schema requires are judged",
    ),
    (
        "test_tool_with_invalid_params",
        "takes nothing but a JSON-RPC error; a result with isError is as good, and from 2025-11-25 on the way that the page describes",
    ),
    (
        "test_jsonrpc_batch_support",
        "asks 2024-11-05 for batches, which only the page of 2025-03-26 requires servers to receive; it is tested there alone",
    ),
    (
        "test_each_tool",
        "calls every tool there is; here only those that say they are read-only, unless --allow-calls or --tool says otherwise",
    ),
    (
        "test_dynamic_tool_discovery",
        "asks that tools can change at run time, which is up to the server; what is listed is judged, and what is told of changes",
    ),
    (
        "test_async_tool_support",
        "asks for tools.asyncSupported, which MCP never had; tasks of 2025-11-25 and the tasks extension are in its place, and server/dialect/* tests a server that declares it",
    ),
    (
        "test_async_echo_tool",
        "calls tools/call-async and tools/result, which MCP does not have; the outcome of a task is in their place, and server/dialect/async-call where the server declares them",
    ),
    (
        "test_async_long_running_tool",
        "polls tools/result, which MCP does not have; progress of an ordinary call is in its place, and server/dialect/async-call where the server declares it",
    ),
    (
        "test_async_tool_cancellation",
        "sends tools/cancel, which MCP does not have; notifications/cancelled and tasks/cancel are in its place, and server/dialect/async-cancel where the server declares it",
    ),
    (
        "test_async_tools_capability",
        "looks for marks of async tools that MCP does not have; execution.taskSupport is in their place",
    ),
    (
        "test_dynamic_async_support",
        "looks for async tools at run time, which MCP does not have; that tasks come only to those who can have them is in its place",
    ),
    (
        "test_dynamic_async_cancellation",
        "asks that everything can be cancelled by tools/cancel, which MCP does not have; what tasks/cancel may and may not do is in its place",
    ),
    (
        "test_request_format",
        "looks at the requests of its own client; here the server is sent malformed ones, and its own requests are read",
    ),
    (
        "test_unique_request_ids",
        "sends one id twice and wants two answers, which clients must not do; here ids of every form are echoed, each once",
    ),
    (
        "test_error_handling",
        "provokes errors by server/info and mcp/tools, methods that MCP does not have; here that they are unknown is what is expected",
    ),
    (
        "test_initialization_order",
        "wants requests before initialize refused; no revision demands that of servers, so what a server itself may send before it is judged",
    ),
    (
        "test_initialization_negotiation",
        "knows no revision after 2025-03-26, and fails a server that agrees to a newer one; here any revision that exists may be agreed to",
    ),
    (
        "test_shutdown_sequence",
        "sends shutdown and exit, which MCP does not have; the end of stdin, and DELETE of a session over HTTP, are in their place",
    ),
    (
        "test_server_info_requirements",
        "calls server/info, which MCP does not have; serverInfo of the handshake, server/discover and the signature of modern results are in its place, and server/dialect/server-info where the dialect is declared",
    ),
    (
        "test_capability_declaration",
        "fails capabilities that it does not know; MCP lets servers have others, under experimental or extensions",
    ),
    (
        "test_versioning_requirements",
        "asks server/info for a semantic version, which MCP does not have; the version header and _meta of requests are in its place",
    ),
    (
        "test_authorization_requirements",
        "looks for words in the headers of its own server; here a server that asks for a token is tested as a resource server, and others are not applicable",
    ),
    (
        "test_logging_capability",
        "asks for methods that MCP does not have; logging/setLevel, and from 2026-07-28 on the level in _meta, are tested",
    ),
    (
        "test_resources_capability",
        "asks for subscriptions, which are optional; they are tested where they are declared",
    ),
    (
        "test_workspace_configuration",
        "calls workspace/configurationSchema, workspace/setConfiguration and workspace/configuration, which MCP does not have; roots and elicitation are in their place, and server/dialect/configuration where the server declares them",
    ),
    (
        "test_2025_06_18",
        "is a suite of its own; what that revision brought is tested by these checks in every revision that has it",
    ),
    (
        "test_elicitation_support",
        "asks the server for elicitation, which is the client's to offer; what the server asks for, and how it takes a refusal, is judged",
    ),
    (
        "test_batch_request_rejection",
        "asks for an error; no revision says which, so that a list of messages is not served as one is what is tested",
    ),
    (
        "test_enhanced_tool_validation",
        "asks for more than the revision does; its rules for schemas and arguments are tested",
    ),
    (
        "test_enhanced_ping_validation",
        "asks for a ping that the revision did not enhance; ping is tested as it is, and in 2026-07-28 as a method that was removed",
    ),
    ("test_resource_metadata_support", "asks for metadata that is optional; what is there is judged"),
    (
        "test_cancellation_validation",
        "sends cancellations as requests; in MCP they are notifications, which get no answer",
    ),
    (
        "test_async_tool_calls_validation",
        "calls tools/call-async and tools/result, which MCP does not have; ids of tasks are in their place, and server/dialect/async-refused where the server declares them",
    ),
    (
        "test_http_transport_requirements",
        "posts server/info, which MCP does not have; the rules of the transport are tested with methods that it has",
    ),
    (
        "test_http_session_management",
        "asks for a session, which servers need not have and 2026-07-28 does not know; one that is handed out is tested",
    ),
    (
        "test_stdio_transport_requirements",
        "asks that server/info is answered over stdio; framing, purity of stdout and the end of stdin are tested",
    ),
    (
        "test_resources_subscribe",
        "is resources/subscribe up to 2025-11-25, and subscriptions/listen in 2026-07-28",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_test_is_answered_and_no_other_is_claimed() {
        let open: Vec<_> = TESTS.iter().filter(|test| checks(test).next().is_none()).collect();
        assert!(open.is_empty(), "{open:?}");
        let claimed = registry().flat_map(|check| check.aliases).filter(|alias| alias.starts_with("test_"));
        let unknown: Vec<_> = claimed.filter(|alias| !TESTS.contains(alias)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
