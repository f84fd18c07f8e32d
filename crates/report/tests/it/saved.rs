//! Runs that were saved, read back.

use report::{Collection, UnreadableReport, parse_saved};

use crate::sample::{everything, gaps, other};

#[test]
fn either_format_reads_back() {
    let report = everything();
    let json = report::json::render(&report);
    assert_eq!(report::json::render_all(&parse_saved(&json).unwrap()), json);
    let events = report::ndjson::render(&report);
    let back = parse_saved(&events).unwrap();
    assert_eq!(back.reports()[0].counts, report.counts);
    assert_eq!(report::ndjson::render_all(&back), events);
}

#[test]
fn two_runs_in_one_file_are_merged() {
    let events = report::ndjson::render(&everything());
    let back = parse_saved(&format!("{events}{events}")).unwrap();
    let [report] = back.reports() else { panic!("{back:?}") };
    assert_eq!(report.cases.len(), 2 * everything().cases.len());
    assert_eq!(report.took_ms, everything().took_ms, "they went on side by side");
}

#[test]
fn a_run_with_gaps_reads_back() {
    let report = gaps();
    for text in [report::json::render(&report), report::ndjson::render(&report)] {
        let back = parse_saved(&text).unwrap();
        let [back] = back.reports() else { panic!("{back:?}") };
        assert_eq!(back.unsettled, report.unsettled);
        assert_eq!(back.unused_entries, report.unused_entries);
        assert!(back.interrupted);
        assert_eq!(back.revisions(), report.revisions());
    }
}

#[test]
fn two_servers_stay_two() {
    let both = Collection::new([everything(), other()]);
    assert_eq!(both.reports().len(), 2);
    for render in [report::json::render_all, report::ndjson::render_all] {
        let back = parse_saved(&render(&both)).unwrap();
        let names: Vec<_> = back.reports().iter().map(|report| report.target.name.as_deref()).collect();
        assert_eq!(names, [Some("my-server"), Some("other-server")]);
        assert_eq!(render(&back), render(&both));
    }
}

#[test]
fn a_report_of_another_release_is_understood() {
    let mut old: serde_json::Value = serde_json::from_str(&report::json::render(&everything())).unwrap();
    old.as_object_mut().unwrap().remove("revisions");
    for case in old["cases"].as_array_mut().unwrap() {
        case.as_object_mut().unwrap().remove("basis");
    }
    assert_eq!(
        report::json::render_all(&parse_saved(&old.to_string()).unwrap()),
        report::json::render(&everything())
    );
}

#[test]
fn wrong_files_are_named_for_what_they_are() {
    let newer =
        report::json::render(&everything()).replacen("\"schemaVersion\": 1", "\"schemaVersion\": 9", 1);
    let events = report::ndjson::render(&everything());
    let cut_off = events.lines().take(3).collect::<Vec<_>>().join("\n");
    let half = &events[..events.len() / 2];
    let is = |text: &str, expected: fn(&UnreadableReport) -> bool| {
        let error = parse_saved(text).unwrap_err();
        assert!(expected(&error), "{error:?}");
    };
    is(" \n", |error| *error == UnreadableReport::Empty);
    is("<testsuites/>", |error| matches!(error, UnreadableReport::NotJson { line: 1, .. }));
    is(half, |error| matches!(error, UnreadableReport::NotJson { .. }));
    is("{\"checks\": []}", |error| matches!(error, UnreadableReport::NotOurs(_)));
    is("{\"schemaVersion\": 1}", |error| matches!(error, UnreadableReport::NotOurs(_)));
    is("{\"event\": \"other\"}", |error| matches!(error, UnreadableReport::NotOurs(_)));
    is(&newer, |error| *error == UnreadableReport::Newer(9));
    is(&cut_off, |error| *error == UnreadableReport::CutOff);
}
