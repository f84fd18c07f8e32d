//! `list`, `explain`, help, and the errors for an invalid command line.

use crate::{stderr, stdout, yardstick};

#[test]
fn list_names_every_check() {
    let output = yardstick(&["list"]);
    assert!(output.status.success());
    let text = stdout(&output);
    for check in suite::registry() {
        assert!(text.contains(check.id), "{}", check.id);
    }
    assert!(!text.contains('\u{1b}'), "no colours in a pipe");
}

#[test]
fn list_takes_sections_and_revisions() {
    let text = stdout(&yardstick(&["list", "headers", "--protocol", "2026-07-28"]));
    assert!(text.contains("server/headers/mismatch-refused") && !text.contains("server/tools"));
    assert_eq!(stdout(&yardstick(&["list", "headers", "--protocol", "2025-11-25"])), "");
}

#[test]
fn explain_says_all_there_is() {
    let text = stdout(&yardstick(&["explain", "server/http/foreign-origin-refused"]));
    for word in ["why", "fix", "DNS rebinding", "yardstick serve --fault accept-any-origin", "2026-07-28"] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn a_misspelt_check_is_named_and_a_better_one_offered() {
    let output = yardstick(&["explain", "tools/unknown-tool"]);
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(
        text.contains("`tools/unknown-tool`") && text.contains("server/tools/unknown-tool-refused"),
        "{text}"
    );
    let output = yardstick(&["check", "--only", "server/nonsense"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("`server/nonsense`"));
}

#[test]
fn bad_usage_is_2_and_names_the_culprit() {
    for (arguments, culprit) in [
        (&["check", "--protocol", "2025-01-01"][..], "2025-01-01"),
        (&["check", "not a url"], "not a url"),
        (&["check", "--header", "nonsense", "http://127.0.0.1:9/"], "is not a header; write `Name: value`"),
        (&["check", "--timeout", "soon"], "soon"),
        (&["check", "--allow-calls", "some"], "some"),
        (&["check", "--tool", "echo", "--args", "[1]"], "[1]"),
        (&["check", "--tool", "echo", "--args", "{}", "--args", "{\"x\": 1}"], "no --tool"),
        (&["check", "--args", "{\"echo\": 7}"], "`echo`"),
        (&["check", "--args", "@/no/such/file.json"], "/no/such/file.json"),
        (&["serve", "--fault", "no-such-fault"], "no-such-fault"),
        (&["serve", "--http", "nowhere"], "nowhere"),
        (&["conquer"], "conquer"),
    ] {
        let output = yardstick(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(culprit), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn help_has_examples() {
    for arguments in [&["--help"][..], &["check", "--help"], &["serve", "--help"]] {
        let output = yardstick(arguments);
        assert!(output.status.success());
        assert!(stdout(&output).contains("Examples:"), "{arguments:?}");
    }
}
