//! Arguments for tools that nobody told us about, made from their schemas.
//!
//! What is made is a guess until a validator has agreed: valid arguments are those that it accepts, wrong ones those
//! that it refuses. Guesses are cheap, so keywords that cannot be met head-on (`not`, `oneOf`, `contains` …) are met by
//! guessing again, always in the same order.

mod choice;
mod dangling;
mod dialect;
mod flat;
mod many;
mod members;
mod number;
mod pattern;
mod text;
mod value;
mod wrong;

#[cfg(test)]
mod tests;

use protocol::Version;
use serde_json::Value;

use choice::Choices;
pub(crate) use dialect::{flaw, validator};
pub(crate) use wrong::{Kind, Wrong, invalid};

/// How deep a schema is followed.
const DEPTH: usize = 8;
/// How often is guessed.
const ATTEMPTS: u64 = 128;

/// One guess at an instance of a schema.
#[derive(Debug)]
struct Attempt<'s> {
    root: &'s Value,
    choices: Choices,
}

/// Arguments that the schema accepts, with as little in them as it lets us; `None` when none were found.
pub(crate) fn valid(schema: &Value, version: Version) -> Option<Value> {
    let validator = validator(schema, version)?;
    (0..ATTEMPTS)
        .map(|n| guess(schema, n))
        .find(|arguments| arguments.is_object() && validator.is_valid(arguments))
}

/// The `n`th guess; the first one takes what comes first everywhere.
fn guess(schema: &Value, n: u64) -> Value {
    let mut attempt = Attempt { root: schema, choices: Choices::of(n) };
    let flat = attempt.flat(schema, DEPTH);
    attempt.members(&flat, DEPTH).into()
}
