//! The server's own resource templates.

use serde_json::{Value, json};

use super::resource::text;
use super::template::{Read, Suggestions, Template};
use super::uri::Values;
use crate::call::{Ask, Call, Stop};

pub(super) const OWN: &[Template] = &[GREETING, ELEMENT, ROUTE, SEALED];

const GREETING: Template = Template {
    uri: "yardstick://greeting/{name}",
    definition: || {
        json!({
            "name": "greeting",
            "title": "A greeting",
            "description": "Greets whom you name",
            "mimeType": "text/plain",
        })
    },
    suggestions: &[("name", Suggestions::Fixed(&["Ada", "Alan", "Barbara", "Edsger", "Grace"]))],
    listed: &[],
    read: Read::Now(|uri, values| Some(text(uri, "text/plain", &format!("Hello, {}!", values["name"])))),
};

/// Enough resources for more than one page.
const ELEMENTS: &[(&str, &str)] = &[
    ("hydrogen", "Element 1, H"),
    ("helium", "Element 2, He"),
    ("lithium", "Element 3, Li"),
    ("beryllium", "Element 4, Be"),
    ("boron", "Element 5, B"),
    ("carbon", "Element 6, C"),
    ("nitrogen", "Element 7, N"),
    ("oxygen", "Element 8, O"),
    ("fluorine", "Element 9, F"),
    ("neon", "Element 10, Ne"),
    ("sodium", "Element 11, Na"),
    ("magnesium", "Element 12, Mg"),
    ("aluminium", "Element 13, Al"),
    ("silicon", "Element 14, Si"),
    ("phosphorus", "Element 15, P"),
    ("sulfur", "Element 16, S"),
    ("chlorine", "Element 17, Cl"),
    ("argon", "Element 18, Ar"),
];

const NAMES: &[&str] = &[
    "aluminium",
    "argon",
    "beryllium",
    "boron",
    "carbon",
    "chlorine",
    "fluorine",
    "helium",
    "hydrogen",
    "lithium",
    "magnesium",
    "neon",
    "nitrogen",
    "oxygen",
    "phosphorus",
    "silicon",
    "sodium",
    "sulfur",
];

/// A template whose members are all listed.
const ELEMENT: Template = Template {
    uri: "yardstick://elements/{name}",
    definition: || {
        json!({
            "name": "element",
            "title": "A chemical element",
            "description": "Number and symbol of one of the light elements",
            "mimeType": "text/plain",
        })
    },
    suggestions: &[("name", Suggestions::Fixed(NAMES))],
    listed: ELEMENTS,
    read: Read::Now(|uri, values| {
        let (_, about) = ELEMENTS.iter().find(|(name, _)| *name == values["name"])?;
        Some(text(uri, "text/plain", about))
    }),
};

const CITIES: &[&str] = &["Amsterdam", "Berlin", "Copenhagen"];

/// A template with two variables. The suggestions for the second depend on the first.
const ROUTE: Template = Template {
    uri: "yardstick://routes/{from}/{to}",
    definition: || {
        json!({
            "name": "route",
            "title": "A journey",
            "description": "From one city to another",
            "mimeType": "application/json",
        })
    },
    suggestions: &[
        ("from", Suggestions::Fixed(CITIES)),
        (
            "to",
            Suggestions::By(|others| match others.get("from").and_then(Value::as_str) {
                Some("Amsterdam") => &["Berlin", "Copenhagen"],
                Some("Berlin") => &["Amsterdam", "Copenhagen"],
                Some("Copenhagen") => &["Amsterdam", "Berlin"],
                Some(_) | None => CITIES,
            }),
        ),
    ],
    listed: &[],
    read: Read::Now(|uri, values| {
        let route = json!({ "from": values["from"], "to": values["to"] });
        Some(text(uri, "application/json", &route.to_string()))
    }),
};

/// A resource that can be read only after the user has answered a question.
const SEALED: Template = Template {
    uri: "yardstick://letters/{to}",
    definition: || {
        json!({
            "name": "letter",
            "title": "A sealed letter",
            "description": "Asks the user whom it is from before it is opened; needs a client with elicitation",
            "mimeType": "text/plain",
        })
    },
    suggestions: &[],
    listed: &[],
    read: Read::Later(|call, uri, values| Box::pin(letter(call, uri, values))),
};

async fn letter(call: Call, uri: String, values: Values) -> Result<Value, Stop> {
    let form = json!({
        "mode": "form",
        "message": "Whom is the letter from?",
        "requestedSchema": {
            "type": "object",
            "properties": { "from": { "type": "string", "title": "Sender", "minLength": 1 } },
            "required": ["from"],
        },
    });
    let answer = call.ask(Ask::elicitation("sender", form)).await?;
    let letter = match answer["content"]["from"].as_str() {
        Some(from) => format!("Dear {}, all is well. {from}", values["to"]),
        None => format!("The letter to {} stays sealed.", values["to"]),
    };
    Ok(json!({ "contents": [text(&uri, "text/plain", &letter)] }))
}
