//! The report for people.

use report::human::{Detail, Look, render, render_as};
use suite::{Level, Outcome, Report};

use crate::sample::{case, everything, hostile, plain};

#[test]
fn in_full() {
    insta::assert_snapshot!(plain(&render(&everything())));
}

#[test]
fn with_nothing_to_say() {
    insta::assert_snapshot!(plain(&render(&Report::default())));
}

#[test]
fn brief() {
    insta::assert_snapshot!(plain(&render_as(&everything(), &Look { width: None, detail: Detail::Brief })));
}

#[test]
fn every_case() {
    insta::assert_snapshot!(plain(&render_as(
        &everything(),
        &Look { width: None, detail: Detail::Everything }
    )));
}

#[test]
fn a_narrow_terminal_breaks_lines_at_words() {
    let mut report = everything();
    report.cases[1].fix =
        "answer with an error that names the tool, and do so before anything else has happened".into();
    let look = Look { width: Some(60), detail: Detail::Findings };
    let text = plain(&render_as(&report, &look));
    insta::assert_snapshot!(text);
    // Words that cannot be broken, messages and commands may be wider.
    let wide = text.lines().filter(|line| line.chars().count() > 60);
    let whole = ["http", "again", "→", "←", "FAILED", "UNEXPECTED"];
    for line in wide {
        assert!(whole.iter().any(|word| line.contains(word)), "{line}");
    }
}

#[test]
fn many_that_are_blocked_for_one_reason_are_told_once() {
    let mut report = everything();
    for number in 0..20 {
        let id = format!("server/resources/blocked-{number}");
        report.cases.push(case(&id, protocol::Version::V2025_11_25, Level::Must, Outcome::Blocked));
    }
    let text = plain(&render(&report));
    assert!(text.contains("BLOCKED  21 checks, for one reason\n  the server does not answer\n"), "{text}");
    assert_eq!(text.matches("the server does not answer").count(), 1);
    assert!(text.contains("… and 13 more"), "{text}");
}

#[test]
fn control_characters_of_a_server_never_reach_the_terminal() {
    for detail in [Detail::Brief, Detail::Findings, Detail::Everything] {
        let text = render_as(&hostile(), &Look { width: Some(80), detail });
        // Our own colours are the only escapes.
        let own = plain(&text);
        let ours = text.matches("\u{1b}[").count();
        assert_eq!(text.matches('\u{1b}').count(), ours);
        assert!(!own.chars().any(|c| c.is_control() && c != '\n'), "{own:?}");
        assert!(!own.contains('\u{202e}'), "{own:?}");
        assert!(own.contains("\\u{1b}]0;pwned\\u{7}"), "{own:?}");
    }
}
