//! Faults of tools.

use protocol::code;
use protocol::meta::{LOG_LEVEL, LogLevel};
use serde_json::{Value, json};

use super::calls::success;
use super::edit::{each, mentions, notification, result_of, succeed};
use super::{Effect, Fault, path};

/// The server's message for arguments that do not match their schema.
const INVALID: &str = "invalid arguments for";

pub(super) const FAULTS: &[&Fault] = &[
    &UNKNOWN_TOOL_SUCCEEDS,
    &TOOL_WITHOUT_SCHEMA,
    &TOOL_DESCRIPTION_NUMBER,
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

pub const UNKNOWN_TOOL_SUCCEEDS: Fault = Fault {
    name: "unknown-tool-succeeds",
    about: "calling a tool that does not exist succeeds",
    effect: Effect::Message(|out, m| {
        let is_unknown = out.method == Some("tools/call") && mentions(&m, "unknown tool");
        each(m, |m| {
            if is_unknown {
                succeed(out, m, success());
            }
        })
    }),
};

pub const TOOL_WITHOUT_SCHEMA: Fault = Fault {
    name: "tool-without-schema",
    about: "tools are listed without inputSchema",
    effect: Effect::Remove(&["tools/list"], &["tools", "*", "inputSchema"]),
};

pub const TOOL_DESCRIPTION_NUMBER: Fault = Fault {
    name: "tool-description-number",
    about: "the description of every tool is a number",
    effect: Effect::Set(&["tools/list"], &["tools", "*", "description"], || 7.into()),
};

pub const TOOL_SCHEMA_BROKEN: Fault = Fault {
    name: "tool-schema-broken",
    about: "a property of every input schema has a type that does not exist",
    effect: Effect::Set(
        &["tools/list"],
        &["tools", "*", "inputSchema", "properties"],
        || json!({ "x": { "type": "text" } }),
    ),
};

pub const TOOL_PATTERN_BROKEN: Fault = Fault {
    name: "tool-pattern-broken",
    about: "a pattern of every input schema has a class that is not closed",
    effect: Effect::Set(
        &["tools/list"],
        &["tools", "*", "inputSchema", "properties", "code"],
        || json!({ "type": "string", "pattern": "^[a-z+$" }),
    ),
};

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

pub const CALL_WITHOUT_CONTENT: Fault = Fault {
    name: "call-without-content",
    about: "the result of a tool call has no content",
    effect: Effect::Remove(&["tools/call"], &["content"]),
};

pub const ARGUMENTS_UNCHECKED: Fault = Fault {
    name: "arguments-unchecked",
    about: "arguments that break the input schema are accepted",
    effect: Effect::Message(|out, m| {
        let text = m["result"]["content"][0]["text"].as_str().unwrap_or_default();
        let concerns = text.starts_with(INVALID) || mentions(&m, INVALID);
        each(m, |m| {
            if out.method == Some("tools/call") && concerns {
                succeed(out, m, success());
            }
        })
    }),
};

pub const OUTPUT_AGAINST_SCHEMA: Fault = Fault {
    name: "output-against-schema",
    about: "structured content does not match the output schema",
    effect: Effect::Replace(&["tools/call"], &["structuredContent"], || json!({ "unexpected": true })),
};

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

pub const PROGRESS_STANDS_STILL: Fault = Fault {
    name: "progress-stands-still",
    about: "progress notifications repeat the same value",
    effect: Effect::Message(|_, m| {
        notification(m, "notifications/progress", |m| m["params"]["progress"] = json!(1))
    }),
};

pub const LOG_UNWANTED: Fault = Fault {
    name: "log-unwanted",
    about: "log messages are sent for requests that set no log level",
    effect: Effect::Incoming(|incoming| {
        // An unknown level is still refused.
        let is_known = |level: &Value| level.as_str().is_some_and(|level| level.parse::<LogLevel>().is_ok());
        let everything = json!(LogLevel::Debug.as_str());
        if incoming.is_modern() {
            incoming.set_meta(LOG_LEVEL, |level| level.is_none_or(is_known).then_some(everything));
        } else if incoming.method == "logging/setLevel" && is_known(&incoming.params["level"]) {
            incoming.params["level"] = everything;
        }
        None
    }),
};

pub const CURSOR_UNCHECKED: Fault = Fault {
    name: "cursor-unchecked",
    about: "a made-up cursor gives the first page",
    effect: Effect::Retry(|error, incoming| {
        let has_cursor = error["code"] == code::INVALID_PARAMS && incoming.params.get("cursor").is_some();
        path::remove(&mut incoming.params, &["cursor"]);
        has_cursor
    }),
};

pub const PAGES_REPEAT: Fault = Fault {
    name: "pages-repeat",
    about: "every page of tools says that there is another one, and is the first again",
    effect: Effect::Set(&["tools/list"], &["nextCursor"], || json!("again")),
};

pub const TOOLS_UNSORTED: Fault = Fault {
    name: "tools-unsorted",
    about: "tools are listed in another order each time",
    effect: Effect::Message(|out, m| {
        result_of(out, "tools/list", m, |r| {
            if let Some(tools) = r["tools"].as_array_mut() {
                let turn = out.memory.turn() % tools.len().max(1);
                tools.rotate_left(turn);
            }
        })
    }),
};
