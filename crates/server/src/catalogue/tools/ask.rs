//! Tools that ask: the user with a form, the client for its roots or with a ping.

use protocol::{Span, Version};
use serde_json::{Value, json};

use super::define_asking_tool;
use crate::call::{Ask, Call, Stop};
use crate::catalogue::tool::{Run, Tool, text};

pub(super) const TOOLS: &[Tool] = &[FORM, CHOICES, ROOTS, PING];

const SINCE_ELICITATION: Span = Span::since(Version::V2025_06_18);

const FORM: Tool = Tool::new(
    "ask-form",
    || {
        define_asking_tool(
            "Ask by a form",
            "Asks the user by a form with every kind of field, format and default",
        )
    },
    Run::Later(|call, _| Box::pin(ask(call, "profile", "Please tell us about yourself.", form()))),
)
.in_span(SINCE_ELICITATION);

/// Multiple choice came in a later revision.
const CHOICES: Tool = Tool::new(
    "ask-choices",
    || {
        define_asking_tool(
            "Ask for choices",
            "Asks the user to choose: one or several, with titles and without",
        )
    },
    Run::Later(|call, _| Box::pin(ask(call, "choices", "Please choose.", choices()))),
)
.in_span(Span::since(Version::V2025_11_25));

const ROOTS: Tool = Tool::new(
    "list-roots",
    || define_asking_tool("List roots", "Asks the client for its roots; needs a client with roots"),
    Run::Later(|call, _| Box::pin(roots(call))),
);

const PING: Tool = Tool::new(
    "ping-client",
    || define_asking_tool("Ping the client", "Pings the client and waits for its answer"),
    Run::Later(|call, _| {
        Box::pin(async move {
            call.ping().await?;
            Ok(text("the client is there"))
        })
    }),
)
.in_span(Span::LEGACY);

async fn ask(call: Call, key: &'static str, message: &str, schema: Value) -> Result<Value, Stop> {
    let form = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    let answer = call.ask(Ask::elicitation(key, form)).await?;
    Ok(text(describe_answer(&answer)))
}

/// The user's answer in words.
pub(super) fn describe_answer(answer: &Value) -> String {
    match answer["action"].as_str() {
        Some("accept") => format!("the user said {}", answer["content"]),
        Some(action) => format!("the user chose to {action}"),
        None => "the client did not say what the user did".to_owned(),
    }
}

async fn roots(call: Call) -> Result<Value, Stop> {
    let answer = call.ask(Ask::roots("roots")).await?;
    let uris: Vec<_> =
        answer["roots"].as_array().into_iter().flatten().filter_map(|root| root["uri"].as_str()).collect();
    Ok(text(format!("{} roots: {}", uris.len(), uris.join(" "))))
}

fn form() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "title": "Name", "minLength": 1, "maxLength": 80, "default": "Ada" },
            "email": { "type": "string", "title": "E-mail", "format": "email" },
            "homepage": { "type": "string", "title": "Homepage", "format": "uri" },
            "born": { "type": "string", "title": "Date of birth", "format": "date" },
            "awake": { "type": "string", "title": "Awake since", "format": "date-time" },
            "age": { "type": "integer", "title": "Age", "minimum": 0, "maximum": 150, "default": 36 },
            "height": { "type": "number", "title": "Height in yards", "minimum": 0.1, "default": 1.9 },
            "subscribed": { "type": "boolean", "title": "Newsletter", "default": false },
            "colour": { "type": "string", "title": "Colour", "enum": ["red", "green", "blue"], "default": "green" },
        },
        "required": ["name"],
    })
}

fn choices() -> Value {
    let titled = json!([
        { "const": "s", "title": "Small" }, { "const": "m", "title": "Medium" }, { "const": "l", "title": "Large" },
    ]);
    json!({
        "type": "object",
        "properties": {
            "one": { "type": "string", "title": "One", "enum": ["s", "m", "l"], "default": "m" },
            "oneTitled": { "type": "string", "title": "One, with titles", "oneOf": titled, "default": "m" },
            "oneNamed": {
                "type": "string", "title": "One, in the old way",
                "enum": ["s", "m", "l"], "enumNames": ["Small", "Medium", "Large"], "default": "m",
            },
            "several": {
                "type": "array", "title": "Several", "minItems": 1, "maxItems": 3,
                "items": { "type": "string", "enum": ["s", "m", "l"] }, "default": ["s", "l"],
            },
            "severalTitled": {
                "type": "array", "title": "Several, with titles", "items": { "anyOf": titled }, "default": ["m"],
            },
        },
    })
}
