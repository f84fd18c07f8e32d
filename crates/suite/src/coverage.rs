//! Which statements of the specification about servers are checked.
//!
//! The rows are data, in `coverage/`: a key of a statement, its level and its state. Keys are
//! `REVISION/PAGE#ANCHOR/N` for the base protocol and `apps/NAME` for the Apps extension.

use std::collections::HashMap;

use protocol::Version;

use crate::{Check, Level, by_id};

const FILES: &[(&str, &str)] = &[
    ("base", include_str!("../coverage/base.tsv")),
    ("transports", include_str!("../coverage/transports.tsv")),
    ("features", include_str!("../coverage/features.tsv")),
    ("apps", include_str!("../coverage/apps.tsv")),
];

/// A normative statement, and its state.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its key.
    pub key: &'static str,
    /// How strongly it binds.
    pub level: Level,
    /// Its state.
    pub state: State,
}

/// The state of a statement: checked, untestable, elsewhere or open.
#[derive(Clone, Debug)]
pub enum State {
    /// These checks test it.
    Checked(Vec<&'static Check>),
    /// It cannot be observed from outside, for this reason.
    Untestable(&'static str),
    /// It says again, or in more detail, what another one says.
    Same(&'static str),
    /// It binds somebody else.
    Elsewhere(&'static str),
    /// It could be tested and is not yet; this is what it would take.
    Open(&'static str),
}

/// A row that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("coverage/{file}.tsv, line {line}: {why}")]
pub struct BadRow {
    file: &'static str,
    line: usize,
    why: String,
}

/// How many statements came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tested by a check.
    pub checked: usize,
    /// Not observable from outside.
    pub untestable: usize,
    /// Not tested yet.
    pub open: usize,
}

impl Row {
    /// The revision of the base protocol that it belongs to; `None` for the Apps extension.
    pub fn version(&self) -> Option<Version> {
        self.key.split('/').next().and_then(|revision| revision.parse().ok())
    }

    /// The page and the anchor that it stands under.
    pub fn place(&self) -> &'static str {
        let place = self.key.split_once('/').map_or(self.key, |(_, place)| place);
        place.rsplit_once('/').map_or(place, |(place, _)| place)
    }
}

impl Tally {
    /// Statements for servers, all together.
    pub const fn total(&self) -> usize {
        self.checked + self.untestable + self.open
    }
}

/// Every row, or the first that cannot be read.
pub fn rows() -> Result<Vec<Row>, BadRow> {
    let mut rows = Vec::new();
    for (file, text) in FILES {
        for (at, line) in text.lines().enumerate() {
            rows.push(parse_row(line).map_err(|why| BadRow { file, line: at + 1, why })?);
        }
    }
    Ok(rows)
}

/// How many of the statements in `rows` that bind with `level` came to what. Those that say the same as another are
/// counted with it, and those for others not at all.
pub fn tally<'a>(rows: impl IntoIterator<Item = &'a Row>, level: Level) -> Tally {
    let mut tally = Tally::default();
    for row in rows.into_iter().filter(|row| row.level == level) {
        match row.state {
            State::Checked(_) => tally.checked += 1,
            State::Untestable(_) => tally.untestable += 1,
            State::Open(_) => tally.open += 1,
            State::Same(_) | State::Elsewhere(_) => {}
        }
    }
    tally
}

/// The reasons why statements are untestable, with the keys of those that they hold for, most frequent first.
pub fn reasons<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<(&'static str, Vec<&'static str>)> {
    let mut reasons: HashMap<_, Vec<_>> = HashMap::new();
    for row in rows {
        if let State::Untestable(why) = row.state {
            reasons.entry(why).or_default().push(row.key);
        }
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by(|one, two| two.1.len().cmp(&one.1.len()).then(one.0.cmp(two.0)));
    reasons
}

fn parse_row(line: &'static str) -> Result<Row, String> {
    let fields: Vec<_> = line.split('\t').collect();
    let [key, level, state, what] = fields[..] else {
        return Err(format!("{} fields where there are four", fields.len()));
    };
    Ok(Row { key, level: level_of(level)?, state: state_of(state, what)? })
}

fn level_of(level: &str) -> Result<Level, String> {
    match level {
        "MUST" | "MUST NOT" | "REQUIRED" | "SHALL" | "SHALL NOT" => Ok(Level::Must),
        "SHOULD" | "SHOULD NOT" | "RECOMMENDED" | "NOT RECOMMENDED" | "deprecated" => Ok(Level::Should),
        other => Err(format!("`{other}` is not a level")),
    }
}

fn state_of(state: &str, what: &'static str) -> Result<State, String> {
    match state {
        "check" => what
            .split(',')
            .map(|id| by_id(id.trim()).ok_or_else(|| format!("no check `{id}`")))
            .collect::<Result<_, _>>()
            .map(State::Checked),
        "untestable" => Ok(State::Untestable(what)),
        "same" => Ok(State::Same(what)),
        "client" => Ok(State::Elsewhere(what)),
        "open" => Ok(State::Open(what)),
        other => Err(format!("`{other}` is not a state")),
    }
}
