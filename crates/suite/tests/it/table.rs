//! The table of checks × faults, as it is written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Marks a check that may be set off and need not be.
const MAYBE: char = '?';

/// The table.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// Everything before the first line, among it the words for reasons.
    pub(crate) head: Vec<String>,
    /// Lines by fault.
    pub(crate) lines: BTreeMap<String, Line>,
}

/// What one fault sets off.
#[derive(Debug, Default)]
pub(crate) struct Line {
    /// The checks that are there for it.
    pub(crate) own: BTreeSet<String>,
    /// Others that it sets off.
    pub(crate) also: BTreeSet<String>,
    /// Others that it sets off now and then.
    pub(crate) maybe: BTreeSet<String>,
    /// Why it sets off others.
    pub(crate) reason: String,
}

impl Table {
    pub(crate) fn path() -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/matrix.tsv")
    }

    pub(crate) fn load() -> Self {
        let text = std::fs::read_to_string(Self::path()).unwrap_or_default();
        let (head, lines): (Vec<_>, Vec<_>) = text.lines().partition(|line| line.starts_with('#'));
        let head = head.into_iter().map(str::to_owned).collect();
        Self { head, lines: lines.into_iter().map(Line::parse).collect() }
    }

    pub(crate) fn write(&self) {
        let lines = self.lines.iter().map(|(fault, line)| line.told(fault));
        let text: Vec<_> = self.head.iter().cloned().chain(lines).collect();
        std::fs::write(Self::path(), text.join("\n") + "\n").unwrap();
    }

    /// The words for reasons, each with what it stands for.
    pub(crate) fn words(&self) -> BTreeMap<&str, &str> {
        let words = self.head.iter().filter_map(|line| line.strip_prefix("# ")?.split_once('\t'));
        words.collect()
    }
}

impl Line {
    fn parse(line: &str) -> (String, Self) {
        let mut fields = line.split('\t');
        let mut field = || fields.next().unwrap_or_default();
        let (fault, own, others, reason) = (field(), field(), field(), field());
        let ids = |text: &str| -> BTreeSet<_> { text.split_whitespace().map(str::to_owned).collect() };
        let (maybe, also): (BTreeSet<_>, _) = ids(others).into_iter().partition(|id| id.ends_with(MAYBE));
        let maybe = maybe.into_iter().map(|id| id.trim_end_matches(MAYBE).to_owned()).collect();
        (fault.to_owned(), Self { own: ids(own), also, maybe, reason: reason.to_owned() })
    }

    fn told(&self, fault: &str) -> String {
        let own: Vec<_> = self.own.iter().cloned().collect();
        let maybe = self.maybe.iter().map(|id| format!("{id}{MAYBE}"));
        let others: BTreeSet<_> = self.also.iter().cloned().chain(maybe).collect();
        let others: Vec<_> = others.into_iter().collect();
        format!("{fault}\t{}\t{}\t{}", own.join(" "), others.join(" "), self.reason)
    }
}
