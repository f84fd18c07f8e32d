//! Numbers within bounds.

use serde_json::{Map, Value, json};

use super::Attempt;

/// Beyond this, not every integer is a number.
const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

impl Attempt<'_> {
    pub(super) fn number(&mut self, flat: &Map<String, Value>, whole: bool, salt: usize) -> Value {
        let bound = |word: &str| flat.get(word).and_then(Value::as_f64);
        let step = bound("multipleOf").filter(|step| *step > 0.0);
        let step = match (step, whole) {
            // A multiple of a fraction is whole now and then: the numerator of it will do.
            (Some(step), true) if step.fract() != 0.0 => step * (1.0 / step.fract().abs()).round(),
            (Some(step), _) => step,
            (None, true) => 1.0,
            (None, false) => 0.5,
        };
        let least = match (bound("minimum"), bound("exclusiveMinimum")) {
            (inclusive, Some(exclusive)) if inclusive.is_none_or(|least| least <= exclusive) => {
                Some(((exclusive / step).floor() + 1.0) * step)
            }
            (Some(inclusive), _) => Some((inclusive / step).ceil() * step),
            (None, _) => None,
        };
        let most = match (bound("maximum"), bound("exclusiveMaximum")) {
            (inclusive, Some(exclusive)) if inclusive.is_none_or(|most| most >= exclusive) => {
                Some(((exclusive / step).ceil() - 1.0) * step)
            }
            (Some(inclusive), _) => Some((inclusive / step).floor() * step),
            (None, _) => None,
        };
        if bound("multipleOf").is_none() && least.zip(most).is_some_and(|(least, most)| least > most) {
            return exact(middle(flat), whole);
        }
        let one = if bound("multipleOf").is_some() { step } else { 1.0 };
        let offset = f64::from(u32::try_from(salt).unwrap_or(0)) * step;
        let start =
            one.max(least.unwrap_or(one)).min(most.unwrap_or(f64::MAX)).max(least.unwrap_or(f64::MIN));
        let candidates = [start, least.unwrap_or(0.0), most.unwrap_or(one), middle(flat), start + step];
        let value = candidates[self.choices.pick(candidates.len())] + offset;
        let fits =
            |value: f64| most.is_none_or(|most| value <= most) && least.is_none_or(|least| value >= least);
        let value = [value, start - offset].into_iter().find(|value| fits(*value)).unwrap_or(start);
        exact(value, whole)
    }
}

/// Between bounds that are closer than a step.
fn middle(flat: &Map<String, Value>) -> f64 {
    let bound = |a: &str, b: &str| flat.get(a).or_else(|| flat.get(b)).and_then(Value::as_f64);
    match (bound("minimum", "exclusiveMinimum"), bound("maximum", "exclusiveMaximum")) {
        (Some(least), Some(most)) => f64::midpoint(least, most),
        (Some(least), None) => least,
        (None, Some(most)) => most,
        (None, None) => 0.0,
    }
}

/// The number as JSON writes it: without a fraction where there is none.
pub(super) fn exact(value: f64, whole: bool) -> Value {
    if (whole || value.fract() == 0.0) && value.abs() <= MAX_SAFE_INTEGER {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it is whole and safe, or is meant to become so"
        )]
        return json!(value as i64);
    }
    json!(value)
}
