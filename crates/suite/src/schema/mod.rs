//! Schemas that a target sends. They are evaluated here and nowhere else, because a few kilobytes of them can take for
//! ever.
//!
//! Three bounds, each for what the one before it cannot know: the [`size`] of a schema, before anything looks into it; the
//! steps of each evaluation, counted by a walk that does the same without judging ([`cost`]); and the clock, for what both
//! misjudge ([`aside`]). Small work is done at once. What is larger gets a thread of its own, which holds up neither the
//! run nor its end.

mod budget;
mod cost;
mod dangling;
mod dialect;
mod ecma;
mod evaluate;
mod judge;
mod pattern;
mod references;
mod size;
mod unjudged;
mod walk;

#[cfg(test)]
mod tests;

use protocol::Version;
use serde_json::Value;

pub(crate) use budget::{Budget, Judged, TooComplex};
pub(crate) use evaluate::{evaluate, evaluate_now};
pub(crate) use judge::{Judge, matches_pattern};
pub(crate) use references::References;
pub(crate) use size::weight;
pub(crate) use unjudged::Unjudged;

/// How much of what a validator says is told: it repeats the instance.
const MAX_SHOWN_CHARS: usize = 400;

/// What is wrong with `schema` by the meta-schema of its dialect, and where; or what it refers to and does not have.
pub(crate) async fn flaw(schema: &Value, version: Version) -> Judged<Option<String>> {
    evaluate(schema, move |schema, budget| dialect::flaw(schema, version, budget)).await
}

/// The first regular expression in `schema` that is certainly none, and why.
pub(crate) async fn broken_pattern(schema: &Value) -> Judged<Option<(String, &'static str)>> {
    evaluate(schema, pattern::find_broken_pattern).await
}

/// What is wrong with `instance` by `schema`, and where. Nothing if `schema` is not a schema.
pub(crate) async fn complaint(schema: &Value, version: Version, instance: &Value) -> Judged<Option<String>> {
    let instance = instance.clone();
    let work = move |schema: &Value, budget: &Budget| match Judge::new(schema, version, budget)? {
        Some(judge) => judge.complaint(&instance),
        None => Ok(None),
    };
    evaluate(schema, work).await
}

/// Whether anything can be judged by `schema`.
pub(crate) async fn is_usable(schema: &Value, version: Version) -> Judged<bool> {
    evaluate(schema, move |schema, budget| Ok(Judge::new(schema, version, budget)?.is_some())).await
}

/// Whether `schema` accepts `instance`, for small schemas alone, where nobody can wait. `None` if it is not a schema.
pub(crate) fn accepts_now(schema: &Value, version: Version, instance: &Value) -> Judged<Option<bool>> {
    evaluate_now(schema, |schema, budget| match Judge::new(schema, version, budget)? {
        Some(judge) => judge.accepts(instance).map(Some),
        None => Ok(None),
    })
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
