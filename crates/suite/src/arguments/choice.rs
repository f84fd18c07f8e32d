//! Which way to go where a schema leaves it open.

/// A row of choices: the first of everything, or mixed in a way that is the same every time.
#[derive(Debug)]
pub(super) struct Choices {
    /// 0 for the first of everything.
    state: u64,
}

impl Choices {
    /// The `n`th row.
    pub(super) const fn from_number(n: u64) -> Self {
        Self { state: n.wrapping_mul(0x9e37_79b9_7f4a_7c15) }
    }

    /// One of `count` ways; the first is as likely as all others together.
    pub(super) fn pick(&mut self, count: usize) -> usize {
        if self.state == 0 || count < 2 || self.next().is_multiple_of(2) {
            return 0;
        }
        let count = u64::try_from(count).unwrap_or(1);
        usize::try_from(self.next() % count).unwrap_or(0)
    }

    /// Whether to add something optional; never in the first row.
    pub(super) fn pick_optional(&mut self) -> bool {
        self.pick(4) != 0
    }

    const fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state >> 11
    }
}
