//! Runs that were saved, read back.

use report::{Unreadable, read};

use crate::sample::everything;

#[test]
fn either_format_reads_back() {
    let report = everything();
    let json = report::json::render(&report);
    assert_eq!(report::json::render(&read(&json).unwrap()), json);
    let events = report::ndjson::render(&report);
    let back = read(&events).unwrap();
    assert_eq!(back.counts, report.counts);
    assert_eq!(report::ndjson::render(&back), events);
}

#[test]
fn two_runs_in_one_file_are_merged() {
    let events = report::ndjson::render(&everything());
    let back = read(&format!("{events}{events}")).unwrap();
    assert_eq!(back.cases.len(), 2 * everything().cases.len());
    assert_eq!(back.took_ms, everything().took_ms, "they went on side by side");
}

#[test]
fn wrong_files_are_named_for_what_they_are() {
    let newer =
        report::json::render(&everything()).replacen("\"schemaVersion\": 1", "\"schemaVersion\": 9", 1);
    let events = report::ndjson::render(&everything());
    let cut_off = events.lines().take(3).collect::<Vec<_>>().join("\n");
    let half = &events[..events.len() / 2];
    let is = |text: &str, expected: fn(&Unreadable) -> bool| {
        let error = read(text).unwrap_err();
        assert!(expected(&error), "{error:?}");
    };
    is(" \n", |error| *error == Unreadable::Empty);
    is("<testsuites/>", |error| matches!(error, Unreadable::NotJson { line: 1, .. }));
    is(half, |error| matches!(error, Unreadable::NotJson { .. }));
    is("{\"checks\": []}", |error| matches!(error, Unreadable::NotOurs(_)));
    is("{\"schemaVersion\": 1}", |error| matches!(error, Unreadable::NotOurs(_)));
    is("{\"event\": \"other\"}", |error| matches!(error, Unreadable::NotOurs(_)));
    is(&newer, |error| *error == Unreadable::Newer(9));
    is(&cut_off, |error| *error == Unreadable::CutOff);
}
