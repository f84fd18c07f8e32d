//! The account of the specification's statements is complete, and true to the checks.

use std::collections::{HashMap, HashSet};

use protocol::Era;
use suite::Level;
use suite::coverage::{self, Row, State};

fn rows() -> Vec<Row> {
    coverage::rows().unwrap_or_else(|error| panic!("{error}"))
}

/// The lines of a file of facts that is kept beside the project, or nothing where it is absent.
fn facts(file: &str) -> Option<Vec<Vec<String>>> {
    let text = crate::shared::load(file)?;
    Some(text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect())
}

#[test]
fn no_statement_is_accounted_for_twice() {
    let mut seen = HashSet::new();
    let twice: Vec<_> = rows().iter().map(|row| row.key).filter(|key| !seen.insert(*key)).collect();
    assert!(twice.is_empty(), "{twice:#?}");
}

#[test]
fn checks_bind_where_the_statement_stands() {
    let mut wrong = Vec::new();
    for row in rows() {
        let (State::Checked(checks), Some(version)) = (&row.state, row.version()) else { continue };
        let idle = checks.iter().filter(|check| check.level(version).is_none());
        wrong.extend(idle.map(|check| format!("{}: {} does not bind in {version}", row.key, check.id)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_says_the_same_leads_to_an_account() {
    let rows = rows();
    let by_key: HashMap<_, _> = rows.iter().map(|row| (row.key, row)).collect();
    let lost: Vec<_> = rows
        .iter()
        .filter_map(|row| match row.state {
            State::Same(other) => Some((row.key, other)),
            State::Checked(_) | State::Untestable(_) | State::Elsewhere(_) | State::Open(_) => None,
        })
        .filter(|(key, other)| key == other || !by_key.contains_key(other))
        .collect();
    assert!(lost.is_empty(), "{lost:#?}");
}

#[test]
fn no_requirement_of_the_newest_revisions_is_open() {
    let newest = Era::ALL.map(|era| Some(era.newest()));
    let open: Vec<_> = rows()
        .into_iter()
        .filter(|row| row.level == Level::Must && newest.contains(&row.version()))
        .filter(|row| matches!(row.state, State::Open(_)))
        .map(|row| row.key)
        .collect();
    assert!(open.is_empty(), "{open:#?}");
}

/// Permissions ask for nothing, so they are not among the rows.
#[test]
fn every_statement_is_accounted_for() {
    let mut asked: Vec<(String, String)> = Vec::new();
    for (file, level) in [("spec/requirements.tsv", 2), ("spec/apps-2026-01-26.tsv", 1)] {
        let Some(lines) = facts(file) else { return };
        let binding = lines.into_iter().filter(|line| !matches!(line[level].as_str(), "MAY" | "OPTIONAL"));
        asked.extend(binding.map(|mut line| (line.swap_remove(0), line.swap_remove(level))));
    }
    let accounted: HashSet<_> = rows().iter().map(|row| row.key).collect();
    let missing: Vec<_> = asked.iter().filter(|(key, _)| !accounted.contains(key.as_str())).collect();
    assert!(missing.is_empty(), "{} statements without an account: {missing:#?}", missing.len());
    let known: HashSet<_> = asked.iter().map(|(key, _)| key.as_str()).collect();
    let invented: Vec<_> = accounted.iter().filter(|key| !known.contains(*key)).collect();
    assert!(invented.is_empty(), "{invented:#?}");
}

/// The older catalogues that this suite answers: each of their ids leads to a check.
#[test]
fn every_server_row_of_the_older_catalogues_has_a_check() {
    let Some(lines) = facts("catalog/seed-tests.tsv") else { return };
    let unanswered: Vec<_> = lines
        .iter()
        .filter(|line| line[2] == "server")
        .filter(|line| suite::by_id(&line[0]).is_none())
        .map(|line| format!("{}: {}", line[0], line[4]))
        .collect();
    assert!(unanswered.is_empty(), "{unanswered:#?}");
}
