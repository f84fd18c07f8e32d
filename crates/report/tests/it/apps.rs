//! Reports about apps: every format names the tool whose app a finding is about.

use protocol::Version;
use report::{html, human, json, junit, markdown, ndjson, sarif};
use suite::{CaseReport, Level, Outcome, Report, ViewedApp, ViewedMessage};

use crate::sample::{case, plain, with};

const MARKUP: &str = "show<script>";

fn app(subject: &str, outcome: Outcome) -> CaseReport {
    case("app/csp/declared", Version::V2025_11_25, Level::Should, outcome).about_app(subject)
}

fn shown(subject: &str) -> ViewedApp {
    ViewedApp {
        subject: subject.to_owned(),
        row: "dark".to_owned(),
        about: "dark colours".to_owned(),
        initialized_ms: Some(120),
        uncalled: None,
        denied: Vec::new(),
        trouble: None,
        screenshot: None,
        picture: Some(b"PNG".as_slice().into()),
        comparison: None,
        messages: vec![ViewedMessage { at_ms: 7, from_view: true, text: "<img src=x>".to_owned() }],
    }
}

fn report() -> Report {
    let cases =
        vec![app("draw", Outcome::Warned), app(MARKUP, Outcome::Warned), app("other", Outcome::Passed)];
    Report { viewed: vec![shown("draw"), shown(MARKUP)], ..with(cases) }
}

#[test]
fn one_finding_in_several_apps_names_all_of_them() {
    let text = plain(&human::render(&report()));
    assert_eq!(text.matches("WARNING  app/csp/declared").count(), 1, "{text}");
    assert!(text.contains("app/csp/declared   draw show_script_   SHOULD"), "{text}");
    assert!(text.contains("2 apps, shown 2 times"), "{text}");
    assert!(!text.contains("--protocol"), "apps have one revision: {text}");
}

#[test]
fn every_format_names_the_app() {
    let report = report();
    for (format, text) in [
        ("json", json::render(&report)),
        ("ndjson", ndjson::render(&report)),
        ("junit", junit::render(&report)),
        ("sarif", sarif::render(&report)),
        ("markdown", markdown::render(&report)),
        ("html", html::render(&report)),
    ] {
        assert!(text.contains("draw"), "{format}: {text}");
    }
}

#[test]
fn a_page_shows_every_picture_and_no_markup_of_others() {
    let page = html::render(&report());
    assert_eq!(page.matches("<img src=\"data:image/png;base64,UE5H\"").count(), 2);
    assert!(page.contains("img-src data:;") && page.contains("handshake after 120 ms"));
    assert!(!page.contains(MARKUP) && !page.contains("<img src=x>"));
    let without = html::render(&with(Vec::new()));
    assert!(!without.contains("img-src") && !without.contains("gallery"));
}
