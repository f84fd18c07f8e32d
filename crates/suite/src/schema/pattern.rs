//! The regular expressions of a schema: how large one becomes once its repetitions are written out, and whether it is one.

use jsonschema::{PatternOptions, ValidationOptions};
use regex_syntax::hir::{Class, Hir, HirKind};

use serde_json::{Map, Value};

use super::walk::find_in_schemas;
use super::{Budget, Judged, TooComplex, ecma};

/// The longest source that is parsed.
const MAX_SOURCE_BYTES: usize = 4096;
/// The largest expression that is compiled, in characters that it compares with.
const MAX_PATTERN_SIZE: usize = 8192;
/// How often a match may go back, where the expression makes it.
const MAX_BACKTRACKS: usize = 20_000;

/// The size of `source`. One that is not understood here, as those that look around are not, counts by its length.
pub(super) fn size(source: &str) -> Judged<usize> {
    if source.len() > MAX_SOURCE_BYTES {
        return Err(TooComplex::Pattern);
    }
    let size = match regex_syntax::parse(source) {
        Ok(parsed) => count(&parsed),
        Err(_) => written_out_size(source),
    };
    if size > MAX_PATTERN_SIZE { Err(TooComplex::Pattern) } else { Ok(size) }
}

/// The options of every validator: expressions that go back and forth are given up early.
pub(super) fn with_bounds(options: ValidationOptions<'_>) -> ValidationOptions<'_> {
    let engine = PatternOptions::fancy_regex().backtrack_limit(MAX_BACKTRACKS);
    options.with_pattern_options(engine)
}

/// The first expression in `schema` that is certainly none, and why.
pub(super) fn find_broken_pattern(schema: &Value, budget: &Budget) -> Judged<Option<(String, &'static str)>> {
    let flaw = |source: &str| match budget.spend(source.len()) {
        Ok(()) => ecma::flaw(source).map(|why| Ok((source.to_owned(), why))),
        Err(why) => Some(Err(why)),
    };
    let look = |members: &Map<String, Value>| {
        let pattern = members.get("pattern").and_then(Value::as_str);
        let names = members.get("patternProperties").and_then(Value::as_object);
        let names = names.into_iter().flat_map(|named| named.keys().map(String::as_str));
        pattern.into_iter().chain(names).find_map(flaw)
    };
    find_in_schemas(schema, &look).transpose()
}

fn count(part: &Hir) -> usize {
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        // Classes of many ranges, such as \w, share what they are compiled to.
        HirKind::Class(Class::Unicode(class)) => 1 + class.ranges().len() / 64,
        HirKind::Class(Class::Bytes(_)) => 1,
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1);
            count(&repetition.sub).saturating_mul(usize::try_from(times).unwrap_or(usize::MAX))
        }
        HirKind::Capture(capture) => 1 + count(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().fold(1, |sum, part| sum.saturating_add(count(part)))
        }
    }
}

/// The length times all repetition counts, as if each were within the next.
fn written_out_size(source: &str) -> usize {
    let counts = source.split('{').skip(1).filter_map(|rest| {
        let within = rest.split('}').next()?;
        within.split(',').filter_map(|number| number.trim().parse::<usize>().ok()).max()
    });
    counts.fold(source.len(), |size, times| size.saturating_mul(times.max(1)))
}
