//! The report for people.

use protocol::Version;
use report::Collection;
use report::human::{Detail, Layout, render, render_as};
use suite::{Basis, Excerpt, Level, Outcome, Party, Report};

use crate::sample::{case, everything, folded, gaps, hostile, other, plain, unreached, with};

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
    insta::assert_snapshot!(plain(&render_as(&everything(), &Layout { width: None, detail: Detail::Brief })));
}

#[test]
fn every_case() {
    insta::assert_snapshot!(plain(&render_as(
        &everything(),
        &Layout { width: None, detail: Detail::Everything }
    )));
}

#[test]
fn a_narrow_terminal_breaks_lines_at_words() {
    let mut report = everything();
    report.cases[1].fix =
        "answer with an error that names the tool, and do so before anything else has happened".into();
    let look = Layout { width: Some(60), detail: Detail::Findings };
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
        let mut case = case(&id, Version::V2025_11_25, Level::Must, Outcome::Blocked);
        case.actual = Some(format!("the server does not answer for {number} ms"));
        report.cases.push(case);
    }
    report.cases[5].actual = Some("the server does not answer for 99 ms".to_owned());
    let text = plain(&render(&report));
    assert!(text.contains("BLOCKED  21 checks blocked: the server does not answer for 99 ms\n"), "{text}");
    // Once among the findings, and once at the end.
    assert_eq!(text.matches("the server does not answer").count(), 2);
    assert!(text.contains("… and 13 more"), "{text}");
}

#[test]
fn a_consequence_stands_under_its_cause() {
    let text = plain(&render(&folded(Outcome::Failed)));
    insta::assert_snapshot!(text);
    assert!(text.contains("also not tested because of this: 3 checks of tools, apps"), "{text}");
    assert!(!text.contains("BLOCKED"), "{text}");
    assert!(text.contains("\nnot conformant: 2 failed, 3 blocked, 1 passed in 2 revisions"), "{text}");
}

#[test]
fn what_a_known_failure_blocks_leaves_a_run_green() {
    let text = plain(&render(&folded(Outcome::KnownFailure)));
    assert!(text.contains("\nconformant: 3 blocked, 2 known failures, 1 passed"), "{text}");
    assert!(
        text.contains("3 checks of tools, apps: because of the known failure server/tools/listed"),
        "{text}"
    );
    assert!(text.ends_with(" in 2 revisions (1.2 s)\n"), "{text}");
}

#[test]
fn every_revision_has_a_verdict() {
    let mut report = with(vec![
        case("server/base/b", Version::V2025_03_26, Level::Must, Outcome::Failed),
        case("server/base/b", Version::V2025_06_18, Level::Must, Outcome::Passed),
        case("server/base/b", Version::V2025_11_25, Level::Must, Outcome::Blocked),
        case("server/base/b", Version::V2026_07_28, Level::Must, Outcome::Passed),
    ]);
    report.took_ms = 0;
    let text = plain(&render(&report));
    let last = "conformant with 2025-06-18, 2026-07-28; 1 finding in 2025-03-26: server/base/b; \
                2025-11-25 could not be tested in full\n";
    assert!(text.ends_with(last), "{text}");
}

#[test]
fn the_same_but_for_numbers_is_one_finding() {
    let mut report = everything();
    report.cases[1].actual = Some("a result for id 41 in session 9f-3a".to_owned());
    report.cases[2].actual = Some("a result for id 7 in session 0c-12".to_owned());
    let text = plain(&render(&report));
    assert_eq!(text.matches("FAILED  server/tools/b   2025-06-18 2025-11-25").count(), 1, "{text}");
}

#[test]
fn the_end_says_what_to_mend_first_and_how_to_test_the_rest() {
    let new = Version::V2025_11_25;
    let mut cases = vec![case("server/logging/s", new, Level::Should, Outcome::Warned)];
    for number in 0..6 {
        cases.push(case(&format!("server/base/m{number}"), new, Level::Must, Outcome::Failed));
    }
    cases.push(case("server/base/m5", Version::V2025_06_18, Level::Must, Outcome::Failed));
    let mut blocked = case("server/base/x", new, Level::Must, Outcome::Blocked);
    blocked.because = Some("server/base/m4".to_owned());
    cases.push(blocked);
    let mut uncalled = case("server/tools/y", new, Level::Must, Outcome::NotApplicable);
    uncalled.actual = Some("no tool may be called: it does not say that it is read-only".to_owned());
    cases.push(uncalled);
    cases.push(case("server/tools/z", new, Level::Must, Outcome::Passed));
    cases.push(case("server/apps/h", new, Level::Must, Outcome::NotApplicable));
    cases.push(case("server/base/silent", new, Level::Must, Outcome::Blocked));
    let text = plain(&render(&with(cases)));
    let digest = text.split("7 findings: 6 failed, 1 warning").nth(1).unwrap();
    let named: Vec<_> = digest.lines().filter_map(|line| line.trim().split(' ').next()).collect();
    let at = |check: &str| named.iter().position(|word| *word == check).unwrap();
    // What blocks another check, then what is wrong in two revisions, then the others; of what is left, the number.
    assert!(
        at("server/base/m4") < at("server/base/m5") && at("server/base/m5") < at("server/base/m0"),
        "{digest}"
    );
    assert!(!named.contains(&"server/logging/s") && digest.contains("… and 2 more"), "{digest}");
    for part in [
        "1 check needs calls of tools that do not say that they are read-only\n    --allow-calls all",
        "1 check: the server does not answer\n    --timeout SECONDS",
        "1 check of base: because of server/base/m4",
        "not applicable: apps",
    ] {
        assert!(digest.contains(part), "{part}: {digest}");
    }
}

#[test]
fn what_is_only_defined_claims_no_keyword() {
    let mut report = everything();
    for case in &mut report.cases {
        case.basis = Basis::Defined;
    }
    let text = plain(&render(&report));
    assert!(text.contains("server/tools/b   2025-06-18 2025-11-25   DEFINED"), "{text}");
    assert!(text.contains("level     defined by the schema"), "{text}");
    assert!(!text.contains("MUST\n") && text.contains("not conformant"), "{text}");
}

#[test]
fn a_defect_of_an_sdk_is_named() {
    let mut report = everything();
    report.cases[1].known = Some("known defect of the X SDK 1.x (seen in 1.2.3, 2026-11-16)".to_owned());
    let text = plain(&render(&report));
    assert!(
        text.contains("\n  known     known defect of the X SDK 1.x (seen in 1.2.3, 2026-11-16)\n"),
        "{text}"
    );
}

#[test]
fn the_part_that_matters_and_the_request_are_shown() {
    let mut report = everything();
    let finding = &mut report.cases[3];
    finding.actual = Some("tool `odd-one` has no inputSchema".to_owned());
    let list =
        format!(r#"{{"result":{{"tools":[{}{{"name":"odd-one"}}]}}}}"#, "{\"name\":\"x\"},".repeat(80));
    let sent = Excerpt::from_bytes(Party::Client, br#"{"method":"tools/list"}"#)
        .with_header("Origin", "https://a.example");
    finding.frames = vec![Excerpt::from_bytes(Party::Server, list.as_bytes()); 8];
    finding.frames.push(sent);
    let text = plain(&render(&report));
    assert!(text.contains(r#"→ Origin: https://a.example · {"method":"tools/list"}"#), "{text}");
    assert!(text.contains(r#"{"name":"odd-one"}]}}"#), "{text}");
}

#[test]
fn gaps_are_said() {
    insta::assert_snapshot!("gaps", plain(&render(&gaps())));
    insta::assert_snapshot!("unreached", plain(&render(&unreached())));
}

#[test]
fn several_targets_are_told_one_by_one() {
    let look = Layout::default();
    let all = Collection::new([other(), everything(), unreached()]);
    let text = plain(&report::human::render_all(&all, &look));
    assert!(text.starts_with(&plain(&render(&other()))), "{text}");
    let end = text.split("3 targets: not conformant\n").nth(1).unwrap();
    insta::assert_snapshot!(end);
    let single = Collection::from(other());
    assert_eq!(report::human::render_all(&single, &look), render(&other()));
}

#[test]
fn control_characters_of_a_server_never_reach_the_terminal() {
    for detail in [Detail::Brief, Detail::Findings, Detail::Everything] {
        let text = render_as(&hostile(), &Layout { width: Some(80), detail });
        // Our own colours are the only escapes.
        let own = plain(&text);
        let ours = text.matches("\u{1b}[").count();
        assert_eq!(text.matches('\u{1b}').count(), ours);
        assert!(!own.chars().any(|c| c.is_control() && c != '\n'), "{own:?}");
        assert!(!own.contains('\u{202e}'), "{own:?}");
        assert!(own.contains("\\u{1b}]0;pwned\\u{7}"), "{own:?}");
    }
}
