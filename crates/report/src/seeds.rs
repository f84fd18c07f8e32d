//! The tests of two older catalogues, and the checks of ours that answer them.

/// A test of an older catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seed {
    /// Its id there.
    pub(crate) id: &'static str,
    /// The part of the catalogue that it stands in.
    pub(crate) category: &'static str,
    /// What it is called.
    pub(crate) title: &'static str,
    /// What it asks for, in our words.
    pub(crate) about: &'static str,
    /// The checks whose worst outcome decides it, besides those that name it as an alias.
    pub(crate) checks: &'static [&'static str],
    /// Whether it is failed, rather than left out, by a server that does not have the feature.
    pub(crate) demanded: bool,
}

const fn app(
    id: &'static str,
    category: &'static str,
    title: &'static str,
    about: &'static str,
    checks: &'static [&'static str],
) -> Seed {
    Seed { id, category, title, about, checks, demanded: false }
}

/// The seven tests of MCPJam for MCP Apps.
pub(crate) const MCPJAM: &[Seed] = &[
    Seed {
        demanded: true,
        ..app(
            "ui-tools-present",
            "tools",
            "UI Tools Present",
            "some tool names a user interface",
            &["server/apps/tool-metadata-valid"],
        )
    },
    app(
        "ui-tool-metadata-valid",
        "tools",
        "UI Tool Metadata Valid",
        "tools with a user interface name a ui:// resource and known visibilities",
        &["server/apps/tool-metadata-valid", "server/apps/uri-scheme"],
    ),
    app(
        "ui-tool-input-schema-valid",
        "tools",
        "UI Tool Input Schema Valid",
        "tools with a user interface have an input schema that is an object",
        &["server/tools/schema-valid"],
    ),
    app(
        "ui-listed-resources-valid",
        "resources",
        "Listed UI Resources Valid",
        "listed user interfaces have a ui:// address and the media type of MCP Apps",
        &["server/apps/uri-scheme"],
    ),
    app(
        "ui-resources-readable",
        "resources",
        "UI Resources Readable",
        "every user interface that is named or listed can be read",
        &["server/apps/resource-exists"],
    ),
    app(
        "ui-resource-contents-valid",
        "resources",
        "UI Resource Contents Valid",
        "reading a user interface gives one HTML document",
        &["server/apps/content-media-type", "server/apps/content-html", "server/apps/one-content"],
    ),
    app(
        "ui-resource-meta-valid",
        "resources",
        "UI Resource Metadata Valid",
        "the metadata of a user interface has the shapes that the extension gives it",
        &["server/apps/resource-metadata-valid"],
    ),
];

const fn test(id: &'static str, checks: &'static [&'static str]) -> Seed {
    Seed { id, category: "", title: id, about: "", checks, demanded: false }
}

/// Tests of mcp-validator that the protocol has something for.
pub(crate) const VALIDATOR: &[Seed] = &[
    test("test_initialization", &["server/lifecycle/handshake-complete", "server/discovery/answered"]),
    test("test_server_capabilities", &["server/lifecycle/capabilities-declared"]),
    test("test_tools_list", &["server/tools/schema-valid", "server/tools/name-unique"]),
    test("test_tool_functionality", &["server/tools/content-present"]),
    test("test_tool_with_invalid_params", &["server/tools/arguments-checked"]),
    test("test_jsonrpc_batch_support", &["server/base/batch-answered"]),
    test("test_invalid_tool_name", &["server/tools/unknown-tool-refused"]),
    test("test_invalid_tool_arguments", &["server/tools/arguments-checked"]),
    test("test_tool_schema_validation", &["server/tools/schema-valid"]),
    test("test_structured_tool_output", &["server/tools/output-matches-schema"]),
    test("test_request_format", &["wire/jsonrpc/version-marked"]),
    test("test_response_format", &["wire/jsonrpc/one-of-result-and-error", "wire/jsonrpc/id-known"]),
    test("test_unique_request_ids", &["wire/jsonrpc/answered-once", "server/base/id-echoed"]),
    test("test_notification_format", &["server/base/notification-unanswered"]),
    test("test_error_handling", &["wire/jsonrpc/error-code-integer", "server/base/unknown-method-refused"]),
    test("test_initialization_negotiation", &["server/lifecycle/version-agreed"]),
    test("test_protocol_version_negotiation", &["server/lifecycle/version-countered"]),
    test(
        "test_server_info_requirements",
        &["server/lifecycle/handshake-complete", "wire/message/server-info"],
    ),
    test("test_capability_declaration", &["server/lifecycle/capabilities-declared"]),
    test("test_stdio_transport_requirements", &["wire/stdio/only-messages", "wire/stdio/one-line"]),
    test(
        "test_http_transport_requirements",
        &["server/http/media-type", "server/http/notification-accepted"],
    ),
    test(
        "test_http_session_management",
        &["server/sessions/id-visible-ascii", "server/sessions/terminated-404"],
    ),
    test("test_resources_list", &["server/resources/listed-readable"]),
    test("test_resources_read", &["server/resources/contents-complete"]),
    test("test_resource_uri_validation", &["server/resources/not-found-refused"]),
    test("test_prompts_capability", &["server/prompts/messages-present"]),
    test("test_prompt_arguments_validation", &["server/prompts/argument-required"]),
    test("test_logging_capability", &["server/logging/level-checked"]),
    test("test_enhanced_ping_validation", &["server/lifecycle/ping-answered"]),
    test("test_malformed_json_recovery", &["server/base/parse-error-answered"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_names_checks_that_exist() {
        for seed in MCPJAM.iter().chain(VALIDATOR) {
            assert!(!seed.checks.is_empty(), "{}", seed.id);
            for check in seed.checks {
                assert!(suite::by_id(check).is_some(), "{}: {check}", seed.id);
            }
        }
    }
}
