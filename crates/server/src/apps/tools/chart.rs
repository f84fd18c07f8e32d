//! `draw_chart`: a chart from the model's own data.

use serde_json::{Value, json};

use super::in_language_of;
use crate::apps::app;
use crate::apps::link::Link;
use crate::apps::locale::{Locale, counted};
use crate::catalogue::tool::{Run, Tool, text};

pub(super) const DRAW_CHART: Tool = Tool::new(
    "draw_chart",
    || {
        json!({
            "title": "Draw a chart",
            "description": "Draws the data that it is given as a chart, and sums it up in a sentence",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "title": { "type": "string", "description": "What the chart shows" },
                    "kind": { "enum": ["bar", "line"], "description": "Bars, or points on a line" },
                    "series": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 500,
                        "items": {
                            "type": "object",
                            "properties": { "label": { "type": "string" }, "value": { "type": "number" } },
                            "required": ["label", "value"],
                        },
                    },
                },
                "required": ["title", "kind", "series"],
                "additionalProperties": false,
            },
            "annotations": { "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false },
        })
    },
    Run::Now(|call, arguments| in_language_of(call, |locale| text(caption(locale, arguments)))),
)
.with_ui(Link::to(&app::CHART, "Drawing the chart", "Drew the chart"));

/// The chart as a sentence, for clients without apps.
fn caption(locale: Locale, arguments: &Value) -> String {
    let title = arguments["title"].as_str().unwrap_or_default();
    let series = arguments["series"].as_array().map_or(&[][..], Vec::as_slice);
    let points: Vec<_> = series
        .iter()
        .filter_map(|point| Some((point["label"].as_str()?, point["value"].as_f64()?)))
        .collect();
    let highest = points.iter().max_by(|one, two| one.1.total_cmp(&two.1));
    let lowest = points.iter().min_by(|one, two| one.1.total_cmp(&two.1));
    let (Some((high, most)), Some((low, least))) = (highest, lowest) else { return title.to_owned() };
    let (most, least) = (locale.plain(*most), locale.plain(*least));
    let count = |one, more| counted(points.len(), one, more);
    match locale {
        Locale::En => {
            format!("{title}: {}, highest {high} ({most}), lowest {low} ({least}).", count("point", "points"))
        }
        Locale::De => {
            let count = count("Punkt", "Punkte");
            format!("{title}: {count}, am höchsten {high} ({most}), am tiefsten {low} ({least}).")
        }
        Locale::Fr => {
            let count = count("point", "points");
            format!("{title} : {count}, le plus haut {high} ({most}), le plus bas {low} ({least}).")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_is_told_in_a_sentence() {
        let arguments = json!({ "title": "Rain", "kind": "bar", "series": [
            { "label": "Mon", "value": 3 }, { "label": "Tue", "value": 12.5 }, { "label": "Wed", "value": -1 },
        ] });
        assert_eq!(caption(Locale::En, &arguments), "Rain: 3 points, highest Tue (12.5), lowest Wed (-1).");
        assert_eq!(
            caption(Locale::Fr, &arguments),
            "Rain : 3 points, le plus haut Tue (12,5), le plus bas Wed (-1)."
        );
    }
}
