//! Which tools of a stranger's server are called, and with what.

use serde_json::{Map, Value};

/// Which tools are called without being named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Allow {
    /// All of them.
    All,
    /// Those that say that they change nothing, and those that are made for tests.
    #[default]
    ReadOnly,
    /// None.
    None,
}

/// Which tools are called, and with what.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calls {
    /// Which tools are called without being named.
    pub allow: Allow,
    /// The tools that are called whatever they say about themselves.
    pub named: Vec<String>,
    /// Arguments by the name of the tool; the others get arguments that are made from their schemas.
    pub arguments: Map<String, Value>,
}

/// Whether a tool is called, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is.
    Call(&'static str),
    /// It is not.
    Leave(&'static str),
}

impl Calls {
    /// Whether `tool` is called, one of `tools` that the server lists.
    pub fn decide(&self, tool: &Value, tools: &[Value]) -> Decision {
        let name = tool["name"].as_str().unwrap_or_default();
        let hints = &tool["annotations"];
        if self.named.iter().any(|known| known == name) || self.arguments.contains_key(name) {
            return Decision::Call("it was named");
        }
        if CHANGING.contains(&name) {
            return Decision::Leave("it changes what other checks look at, and has a check of its own");
        }
        match self.allow {
            Allow::None => Decision::Leave("no calls are allowed"),
            Allow::All => Decision::Call("all calls are allowed"),
            Allow::ReadOnly if is_fixture(tool, tools) => Decision::Call("it is made for tests"),
            Allow::ReadOnly if hints["readOnlyHint"] != true => {
                Decision::Leave("it does not say that it is read-only")
            }
            Allow::ReadOnly if hints["destructiveHint"] == true => {
                Decision::Leave("it says that it is destructive")
            }
            Allow::ReadOnly => Decision::Call("it says that it is read-only"),
        }
    }
}

impl Calls {
    /// Whether some of `tools` are left alone that would be called if all calls were allowed.
    pub(crate) fn leaves_callable(&self, tools: &[Value]) -> bool {
        let all = Self { allow: Allow::All, ..self.clone() };
        tools.iter().any(|tool| !self.decide(tool, tools).is_call() && all.decide(tool, tools).is_call())
    }
}

impl Decision {
    /// Whether it is called.
    pub const fn is_call(self) -> bool {
        matches!(self, Self::Call(_))
    }

    /// Why.
    pub const fn why(self) -> &'static str {
        match self {
            Self::Call(why) | Self::Leave(why) => why,
        }
    }
}

/// Whether a tool of a server is one that the official suite asks servers to have for it.
///
/// A name that anybody might give a tool of theirs means that only beside others of them.
pub(crate) fn is_fixture(tool: &Value, tools: &[Value]) -> bool {
    let name = name_of(tool);
    FIXTURES.contains(&name) || (COMMON.contains(&name) && has_fixtures(tools))
}

/// Whether a name is one of the official suite's that anybody might give a tool of theirs.
pub(crate) fn is_common(name: &str) -> bool {
    COMMON.contains(&name) || RISKY.contains(&name)
}

/// Whether the server that lists these tools is made for the official suite.
pub(crate) fn has_fixtures(tools: &[Value]) -> bool {
    let known = |tool: &&Value| FIXTURES.contains(&name_of(tool)) || COMMON.contains(&name_of(tool));
    tools.iter().filter(known).count() >= MIN_FIXTURES
}

fn name_of(tool: &Value) -> &str {
    tool["name"].as_str().unwrap_or_default()
}

/// So many matching names are not a coincidence.
const MIN_FIXTURES: usize = 3;

/// Fixtures that change a list or cut the connection.
const CHANGING: &[&str] = &["test_trigger_tool_change", "test_trigger_prompt_change", "test_reconnection"];

/// The tools that the official suite asks servers to have for it.
const FIXTURES: &[&str] = &[
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "json_schema_2020_12_tool",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_tool_with_progress",
    "test_custom_header",
    "test_x_mcp_header",
    "test_sampling",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_streaming_elicitation",
    "test_missing_capability",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_capabilities",
    "test_tool_with_task",
];

/// Those of them whose names say nothing about tests.
const COMMON: &[&str] = &["greet", "slow_compute", "failing_job", "protocol_error_job", "multi_input"];

/// One that is called only if it says that it is read-only, or all calls are allowed.
const RISKY: &[&str] = &["confirm_delete"];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn decided(allow: Allow, tool: &Value) -> bool {
        Calls { allow, ..Calls::default() }.decide(tool, std::slice::from_ref(tool)).is_call()
    }

    #[test]
    fn strangers_tools_are_called_only_when_they_say_that_it_is_safe() {
        let reader = json!({ "name": "look", "annotations": { "readOnlyHint": true } });
        let breaker =
            json!({ "name": "odd", "annotations": { "readOnlyHint": true, "destructiveHint": true } });
        let silent = json!({ "name": "delete_all" });
        let fixture = json!({ "name": "test_simple_text" });
        for (tool, read_only) in [(&reader, true), (&breaker, false), (&silent, false), (&fixture, true)] {
            assert_eq!(decided(Allow::ReadOnly, tool), read_only, "{tool}");
            assert!(decided(Allow::All, tool) && !decided(Allow::None, tool));
        }
    }

    #[test]
    fn a_tool_that_is_named_is_called_whatever_it_says() {
        let calls = Calls { allow: Allow::None, named: vec!["delete_all".into()], ..Calls::default() };
        assert!(calls.decide(&json!({ "name": "delete_all" }), &[]).is_call());
        assert!(!calls.decide(&json!({ "name": "other" }), &[]).is_call());
    }

    #[test]
    fn more_can_be_allowed_only_where_something_is_left_alone() {
        let silent = [json!({ "name": "delete_all" })];
        let changing = [json!({ "name": "test_reconnection" })];
        let calls = |allow| Calls { allow, ..Calls::default() };
        assert!(calls(Allow::ReadOnly).leaves_callable(&silent));
        assert!(!calls(Allow::All).leaves_callable(&silent));
        assert!(!calls(Allow::ReadOnly).leaves_callable(&[]));
        assert!(!calls(Allow::ReadOnly).leaves_callable(&changing), "a check of its own calls it");
    }

    #[test]
    fn a_common_name_makes_no_fixture() {
        let named = |names: &[&str]| names.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>();
        let strangers = named(&["greet", "slow_compute", "send_invoice"]);
        let fixtures = named(&["greet", "slow_compute", "multi_input"]);
        let beside = named(&["greet", "test_simple_text", "test_sampling"]);
        for (tools, called) in [(&strangers, false), (&fixtures, true), (&beside, true)] {
            assert_eq!(Calls::default().decide(&tools[0], tools).is_call(), called, "{tools:?}");
        }
        let reader = json!({ "name": "greet", "annotations": { "readOnlyHint": true } });
        assert!(Calls::default().decide(&reader, std::slice::from_ref(&reader)).is_call());
    }
}
