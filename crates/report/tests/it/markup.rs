//! Formats with markup: JUnit, Markdown and HTML, which nothing that a server says may break out of.

use report::Collection;
use suite::{Basis, Outcome, Report};

use crate::sample::{HOSTILE, everything, folded, gaps, hostile, other, unreached, with};

#[test]
fn junit() {
    insta::assert_snapshot!(report::junit::render(&everything()));
}

#[test]
fn markdown() {
    insta::assert_snapshot!(report::markdown::render(&everything()));
}

#[test]
fn empty_reports_render() {
    for text in [
        report::junit::render(&Report::default()),
        report::markdown::render(&Report::default()),
        report::html::render(&Report::default()),
    ] {
        assert!(!text.is_empty());
    }
    assert!(report::html::render(&Report::default()).contains("Nothing was run"));
}

/// The names of the tags, in order; panics where a tag is not closed or a character is not allowed.
fn tags(xml: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut open = Vec::new();
    let body = xml.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").unwrap();
    for part in body.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap_or_else(|| panic!("unclosed: {part}"));
        assert!(!text.contains(']'.to_string().repeat(2).as_str()) || !text.contains("]]>"), "{text}");
        let name = tag.trim_matches('/').split_whitespace().next().unwrap().to_owned();
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        match (tag.starts_with('/'), tag.ends_with('/')) {
            (true, _) => assert_eq!(open.pop().as_ref(), Some(&name)),
            (false, true) => names.push(name),
            (false, false) => {
                names.push(name.clone());
                open.push(name);
            }
        }
    }
    assert!(open.is_empty(), "{open:?}");
    names
}

#[test]
fn junit_is_sound_xml_whatever_a_server_says() {
    let several = Collection::new([hostile(), other(), unreached(), gaps()]);
    let single = [everything(), hostile(), Report::default(), gaps()];
    for xml in single.iter().map(report::junit::render).chain([report::junit::render_all(&several)]) {
        let known = [
            "testsuites",
            "testsuite",
            "properties",
            "property",
            "testcase",
            "failure",
            "error",
            "skipped",
            "system-out",
        ];
        for name in tags(&xml) {
            assert!(known.contains(&name.as_str()), "{name}");
        }
        let allowed =
            |c: char| matches!(c, '\n' | '\t' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
        assert!(xml.chars().all(|c| allowed(c) && !matches!(c, '\u{7f}'..='\u{9f}')));
        for part in xml.split('&').skip(1) {
            let entity = part.split(';').next().unwrap();
            assert!(["amp", "lt", "gt", "quot"].contains(&entity), "&{entity}");
        }
    }
}

#[test]
fn junit_counts_add_up() {
    let xml = report::junit::render(&everything());
    assert!(
        xml.contains(r#"<testsuites name="yardstick" tests="9" failures="3" errors="2" skipped="2""#),
        "{xml}"
    );
    assert_eq!(xml.matches("<testcase ").count(), 9);
    assert_eq!(xml.matches("<testsuite ").count(), 2);
    assert_eq!(xml.matches("<error ").count(), 2);
    assert!(xml.contains(r#"<property name="verdict" value="not conformant"/>"#), "{xml}");
}

/// Readers of JUnit see green where there is neither a failure nor an error.
#[test]
fn junit_is_green_only_where_the_run_is() {
    let green = |report: &Report| {
        let xml = report::junit::render(report);
        !xml.contains("<failure") && !xml.contains("<error")
    };
    let excused = folded(Outcome::KnownFailure);
    let mut idle = other();
    idle.cases[0].outcome = Outcome::NotApplicable;
    let idle = with(idle.cases);
    for report in [
        everything(),
        folded(Outcome::Failed),
        folded(Outcome::Warned),
        excused,
        idle,
        Report::default(),
        gaps(),
        unreached(),
        other(),
    ] {
        assert_eq!(green(&report), report.verdict() == suite::Conclusion::Conformant, "{report:?}");
    }
}

#[test]
fn junit_tells_several_targets_apart() {
    let xml = report::junit::render_all(&Collection::new([everything(), other(), unreached()]));
    for part in [
        r#"<testsuite name="my-server 1.4.0 2025-11-25 stdio""#,
        r#"<testsuite name="other-server 1.4.0 2025-11-25 stdio""#,
        r#"<error message="nothing was measured: cannot reach 127.0.0.1:9"#,
        r#"<testsuites name="yardstick" tests="11""#,
    ] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
}

#[test]
fn two_servers_of_one_name_are_told_apart() {
    let mut second = everything();
    second.target.description = "node second.js".to_owned();
    second.target.arguments = "-- node second.js".to_owned();
    let both = Collection::new([everything(), second]);
    for text in [
        report::junit::render_all(&both),
        report::markdown::render_all(&both),
        report::html::render_all(&both),
    ] {
        for label in ["my-server 1.4.0 · node server.js", "my-server 1.4.0 · node second.js"] {
            assert!(text.contains(label), "{label}: {text}");
        }
    }
}

#[test]
fn every_markup_has_the_verdicts_the_digest_and_the_folds() {
    let mut folded = folded(Outcome::Failed);
    folded.cases[0].known = Some("known defect of the X SDK".to_owned());
    folded.cases.iter_mut().for_each(|case| case.basis = Basis::Defined);
    for text in [report::markdown::render(&folded), report::html::render(&folded)] {
        for part in
            ["2025-06-18", "3 checks of tools, apps", "known defect of the X SDK", "DEFINED", "Fix first"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("MUST<") && !text.contains("· MUST"), "{text}");
    }
    for (report, parts) in [
        (gaps(), &["2026-07-28", "within 3000 ms", "interrupted", "server/tools/d 2024-11-05"][..]),
        (unreached(), &["nothing was measured", "127.0.0.1"]),
    ] {
        for text in [report::markdown::render(&report), report::html::render(&report)] {
            let text = text.replace("&#58;", ":");
            assert!(parts.iter().all(|part| text.contains(part)), "{parts:?}: {text}");
        }
    }
}

#[test]
fn several_targets_share_a_page_and_a_comment() {
    let all = Collection::new([everything(), other(), hostile()]);
    let page = report::html::render_all(&all);
    assert!(page.contains("id=\"server/tools/b\"") && page.contains("id=\"server/tools/b-2\""));
    let mut ids: Vec<_> = page.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "an id is there twice");
    let comment = report::markdown::render_all(&all);
    assert!(comment.starts_with("## ❌ 3 targets: not conformant\n"), "{comment}");
    let many: Vec<_> = (0..200)
        .map(|number| {
            let mut report = everything();
            report.target.name = Some(format!("server-{number}"));
            report
        })
        .collect();
    assert!(report::markdown::render_all(&Collection::new(many)).len() < 65_536);
}

#[test]
fn markdown_lets_nothing_out() {
    let text = report::markdown::render(&hostile());
    // Code blocks first: whatever is in there is inert.
    let mut outside = String::new();
    let mut fence: Option<String> = None;
    for line in text.lines() {
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        match &fence {
            Some(open) if line.trim_end() == *open => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 && !line[ticks.len()..].contains('`') => fence = Some(ticks),
            None => outside.push_str(&format!("{line}\n")),
        }
    }
    assert_eq!(fence, None, "a code block is left open");
    let prose: String = without_spans(&outside);
    for bad in ["<script", "<img", "](javascript", "\n## @", "@everyone"] {
        assert!(!prose.contains(bad), "{bad}: {prose}");
    }
    assert_eq!(prose.matches("<details>").count(), prose.matches("</details>").count());
    assert_eq!(prose.matches("<details>").count(), 5);
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
}

/// Without code spans, which are inert as well.
fn without_spans(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('`') {
        let escaped = rest[..at].ends_with('\\');
        let ticks: String = rest[at..].chars().take_while(|c| *c == '`').collect();
        out.push_str(&rest[..at]);
        let after = &rest[at + ticks.len()..];
        if escaped {
            rest = after;
            continue;
        }
        let mut from = 0;
        let end = loop {
            let found = from + after[from..].find(&ticks).unwrap();
            let run = after[found..].chars().take_while(|c| *c == '`').count();
            if run == ticks.len() {
                break found;
            }
            from = found + run;
        };
        rest = &after[end + ticks.len()..];
    }
    out + rest
}

#[test]
fn markdown_fits_into_a_comment() {
    let mut report = everything();
    let failed = report.cases[1].clone();
    for number in 0..400 {
        let mut case = failed.clone();
        case.check = format!("server/tools/check-{number}");
        report.cases.push(case);
    }
    let text = report::markdown::render(&report);
    assert!(text.len() < 65_536 && text.contains("more findings, in the full report"), "{}", text.len());
}

#[test]
fn html_runs_nothing_of_a_server() {
    let page = report::html::render(&hostile());
    let (head, body) = page.split_once("<body>").unwrap();
    // One script of ours, at the end, and one style; nothing else can run or load.
    assert_eq!(page.matches("<script").count(), 1);
    assert_eq!(page.matches("<style").count(), 1);
    let policy = head.find("Content-Security-Policy").unwrap();
    assert!(policy < head.find("<style").unwrap() && policy < head.find("<title").unwrap());
    assert!(head.contains("default-src 'none'") && head.contains("script-src 'sha256-"));
    assert!(!head.contains("unsafe-inline"));
    let markup = body.split("<script").next().unwrap();
    for bad in ["<img", "<iframe", " onmouseover=\"", "javascript:alert(1)\"", " style=\"", "src=\""] {
        assert!(!markup.contains(bad), "{bad}");
    }
    assert!(!page.contains(HOSTILE));
    assert!(!page.chars().any(|c| c.is_control() && c != '\n'));
}

#[test]
fn html_loads_nothing() {
    let page = report::html::render(&everything());
    for outside in ["<link", "@import", "url(", "src=", "fetch(", "XMLHttpRequest"] {
        assert!(!page.contains(outside), "{outside}");
    }
    for part in [
        "server/tools/b",
        "error -32602",
        "tools/call",
        "Not conformant",
        "yardstick check --only server/tools/b",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn html_links_only_to_the_web() {
    let mut report = everything();
    report.cases[1].spec = vec!["javascript:alert(1)".to_owned()];
    assert!(!report::html::render(&report).contains("href=\"javascript"));
}
