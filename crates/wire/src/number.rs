//! JSON numbers by their value, exactly: `10`, `10.0` and `1e1` are one number, and no digit is rounded away.

use std::borrow::Cow;

/// The value of a JSON number: `digits` × 10^`exponent`, in the one form that each value has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Decimal<'a> {
    negative: bool,
    /// Without zeros at either end; empty for zero.
    digits: Cow<'a, str>,
    exponent: i64,
}

impl<'a> Decimal<'a> {
    /// The value of a JSON number; `None` when the text is not one, or when its exponent is too large.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let (negative, size) = text.strip_prefix('-').map_or((false, text), |size| (true, size));
        let (mantissa, exponent) = size.split_once(['e', 'E']).unwrap_or((size, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let is_numeric = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !is_numeric(whole) || !is_numeric(fraction) {
            return None;
        }
        let exponent: i64 = exponent.parse().ok()?;
        let exponent = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        let digits = if fraction.is_empty() {
            Cow::Borrowed(whole.trim_start_matches('0'))
        } else {
            Cow::Owned([whole, fraction].concat().trim_start_matches('0').to_owned())
        };
        Self::without_zeros(negative, digits, exponent)
    }

    /// Moves the zeros at the end of `digits` into the exponent.
    fn without_zeros(negative: bool, digits: Cow<'a, str>, exponent: i64) -> Option<Self> {
        let kept = digits.trim_end_matches('0').len();
        if kept == 0 {
            return Some(Self { negative: false, digits: Cow::Borrowed(""), exponent: 0 });
        }
        let exponent = exponent.checked_add(i64::try_from(digits.len() - kept).ok()?)?;
        let digits = match digits {
            Cow::Borrowed(text) => Cow::Borrowed(&text[..kept]),
            Cow::Owned(mut text) => {
                text.truncate(kept);
                Cow::Owned(text)
            }
        };
        Some(Self { negative, digits, exponent })
    }

    /// Whether it has no fraction, however it is written.
    pub(crate) const fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// The number, if it is an integer of 64 bits.
    pub(crate) fn to_i64(&self) -> Option<i64> {
        let zeros = usize::try_from(self.exponent).ok().filter(|zeros| *zeros < 20)?;
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}0{}{}", self.digits, "0".repeat(zeros)).parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decimal(text: &str) -> Decimal<'_> {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn spellings_of_one_number_are_equal() {
        for same in [
            &["10", "10.0", "10e0", "1e1", "1E+1", "100e-1", "0.1e2"][..],
            &["0", "-0", "0.0", "0e7", "-0.00E-3"],
            &["-32603", "-32603.0", "-3.2603e4"],
            &["9007199254740993", "9007199254740993.0", "9.007199254740993e15"],
        ] {
            for other in same {
                assert_eq!(decimal(same[0]), decimal(other), "{other}");
                assert!(decimal(other).is_integer());
            }
        }
        assert_eq!(decimal("-32603.0").to_i64(), Some(-32603));
    }

    #[test]
    fn no_digit_is_rounded_away() {
        assert_ne!(decimal("9007199254740993"), decimal("9007199254740992"));
        assert_ne!(decimal("18446744073709551615"), decimal("18446744073709552000"));
        assert_ne!(decimal("1"), decimal("-1"));
        assert_ne!(decimal("1.5"), decimal("15"));
        assert!(!decimal("1.5").is_integer() && !decimal("1e-3").is_integer());
    }

    #[test]
    fn what_is_too_large_has_no_machine_number() {
        assert_eq!(decimal("9223372036854775807").to_i64(), Some(i64::MAX));
        assert_eq!(decimal("-9223372036854775808").to_i64(), Some(i64::MIN));
        assert_eq!(decimal("9223372036854775808").to_i64(), None);
        assert_eq!(decimal("1e400").to_i64(), None);
        assert_eq!(decimal("1.5").to_i64(), None);
        assert_eq!(Decimal::parse("1e99999999999999999999"), None);
        assert_eq!(Decimal::parse("\"1\""), None);
    }

    proptest! {
        /// Any integer, in any spelling: with zeros after the point, or with a part of it in the exponent.
        #[test]
        fn every_spelling_has_the_same_value(number: i64, zeros in 0..30usize, shift in 0..30usize) {
            let plain = number.to_string();
            let pointed = format!("{number}.{}", "0".repeat(zeros + 1));
            let raised = format!("{number}{}e-{shift}", "0".repeat(shift));
            for text in [&plain, &pointed, &raised] {
                prop_assert_eq!(decimal(text), decimal(&plain));
                prop_assert_eq!(decimal(text).to_i64(), Some(number));
            }
        }

        #[test]
        fn different_integers_differ(one: i128, two: i128) {
            let (first, second) = (one.to_string(), two.to_string());
            prop_assert_eq!(decimal(&first) == decimal(&second), one == two);
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,24}") {
            let _ = Decimal::parse(&text);
        }
    }
}
