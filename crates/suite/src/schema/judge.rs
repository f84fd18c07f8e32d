//! What judges instances of a schema, each evaluation within the budget of the schema.

use jsonschema::Validator;
use protocol::Version;
use serde_json::{Value, json};

use super::cost::Cost;
use super::{Budget, Judged, dialect, pattern, shorten};

/// Judges instances of one schema.
pub(crate) struct Judge<'s> {
    validator: Validator,
    cost: Cost<'s>,
}

impl<'s> Judge<'s> {
    /// `None` if this is not a schema, or refers to something outside it.
    pub(crate) fn new(schema: &'s Value, version: Version, budget: &'s Budget) -> Judged<Option<Self>> {
        let cost = Cost::new(schema, budget);
        cost.compile()?;
        Ok(dialect::validator(schema, version).map(|validator| Self { validator, cost }))
    }

    /// Whether `instance` is one of the schema.
    pub(crate) fn accepts(&self, instance: &Value) -> Judged<bool> {
        self.cost.evaluate(instance)?;
        Ok(self.validator.is_valid(instance))
    }

    /// What is wrong with `instance`, and where.
    pub(crate) fn complaint(&self, instance: &Value) -> Judged<Option<String>> {
        self.cost.evaluate(instance)?;
        Ok(self.validator.validate(instance).err().map(|error| {
            let place = error.instance_path().to_string();
            format!("{} {}", shorten(&place), shorten(&error.to_string()))
        }))
    }
}

/// Whether `text` matches the regular expression `source`.
pub(crate) fn matches_pattern(source: &str, text: &str, budget: &Budget) -> Judged<bool> {
    budget.spend(pattern::size(source)? + text.len())?;
    let schema = json!({ "pattern": source });
    let validator = pattern::with_bounds(jsonschema::options()).build(&schema);
    Ok(validator.is_ok_and(|validator| validator.is_valid(&json!(text))))
}
