//! Arguments that a schema refuses, each for one reason.

use protocol::Version;
use serde_json::{Map, Value, json};

use super::choice::Choices;
use super::flatten::types;
use super::members::schema_of;
use super::number::exact;
use super::{Attempt, MAX_DEPTH, find_valid};
use crate::schema::{Budget, Judge, Judged, References, weight};

/// How deep mistakes are made.
const MAX_MISTAKE_DEPTH: usize = 3;

/// Arguments that are wrong in one way.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Wrong {
    /// The arguments.
    pub(crate) arguments: Value,
    /// What is wrong with them, as a half-sentence.
    pub(crate) what: String,
    /// In which way.
    pub(crate) kind: Kind,
}

/// In which way arguments are wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    /// A required member is not there.
    Missing,
    /// A value is of another type.
    Type,
    /// A value is not one of the choices.
    Choice,
    /// A number is out of its bounds.
    Bound,
    /// A text is too short or too long.
    Length,
    /// A text does not match its pattern.
    Pattern,
    /// An array has too few, too many or equal items.
    Items,
    /// There is a member that is not allowed.
    Extra,
}

/// Wrong arguments of every kind that the schema knows, each refused by its validator.
pub(super) fn find_invalid(schema: &Value, version: Version, budget: &Budget) -> Judged<Vec<Wrong>> {
    let Some(judge) = Judge::new(schema, version, budget)? else { return Ok(Vec::new()) };
    let Some(good) = find_valid(schema, version, budget)? else { return Ok(Vec::new()) };
    let references = References::index(schema);
    let mut attempt = Attempt { references: &references, choices: Choices::from_number(0), budget };
    let mut found = Vec::new();
    attempt.break_members(schema, &good, &Place::default(), &mut found)?;
    let mut wrong: Vec<Wrong> = Vec::new();
    for (place, kind, what, value) in found {
        budget.spend(weight(&good))?;
        let mut arguments = good.clone();
        place.put(&mut arguments, value);
        if arguments.is_object() && !judge.accepts(&arguments)? {
            wrong.push(Wrong { arguments, what: what.replace("{}", &place.name()), kind });
        }
    }
    wrong.dedup_by(|a, b| a.arguments == b.arguments);
    Ok(wrong)
}

/// Where in the arguments: the names that lead there.
#[derive(Clone, Debug, Default)]
struct Place(Vec<String>);

/// A mistake: where, of which kind, in words, and the value that makes it; none takes the member away.
type Mistake = (Place, Kind, String, Option<Value>);

impl Place {
    fn member(&self, name: &str) -> Self {
        Self(self.0.iter().cloned().chain([name.to_owned()]).collect())
    }

    fn name(&self) -> String {
        format!("`{}`", self.0.join("."))
    }

    fn put(&self, arguments: &mut Value, value: Option<Value>) {
        let Some((last, path)) = self.0.split_last() else { return };
        let mut inner = arguments;
        for name in path {
            inner = &mut inner[name];
        }
        let Some(members) = inner.as_object_mut() else { return };
        match value {
            Some(value) => members.insert(last.clone(), value),
            None => members.shift_remove(last),
        };
    }
}

impl Attempt<'_> {
    /// Mistakes in the members of an object.
    fn break_members(
        &mut self,
        schema: &Value,
        good: &Value,
        at: &Place,
        found: &mut Vec<Mistake>,
    ) -> Judged<()> {
        if at.0.len() >= MAX_MISTAKE_DEPTH || !good.is_object() {
            return Ok(());
        }
        let flat = self.flatten(schema, MAX_DEPTH)?;
        for name in flat.get("required").and_then(Value::as_array).into_iter().flatten() {
            if let Some(name) = name.as_str() {
                found.push((at.member(name), Kind::Missing, "{} is missing".into(), None));
            }
        }
        for (name, _) in flat.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let schema = schema_of(&flat, name, self.budget)?;
            let place = at.member(name);
            let member = self.flatten(&schema, MAX_DEPTH)?;
            for (kind, what, value) in mistakes(&member) {
                self.budget.spend(weight(&value))?;
                found.push((place.clone(), kind, what, Some(value)));
            }
            if let Some(inner) = good.get(name) {
                self.break_members(&schema, inner, &place, found)?;
            }
        }
        let extra =
            (at.member("yardstick_extra"), Kind::Extra, "{} is not declared".into(), Some(json!("extra")));
        found.push(extra);
        Ok(())
    }
}

/// Values that break one keyword each.
fn mistakes(flat: &Map<String, Value>) -> Vec<(Kind, String, Value)> {
    let mut all = Vec::new();
    // Unlike each other, so that no lenient reader takes the one for the other.
    let others = [("object", json!({ "wrong": "type" })), ("string", json!("not that type"))];
    let declared = flat.get("type").map(types).unwrap_or_default();
    if let Some((_, other)) = others.iter().find(|(kind, _)| !declared.contains(kind)) {
        all.push((Kind::Type, "{} is of the wrong type".to_owned(), other.clone()));
    }
    choices(flat, &mut all);
    bounds(flat, &mut all);
    lengths(flat, &mut all);
    items(flat, &mut all);
    all
}

fn choices(flat: &Map<String, Value>, all: &mut Vec<(Kind, String, Value)>) {
    let fixed = flat.get("enum").and_then(|options| options.get(0)).or_else(|| flat.get("const"));
    let other = match fixed {
        Some(Value::String(_)) => json!("yardstick-no-such-choice"),
        Some(Value::Number(_)) => json!(-987_654_321),
        Some(_) | None => return,
    };
    all.push((Kind::Choice, format!("{{}} is {other}, which is none of the choices"), other));
}

fn bounds(flat: &Map<String, Value>, all: &mut Vec<(Kind, String, Value)>) {
    let bound = |word: &str| flat.get(word).and_then(Value::as_f64);
    let over = [
        bound("minimum").map(|least| least - 1.0),
        bound("exclusiveMinimum"),
        bound("maximum").map(|most| most + 1.0),
        bound("exclusiveMaximum"),
    ];
    for value in over.into_iter().flatten().map(|value| exact(value, false)) {
        all.push((Kind::Bound, format!("{{}} is {value}, out of its bounds"), value));
    }
}

fn lengths(flat: &Map<String, Value>, all: &mut Vec<(Kind, String, Value)>) {
    let length = |word: &str| flat.get(word).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    if let Some(short) = length("minLength").and_then(|least| least.checked_sub(1)).filter(|n| *n < 4096) {
        all.push((Kind::Length, "{} is too short".to_owned(), "x".repeat(short).into()));
    }
    if let Some(long) = length("maxLength").map(|most| most + 1).filter(|n| *n < 65536) {
        all.push((Kind::Length, "{} is too long".to_owned(), "x".repeat(long).into()));
    }
    if flat.contains_key("pattern") {
        let value = json!("\u{1}yardstick does not match this\u{1}");
        all.push((Kind::Pattern, "{} does not match its pattern".to_owned(), value));
    }
}

fn items(flat: &Map<String, Value>, all: &mut Vec<(Kind, String, Value)>) {
    let count = |word: &str| flat.get(word).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    if count("minItems").is_some_and(|least| least > 0) {
        all.push((Kind::Items, "{} has too few items".to_owned(), json!([])));
    }
    let item = flat.get("items").cloned().unwrap_or_default();
    let plain = item["type"].as_str().is_none_or(|kind| kind == "string");
    if let Some(most) = count("maxItems").filter(|most| *most < 256 && plain) {
        let many: Value = (0..=most).map(|n| json!(format!("item {n}"))).collect();
        all.push((Kind::Items, "{} has too many items".to_owned(), many));
    }
}
