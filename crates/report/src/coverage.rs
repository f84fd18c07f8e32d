//! How much of the specification is checked, for a person.

use std::fmt::{self, Write as _};

use anstyle::Style;
use protocol::Version;
use suite::Level;
use suite::coverage::{self, Row, State, Tally};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// Per revision, how many statements are checked, untestable and open; then the reasons, and what is open. With a
/// revision chosen, every statement of it.
pub fn coverage(rows: &[Row], chosen: Option<Version>) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = match chosen {
        None => overview(&mut out, rows),
        Some(version) => {
            let rows: Vec<_> = rows.iter().filter(|row| row.version() == Some(version)).collect();
            statements(&mut out, &rows)
        }
    };
    out
}

fn overview(out: &mut String, rows: &[Row]) -> fmt::Result {
    writeln!(out, "{BOLD}statements that bind servers{BOLD:#}\n")?;
    writeln!(out, "  {:12}{:>30}{:>32}", "", "MUST and MUST NOT", "SHOULD and SHOULD NOT")?;
    let head = format!("{:>9}{:>12}{:>7}", "checked", "untestable", "open");
    writeln!(out, "  {DIM}{:12}{head:>30}{head:>32}{DIM:#}", "")?;
    let versions = Version::ALL.into_iter().map(Some).chain([None]);
    for version in versions {
        let name = version.map_or("MCP Apps", Version::as_str);
        let of_it = || rows.iter().filter(move |row| row.version() == version);
        let counts = [Level::Must, Level::Should].map(|level| numbers(coverage::tally(of_it(), level)));
        writeln!(out, "  {name:12}{:>30}{:>32}", counts[0], counts[1])?;
    }
    writeln!(out, "\n{BOLD}why statements are untestable{BOLD:#}\n")?;
    for (why, keys) in coverage::reasons(rows) {
        writeln!(out, "  {:>4}  {why}", keys.len())?;
    }
    let open: Vec<_> = rows.iter().filter(|row| matches!(row.state, State::Open(_))).collect();
    if !open.is_empty() {
        writeln!(out, "\n{BOLD}still open{BOLD:#}\n")?;
        statements(out, &open)?;
    }
    writeln!(out, "\n{DIM}--protocol VERSION shows every statement of a revision{DIM:#}")
}

fn numbers(tally: Tally) -> String {
    format!("{:>9}{:>12}{:>7}", tally.checked, tally.untestable, tally.open)
}

fn statements(out: &mut String, rows: &[&Row]) -> fmt::Result {
    let width = rows.iter().map(|row| row.key.len()).max().unwrap_or(0);
    for row in rows {
        let level = row.level;
        writeln!(out, "  {:width$}  {level:6}  {}", row.key, account(&row.state))?;
    }
    Ok(())
}

fn account(state: &State) -> String {
    match state {
        State::Checked(checks) => checks.iter().map(|check| check.id).collect::<Vec<_>>().join(", "),
        State::Untestable(why) => format!("untestable: {why}"),
        State::Same(key) => format!("see {key}"),
        State::Elsewhere(who) => format!("binds the {who}"),
        State::Open(what) => format!("open: {what}"),
    }
}
