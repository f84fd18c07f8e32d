//! A text that a regular expression matches.

use regex_syntax::hir::{Class, Hir, HirKind};

use super::choice::Choices;
use crate::schema::{Budget, Judged};

/// No repetition is followed further than this.
const MAX_REPETITIONS: u32 = 256;

/// A text that `source` matches, with at least `least` characters if it lets us; `None` for an expression that is not
/// understood, as those that look around are not.
pub(super) fn matching(
    source: &str,
    least: usize,
    choices: &mut Choices,
    budget: &Budget,
) -> Judged<Option<String>> {
    budget.spend(source.len())?;
    let Ok(parsed) = regex_syntax::parse(source) else { return Ok(None) };
    let mut text = String::new();
    let least = u32::try_from(least).unwrap_or(MAX_REPETITIONS).min(MAX_REPETITIONS);
    write(&parsed, least, choices, &mut text, budget)?;
    Ok(Some(text))
}

fn write(part: &Hir, least: u32, choices: &mut Choices, text: &mut String, budget: &Budget) -> Judged<()> {
    budget.spend(1)?;
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(class) => text.extend(one_of(class, choices)),
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX);
            let wanted = repetition.min.max(least).min(most).min(MAX_REPETITIONS.max(repetition.min));
            let more = if wanted < most && choices.pick_optional() { 1 } else { 0 };
            for _ in 0..wanted + more {
                write(&repetition.sub, 0, choices, text, budget)?;
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, least, choices, text, budget)?,
        HirKind::Concat(parts) => {
            parts.iter().try_for_each(|part| write(part, least, choices, text, budget))?;
        }
        HirKind::Alternation(ways) => {
            if let Some(way) = ways.get(choices.pick(ways.len())) {
                write(way, least, choices, text, budget)?;
            }
        }
    }
    Ok(())
}

/// A character of the class: a plain one if there is such.
fn one_of(class: &Class, choices: &mut Choices) -> Option<char> {
    let holds = |wanted: char| match class {
        Class::Unicode(class) => class.ranges().iter().any(|r| r.start() <= wanted && wanted <= r.end()),
        Class::Bytes(class) => {
            class.ranges().iter().any(|r| char::from(r.start()) <= wanted && wanted <= char::from(r.end()))
        }
    };
    let plain: Vec<char> = ('a'..='z').chain('0'..='9').chain('A'..='Z').filter(|c| holds(*c)).collect();
    if !plain.is_empty() {
        return plain.get(choices.pick(plain.len())).copied();
    }
    match class {
        Class::Unicode(class) => class.ranges().first().map(regex_syntax::hir::ClassUnicodeRange::start),
        Class::Bytes(class) => class.ranges().first().map(|range| char::from(range.start())),
    }
}
