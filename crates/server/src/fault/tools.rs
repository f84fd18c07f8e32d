//! Faults of tools.

use serde_json::{Value, json};

use super::edit::{notification, remove, result_of};
use super::{Effect, Fault};

pub(super) const FAULTS: &[&Fault] = &[
    &UNKNOWN_TOOL_SUCCEEDS,
    &TOOL_WITHOUT_SCHEMA,
    &TOOL_SCHEMA_BROKEN,
    &TOOL_PATTERN_BROKEN,
    &TOOL_NAME_WITH_SPACE,
    &TOOL_NAME_TWICE,
    &CALL_WITHOUT_CONTENT,
    &ARGUMENTS_UNCHECKED,
    &OUTPUT_AGAINST_SCHEMA,
    &STRUCTURED_WITHOUT_TEXT,
    &PROGRESS_STANDS_STILL,
    &LOG_UNWANTED,
    &CURSOR_UNCHECKED,
    &PAGES_REPEAT,
    &TOOLS_UNSORTED,
];

fn each_tool(result: &mut Value, change: impl Fn(&mut Value)) {
    if let Some(tools) = result["tools"].as_array_mut() {
        tools.iter_mut().for_each(change);
    }
}

/// A tool that does not exist succeeds.
pub const UNKNOWN_TOOL_SUCCEEDS: Fault = Fault {
    name: "unknown-tool-succeeds",
    about: "calling a tool that does not exist succeeds",
    effect: Effect::Switch,
};

/// Tools without an input schema.
pub const TOOL_WITHOUT_SCHEMA: Fault = Fault {
    name: "tool-without-schema",
    about: "tools are listed without inputSchema",
    effect: Effect::Message(|out, m| {
        result_of(out, "tools/list", m, |r| each_tool(r, |tool| remove(tool, "inputSchema")))
    }),
};

/// An input schema that is none.
pub const TOOL_SCHEMA_BROKEN: Fault = Fault {
    name: "tool-schema-broken",
    about: "a property of every input schema has a type that does not exist",
    effect: Effect::Message(|out, m| {
        result_of(out, "tools/list", m, |r| {
            each_tool(r, |tool| tool["inputSchema"]["properties"] = json!({ "x": { "type": "text" } }));
        })
    }),
};

/// A pattern that is no regular expression.
pub const TOOL_PATTERN_BROKEN: Fault = Fault {
    name: "tool-pattern-broken",
    about: "a pattern of every input schema has a class that is not closed",
    effect: Effect::Message(|out, m| {
        result_of(out, "tools/list", m, |r| {
            let broken = json!({ "type": "string", "pattern": "^[a-z+$" });
            each_tool(r, |tool| tool["inputSchema"]["properties"]["code"] = broken.clone());
        })
    }),
};

/// A name that not every client can show.
pub const TOOL_NAME_WITH_SPACE: Fault = Fault {
    name: "tool-name-with-space",
    about: "a tool has a space in its name",
    effect: Effect::Message(|out, m| {
        result_of(out, "tools/list", m, |r| {
            if let Some(first) = r["tools"].as_array_mut().and_then(|tools| tools.first_mut()) {
                first["name"] = json!("say it back");
            }
        })
    }),
};

/// Two tools of one name.
pub const TOOL_NAME_TWICE: Fault = Fault {
    name: "tool-name-twice",
    about: "two tools have the same name",
    effect: Effect::Message(|out, m| {
        result_of(out, "tools/list", m, |r| {
            if let Some(tools) = r["tools"].as_array_mut() {
                tools.extend(tools.first().cloned());
            }
        })
    }),
};

/// A result without content.
pub const CALL_WITHOUT_CONTENT: Fault = Fault {
    name: "call-without-content",
    about: "the result of a tool call has no content",
    effect: Effect::Message(|out, m| result_of(out, "tools/call", m, |r| remove(r, "content"))),
};

/// Arguments are not looked at.
pub const ARGUMENTS_UNCHECKED: Fault = Fault {
    name: "arguments-unchecked",
    about: "arguments that break the input schema are accepted",
    effect: Effect::Switch,
};

/// Structured output that breaks its own schema.
pub const OUTPUT_AGAINST_SCHEMA: Fault = Fault {
    name: "output-against-schema",
    about: "structured content does not match the output schema",
    effect: Effect::Message(|out, m| {
        result_of(out, "tools/call", m, |r| {
            if r.get("structuredContent").is_some() {
                r["structuredContent"] = json!({ "unexpected": true });
            }
        })
    }),
};

/// Structured output that only some clients can read.
pub const STRUCTURED_WITHOUT_TEXT: Fault = Fault {
    name: "structured-without-text",
    about: "structured content is not repeated as text",
    effect: Effect::Message(|out, m| {
        result_of(out, "tools/call", m, |r| {
            if r.get("structuredContent").is_some() {
                r["content"] = json!([]);
            }
        })
    }),
};

/// Progress that does not progress.
pub const PROGRESS_STANDS_STILL: Fault = Fault {
    name: "progress-stands-still",
    about: "progress notifications repeat the same value",
    effect: Effect::Message(|_, m| {
        notification(m, "notifications/progress", |m| m["params"]["progress"] = json!(1))
    }),
};

/// Log messages that nobody asked for.
pub const LOG_UNWANTED: Fault = Fault {
    name: "log-unwanted",
    about: "log messages are sent for requests that set no log level",
    effect: Effect::Switch,
};

/// Any cursor will do.
pub const CURSOR_UNCHECKED: Fault = Fault {
    name: "cursor-unchecked",
    about: "a cursor that was made up is taken for the first page",
    effect: Effect::Switch,
};

/// Pages without end.
pub const PAGES_REPEAT: Fault = Fault {
    name: "pages-repeat",
    about: "every page of tools says that there is another one, and is the first again",
    effect: Effect::Switch,
};

/// A list in another order each time.
pub const TOOLS_UNSORTED: Fault = Fault {
    name: "tools-unsorted",
    about: "tools are listed in another order each time",
    effect: Effect::Switch,
};
