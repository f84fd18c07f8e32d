//! The catalogue for a person: all checks in brief, one check in full.

use std::fmt::{self, Write as _};

use anstyle::Style;
use protocol::Version;
use suite::{Check, registry};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// Every check that `wanted` takes, a line each, under its section.
pub fn list(wanted: impl Fn(&Check) -> bool) -> String {
    let mut out = String::new();
    let mut section = None;
    let checks: Vec<_> = registry().filter(|check| wanted(check)).collect();
    let width = checks.iter().map(|check| check.id.len()).max().unwrap_or(0);
    for check in checks {
        if section != Some(check.section()) {
            section = Some(check.section());
            // Writing to a string cannot fail.
            let _ = writeln!(out, "\n{BOLD}{}{BOLD:#}", check.section());
        }
        let _ = writeln!(out, "  {:width$}  {:7}  {}", check.id, strongest(check), check.title);
    }
    out.trim_start_matches('\n').to_owned()
}

/// The strongest level among its cites.
fn strongest(check: &Check) -> &'static str {
    let bound = |version| Some((check.level(version)?, std::cmp::Reverse(check.basis(version))));
    let strongest = check.versions().filter_map(bound).max();
    strongest.map_or("", |(level, basis)| level.word(basis.0))
}

/// One check in full.
pub fn explain(check: &Check) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, check);
    out
}

fn write(out: &mut String, check: &Check) -> fmt::Result {
    writeln!(out, "{BOLD}{}{BOLD:#}\n  {}\n", check.id, check.title)?;
    let mut note = |name: &str, text: &str| writeln!(out, "  {DIM}{name:8}{DIM:#} {text}");
    note("why", check.why)?;
    note("fix", check.fix)?;
    if check.applies.concerns_servers() {
        note("fault", &format!("yardstick serve --fault {}", check.fault.name))?;
    }
    if !check.aliases.is_empty() {
        note("aliases", &check.aliases.join(", "))?;
    }
    for (alias, says) in check.aliases.iter().filter_map(|alias| Some((alias, suite::seeds::note(alias)?))) {
        note("", &format!("{alias} {says}"))?;
    }
    for (alias, all) in
        check.aliases.iter().filter_map(|alias| Some((alias, suite::seeds::answered_by(alias)?)))
    {
        note("", &format!("{alias} is answered by {}", all.join(", ")))?;
    }
    for version in check.versions() {
        let word = check.level(version).map_or("", |level| level.word(check.basis(version)));
        note(version.as_str(), &format!("{word:7} {}", places(check, version)))?;
    }
    let mut meanings: Vec<_> = check
        .versions()
        .filter_map(|version| {
            let (level, basis) = (check.level(version)?, check.basis(version));
            Some(format!("{}: {}", level.word(basis), level.meaning(basis)?))
        })
        .collect();
    meanings.dedup();
    meanings.iter().try_for_each(|meaning| note("", meaning))
}

fn places(check: &Check, version: Version) -> String {
    let places: Vec<_> = check.cites_in(version).map(|cite| cite.url(version)).collect();
    places.join("\n                     ")
}
