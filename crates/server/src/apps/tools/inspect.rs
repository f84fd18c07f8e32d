//! `inspect_host`: what the client says about itself, and an app that asks the host for the rest.

use serde_json::{Value, json};

use super::{no_arguments, read_only, text_and_structure};
use crate::apps::app;
use crate::apps::link::Link;
use crate::apps::locale::Locale;
use crate::apps::{are_shown, openai};
use crate::call::Call;
use crate::catalogue::{Run, Tool};

pub(super) const INSPECT_HOST: Tool = Tool::new(
    "inspect_host",
    || {
        json!({
            "title": "Inspect the host",
            "description": "Repeats what the client has said about itself, and opens an app that inspects its host",
            "inputSchema": no_arguments(),
            "outputSchema": {
                "type": "object",
                "properties": {
                    "protocolVersion": { "type": "string" },
                    "showsApps": { "type": "boolean" },
                    "wantsOpenAiMetadata": { "type": "boolean" },
                    "locale": { "type": "string", "description": "The language that it gets" },
                    "userAgent": { "type": "string", "description": "A hint, as it came" },
                    "userLocation": { "type": "string", "description": "A hint, in words" },
                },
                "required": ["protocolVersion", "showsApps", "wantsOpenAiMetadata", "locale"],
            },
            "annotations": read_only(),
        })
    },
    Run::Now(inspect),
)
.with_ui(Link::to(&app::INSPECTOR, "Opening the inspector", "Opened the inspector"));

fn inspect(call: &Call, _: &Value) -> Value {
    let (shows, openai) = (are_shown(call), openai::is_wanted(&call.client));
    let (version, locale) = (call.version().as_str(), Locale::for_caller(call).tag());
    let apps = if shows { "shows MCP Apps" } else { "does not show MCP Apps" };
    let mut said = format!("The client speaks {version}, {apps}, and is answered in `{locale}`.");
    let mut structured = json!({
        "protocolVersion": version, "showsApps": shows, "wantsOpenAiMetadata": openai, "locale": locale,
    });
    let hints = &call.client.hints;
    for (member, label, hint) in
        [("userAgent", "User agent", &hints.user_agent), ("userLocation", "Location", &hints.place)]
    {
        if let Some(hint) = hint {
            said += &format!("\n{label}, by its own word: {hint}");
            structured[member] = hint.as_str().into();
        }
    }
    text_and_structure(said, structured)
}
