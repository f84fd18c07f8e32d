//! Texts by format, pattern and length.

use serde_json::{Map, Value};

use super::{Attempt, pattern};
use crate::schema::Judged;

/// No text is made longer than this.
const MAX_CHARS: usize = 4096;

impl Attempt<'_> {
    pub(super) fn text(&mut self, flat: &Map<String, Value>, salt: usize) -> Judged<Value> {
        let length =
            |word: &str| flat.get(word).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        let least = length("minLength").unwrap_or(0).min(MAX_CHARS);
        let most = length("maxLength").unwrap_or(MAX_CHARS).max(least);
        if let Some(source) = flat.get("pattern").and_then(Value::as_str)
            && let Some(text) = pattern::matching(source, least, &mut self.choices, self.budget)?
        {
            return Ok(text.into());
        }
        let format = flat.get("format").and_then(Value::as_str);
        if let Some(text) = format.and_then(|format| formatted(format, salt)) {
            return Ok(text.into());
        }
        self.budget.spend(least / 16)?;
        let mut text = if salt == 0 { "yardstick".to_owned() } else { format!("{salt} yardstick") };
        let short = least.saturating_sub(text.chars().count());
        text.extend(std::iter::repeat_n('x', short));
        Ok(text.chars().take(most).collect::<String>().into())
    }
}

/// A text of that format; `None` for a format that is not known.
fn formatted(format: &str, salt: usize) -> Option<String> {
    let n = salt % 9;
    Some(match format {
        "date-time" => format!("2026-01-0{}T00:00:00Z", n + 1),
        "date" => format!("2026-01-0{}", n + 1),
        "time" => format!("00:00:0{n}Z"),
        "duration" => format!("PT{}S", n + 1),
        "email" | "idn-email" => format!("someone{n}@example.com"),
        "hostname" | "idn-hostname" => format!("host{n}.example.com"),
        "ipv4" => format!("192.0.2.{}", n + 1),
        "ipv6" => format!("2001:db8::{}", n + 1),
        "uri" | "url" | "iri" | "uri-reference" | "iri-reference" => format!("https://example.com/{n}"),
        "uri-template" => format!("https://example.com/{{id}}/{n}"),
        "uuid" => format!("00000000-0000-4000-8000-00000000000{n}"),
        "json-pointer" => format!("/yardstick/{n}"),
        "relative-json-pointer" => format!("{n}/yardstick"),
        "regex" => format!("^yardstick{n}$"),
        _ => return None,
    })
}
