//! Makes arguments for unknown tools from their schemas.
//!
//! Each is a guess until a validator agrees: valid arguments are those that it accepts, wrong ones those that it
//! refuses. Guesses are cheap, so keywords that cannot be met head-on (`not`, `oneOf`, `contains` …) are met by
//! guessing again, always in the same order.

mod array;
mod choice;
mod flatten;
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

use crate::schema::{self, Budget, Judge, Judged, References};
use choice::Choices;
pub(crate) use wrong::{Kind, Wrong};

/// How deep a schema is followed.
const MAX_DEPTH: usize = 8;
/// How often is guessed.
const MAX_ATTEMPTS: u64 = 128;
/// The heaviest arguments that are sent.
const MAX_WEIGHT: usize = 8 * 1024;

/// One guess at an instance of a schema.
#[derive(Debug)]
struct Attempt<'s> {
    references: &'s References<'s>,
    choices: Choices,
    budget: &'s Budget,
}

/// Arguments that the schema accepts, with as little in them as it lets us; `None` when none were found.
pub(crate) async fn valid(schema: &Value, version: Version) -> Judged<Option<Value>> {
    schema::evaluate(schema, move |schema, budget| find_valid(schema, version, budget)).await
}

/// The same for small schemas alone, where nobody can wait.
pub(crate) fn valid_now(schema: &Value, version: Version) -> Judged<Option<Value>> {
    schema::evaluate_now(schema, |schema, budget| find_valid(schema, version, budget))
}

/// Wrong arguments of every kind that the schema knows, each refused by its validator.
pub(crate) async fn invalid(schema: &Value, version: Version) -> Judged<Vec<Wrong>> {
    schema::evaluate(schema, move |schema, budget| wrong::find_invalid(schema, version, budget)).await
}

fn find_valid(schema: &Value, version: Version, budget: &Budget) -> Judged<Option<Value>> {
    let Some(judge) = Judge::new(schema, version, budget)? else { return Ok(None) };
    let references = References::index(schema);
    for n in 0..MAX_ATTEMPTS {
        let arguments = guess(schema, &references, n, budget)?;
        if arguments.is_object() && schema::weight(&arguments) <= MAX_WEIGHT && judge.accepts(&arguments)? {
            return Ok(Some(arguments));
        }
    }
    Ok(None)
}

/// The `n`th guess; the first one takes what comes first everywhere.
fn guess(schema: &Value, references: &References<'_>, n: u64, budget: &Budget) -> Judged<Value> {
    let mut attempt = Attempt { references, choices: Choices::from_number(n), budget };
    let flat = attempt.flatten(schema, MAX_DEPTH)?;
    Ok(attempt.members(&flat, MAX_DEPTH)?.into())
}
