//! MCP Apps: every id of the older catalogues is answered, and every row of the specification is accounted for.

use suite::coverage::{self, State};
use suite::seeds::host_catalogue;
use suite::{Applies, by_id, registry, seeds};

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

/// What older catalogues ask of hosts is answered by a check too.
#[test]
fn every_host_row_of_the_older_catalogues_is_answered() {
    let Some(text) = shared::load("catalog/seed-tests.tsv") else { return };
    let rows = text.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    let of_hosts =
        |row: &Vec<&str>| row[2] == "host" || row.get(5).is_some_and(|note| note.starts_with("host"));
    let answers =
        |id: &str| registry().any(|check| check.applies == Applies::ToHosts && check.aliases.contains(&id));
    let open: Vec<_> =
        rows.filter(of_hosts).filter(|row| !answers(row[0])).map(|row| row[0].to_owned()).collect();
    assert_eq!(open, [""; 0]);
}

/// Every row of the public catalogue of host requirements is answered by a check, or says why none can.
#[test]
fn every_row_of_the_host_catalogue_is_answered_or_says_why_not() {
    for row in host_catalogue::ROWS {
        let is_answered = by_id(row.id).is_some();
        let reason = host_catalogue::UNTESTABLE.iter().find(|(id, _)| *id == row.id);
        assert!(is_answered != reason.is_some(), "{}", row.id);
    }
    let is_row = |id: &str| host_catalogue::ROWS.iter().any(|row| row.id == id);
    assert!(host_catalogue::UNTESTABLE.iter().all(|(id, _)| is_row(id)));
    let of_hosts = registry().filter(|check| check.applies == Applies::ToHosts);
    for alias in of_hosts.flat_map(|check| check.aliases).filter(|alias| alias.contains('/')) {
        assert!(is_row(alias), "{alias} is not a row of the catalogue");
    }
}

/// What the specification asks of hosts and sandboxes is checked, or cannot be; a permission has a check of how it is used.
#[test]
fn every_statement_about_hosts_is_checked_or_says_why_not() {
    const PERMISSIONS: [(&str, &str); 6] = [
        ("apps/sandbox-allow", "host/sandbox/permissions-true"),
        ("apps/host-forwards-mcp", "host/requests/resource-read"),
        ("apps/theme-variables", "host/context/variables-standard"),
        ("apps/theme-fonts", "host/context/fonts-css"),
        ("apps/tool-input-partial", "host/data/partial-stops"),
        ("apps/host-context-changed", "host/context/change-partial"),
    ];
    assert!(PERMISSIONS.iter().all(|(_, check)| by_id(check).is_some()));
    let Some(text) = shared::load("spec/apps-2026-01-26.tsv") else { return };
    let accounts = coverage::rows().unwrap();
    for row in text.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>()) {
        if !matches!(row[2], "host" | "sandbox") {
            continue;
        }
        let account = accounts.iter().find(|account| account.key == row[0]).map(|account| &account.state);
        let is_settled = matches!(account, Some(State::Checked(_) | State::Untestable(_)));
        assert!(is_settled || PERMISSIONS.iter().any(|(key, _)| *key == row[0]), "{}: {account:?}", row[0]);
    }
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
