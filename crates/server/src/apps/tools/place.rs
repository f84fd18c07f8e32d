//! `where_am_i`: a place, always the same one.

use serde_json::{Value, json};

use super::{in_language_of, no_arguments, read_only, text_and_structure};
use crate::apps::app;
use crate::apps::link::Link;
use crate::apps::locale::Locale;
use crate::call::Call;
use crate::catalogue::{Run, Tool};

const LATITUDE: f64 = 51.4779;
const LONGITUDE: f64 = -0.0015;

pub(super) const WHERE_AM_I: Tool = Tool::new(
    "where_am_i",
    || {
        json!({
            "title": "Where am I?",
            "description": "Shows an example place on a globe; the server does not know where the user is",
            "inputSchema": no_arguments(),
            "outputSchema": {
                "type": "object",
                "properties": {
                    "latitude": { "type": "number", "minimum": -90, "maximum": 90 },
                    "longitude": { "type": "number", "minimum": -180, "maximum": 180 },
                    "label": { "type": "string" },
                },
                "required": ["latitude", "longitude"],
            },
            "annotations": read_only(),
        })
    },
    Run::Now(place),
)
.with_ui(Link::to(&app::MAP, "Turning the globe", "Turned the globe"));

fn place(call: &Call, _: &Value) -> Value {
    in_language_of(call, |locale| {
        let structured = json!({ "latitude": LATITUDE, "longitude": LONGITUDE, "label": label(locale) });
        text_and_structure(in_words(locale, call.client.hints.place.as_deref()), structured)
    })
}

const fn label(locale: Locale) -> &'static str {
    match locale {
        Locale::En => "An example: the Royal Observatory in Greenwich",
        Locale::De => "Ein Beispiel: die Königliche Sternwarte in Greenwich",
        Locale::Fr => "Un exemple : l'observatoire royal de Greenwich",
    }
}

fn in_words(locale: Locale, hint: Option<&str>) -> String {
    let (label, north, west) = (label(locale), locale.number(LATITUDE, 4), locale.number(-LONGITUDE, 4));
    let said = match locale {
        Locale::En => format!("{label}, {north}° N, {west}° W. The server does not know where you are."),
        Locale::De => format!("{label}, {north}° N, {west}° W. Wo Sie sind, weiß der Server nicht."),
        Locale::Fr => format!("{label}, {north}° N, {west}° O. Le serveur ne sait pas où vous êtes."),
    };
    match (hint, locale) {
        (None, _) => said,
        (Some(hint), Locale::En) => format!("{said} Your client says: {hint}."),
        (Some(hint), Locale::De) => format!("{said} Ihr Client sagt: {hint}."),
        (Some(hint), Locale::Fr) => format!("{said} Votre client dit : {hint}."),
    }
}
