//! MCP Apps: every id of the older catalogues is answered, and every row of the specification is accounted for.

use suite::{by_id, registry, seeds};

use crate::shared;

#[test]
fn every_row_of_the_older_catalogues_is_answered() {
    let Some(text) = shared::load("catalog/seed-tests.tsv") else { return };
    let rows = text.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    let of_apps = |row: &Vec<&str>| row[1].contains("Apps") && row[2] == "server";
    let open: Vec<_> =
        rows.filter(of_apps).filter(|row| by_id(row[0]).is_none()).map(|row| row[0].to_owned()).collect();
    assert_eq!(open, [""; 0]);
}

/// A note that no check answers to would never be read.
#[test]
fn every_note_belongs_to_an_alias() {
    let notes = seeds::yams::NOTES.iter().chain(seeds::mcpjam::NOTES).chain(seeds::validator::NOTES);
    for (id, note) in notes {
        assert!(by_id(id).is_some(), "{id}");
        assert_eq!(seeds::note(id), Some(*note));
    }
}

#[test]
fn every_row_of_the_specification_is_accounted_for() {
    let covered = include_str!("../../coverage/apps.tsv");
    let covered: Vec<Vec<&str>> = covered.lines().map(|line| line.split('\t').collect()).collect();
    for row in &covered {
        let [key, _, state, what] = row[..] else { panic!("{row:?}") };
        let known = |id: &str| registry().any(|check| check.id == id);
        assert!(
            state != "check" || what.split(',').all(known),
            "{key} names a check that does not exist: {what}"
        );
    }
    let Some(text) = shared::load("spec/apps-2026-01-26.tsv") else { return };
    let rows = text.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    for row in rows.filter(|row| row[1] != "MAY") {
        assert!(
            covered.iter().any(|covered| covered[0] == row[0] && covered[1] == row[1]),
            "{} is open",
            row[0]
        );
    }
}
