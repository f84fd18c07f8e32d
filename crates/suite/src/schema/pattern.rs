//! How large a regular expression becomes once its repetitions are written out.

use jsonschema::{PatternOptions, ValidationOptions};
use regex_syntax::hir::{Class, Hir, HirKind};

use super::{Judged, TooComplex};

/// The longest source that is parsed.
const SOURCE: usize = 4096;
/// The largest expression that is compiled, in characters that it compares with.
const LARGEST: usize = 8192;
/// How often a match may go back, where the expression makes it.
const BACKTRACKS: usize = 20_000;

/// The size of `source`. One that is not understood here, as those that look around are not, counts by its length.
pub(super) fn size(source: &str) -> Judged<usize> {
    if source.len() > SOURCE {
        return Err(TooComplex::Pattern);
    }
    let size = match regex_syntax::parse(source) {
        Ok(parsed) => count(&parsed),
        Err(_) => written_out(source),
    };
    if size > LARGEST { Err(TooComplex::Pattern) } else { Ok(size) }
}

/// The options of every validator: expressions that go back and forth are given up early.
pub(super) fn bounded(options: ValidationOptions<'_>) -> ValidationOptions<'_> {
    let engine = PatternOptions::fancy_regex().backtrack_limit(BACKTRACKS);
    options.with_pattern_options(engine)
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
fn written_out(source: &str) -> usize {
    let counts = source.split('{').skip(1).filter_map(|rest| {
        let within = rest.split('}').next()?;
        within.split(',').filter_map(|number| number.trim().parse::<usize>().ok()).max()
    });
    counts.fold(source.len(), |size, times| size.saturating_mul(times.max(1)))
}
