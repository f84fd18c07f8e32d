//! `poem_card`: a short poem about measuring.

use serde_json::{Value, json};

use super::{in_language_of, no_arguments, read_only, text_and_structure};
use crate::apps::app;
use crate::apps::link::Link;
use crate::apps::locale::Locale;
use crate::call::Call;
use crate::catalogue::{Run, Tool};

pub(super) const POEM_CARD: Tool = Tool::new(
    "poem_card",
    || {
        json!({
            "title": "A poem",
            "description": "A short poem about measuring, in the language of the reader",
            "inputSchema": no_arguments(),
            "outputSchema": {
                "type": "object",
                "properties": {
                    "title": { "type": "string" },
                    "lines": {
                        "type": "array",
                        "items": { "type": "string" },
                        "description": "An empty line parts two stanzas",
                    },
                },
                "required": ["title", "lines"],
            },
            "annotations": read_only(),
        })
    },
    Run::Now(card),
)
.with_ui(Link::to(&app::POEM, "Finding the poem", "Found the poem"));

const ENGLISH: (&str, &str) = (
    "The Yardstick",
    "A stick of ash, a row of lines,
it cannot flatter, cannot guess;
it lies along the bolt and finds
not what was promised: more, or less.

The cloth may shimmer, lean and drape,
the merchant smile, the buyer frown;
the stick, which has no love for shape,
just says a number, and lies down.",
);

const GERMAN: (&str, &str) = (
    "Die Elle",
    "Ein Eschenstab mit schwarzen Strichen,
der niemals schmeichelt, niemals rät;
er hat noch jedes Tuch verglichen
mit dem, was auf dem Zettel steht.

Der Händler lobt, der Käufer klagt,
der Stoff fällt weich, der Abend sinkt;
die Elle, die nur Zahlen sagt,
liegt still, bis man sie wiederbringt.",
);

const FRENCH: (&str, &str) = (
    "L'aune",
    "Un bâton gris, des traits gravés,
qui ne sait ni mentir ni plaire ;
il dit des draps bien déroulés
la longueur vraie, et sait se taire.

Le drapier vante son velours,
l'acheteur doute et se ravise ;
l'aune répète, tous les jours,
le même chiffre, sans surprise.",
);

fn card(call: &Call, _: &Value) -> Value {
    in_language_of(call, |locale| {
        let (title, text) = match locale {
            Locale::En => ENGLISH,
            Locale::De => GERMAN,
            Locale::Fr => FRENCH,
        };
        let lines: Vec<_> = text.lines().collect();
        text_and_structure(format!("{title}\n\n{text}"), json!({ "title": title, "lines": lines }))
    })
}
