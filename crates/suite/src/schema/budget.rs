//! How much work a schema may make, in steps: about one for each keyword that is looked at and each value that is made.

use std::cell::Cell;
use std::fmt;
use std::time::Duration;

/// What fits is done at once, on whatever thread asks.
const SMALL_BUDGET: u64 = 30_000;
/// Nothing that takes more is judged.
const LARGE_BUDGET: u64 = 1_500_000;

/// What was found out about a schema, unless that takes too much.
pub(crate) type Judged<T> = Result<T, TooComplex>;

/// Why a schema is not judged. It is not a defect of the target, because the specification sets no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TooComplex {
    /// It has more bytes, or more values, than are looked at.
    Large,
    /// It nests, or refers on, deeper than is followed.
    Deep,
    /// A regular expression in it is too large to be compiled.
    Pattern,
    /// It takes more steps than are spent on one schema.
    Steps,
    /// It took longer than anybody waits.
    Slow(Duration),
}

/// The steps that are left.
#[derive(Debug)]
pub(crate) struct Budget(Cell<u64>);

impl Budget {
    pub(crate) const fn small() -> Self {
        Self(Cell::new(SMALL_BUDGET))
    }

    pub(crate) const fn large() -> Self {
        Self(Cell::new(LARGE_BUDGET))
    }

    /// Takes `steps` away.
    pub(crate) fn spend(&self, steps: usize) -> Judged<()> {
        let steps = u64::try_from(steps).unwrap_or(u64::MAX);
        match self.0.get().checked_sub(steps) {
            Some(left) => {
                self.0.set(left);
                Ok(())
            }
            None => Err(TooComplex::Steps),
        }
    }
}

impl fmt::Display for TooComplex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("too complex to judge: ")?;
        match self {
            Self::Large => f.write_str("it is larger than what is looked at"),
            Self::Deep => f.write_str("it nests or refers on too deep"),
            Self::Pattern => f.write_str("a pattern in it is too large"),
            Self::Steps => f.write_str("evaluating it takes too many steps; do its references multiply?"),
            Self::Slow(limit) => write!(f, "evaluating it takes more than {} s", limit.as_secs()),
        }
    }
}
