//! A target or a tool that is not there is an error, not a success.

use crate::{SELF, stderr, stdout, yardstick};

/// What `check "$UNSET"` and its like become.
#[test]
fn an_unset_variable_names_no_target() {
    for arguments in [
        &["check", "--"][..],
        &["check", "--only", "server/tools", "--"],
        &["check", "--", ""],
        &["check", "--", " ", "serve"],
        &["check", ""],
        &["host", "--no-open", "--"],
        &["host", "--no-open", ""],
        &["tap", "--", ""],
        &["tap", ""],
    ] {
        let output = yardstick(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}{}", stdout(&output), stderr(&output));
        assert!(stderr(&output).contains("is a variable not set?"), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn a_command_without_its_dashes_is_told_where_they_go() {
    for (arguments, meant) in [
        (&["check", "node", "server.js"][..], "yardstick check -- node server.js"),
        (&["check", "npx", "-y", "s"], "yardstick check -- npx -y s"),
        (&["check", "python", "-m", "x"], "yardstick check -- python -m x"),
        (
            &["check", "--only", "server/tools", "./x", "--port", "1 2"],
            "yardstick check --only server/tools -- ./x --port '1 2'",
        ),
    ] {
        let output = yardstick(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}{}", stdout(&output), stderr(&output));
        assert!(stderr(&output).contains(meant), "{arguments:?}: {}", stderr(&output));
    }
    let url = yardstick(&["check", "http://127.0.0.1:9/mcp", "--no-such-option"]);
    assert!(
        stderr(&url).contains("--no-such-option") && !stderr(&url).contains("goes after"),
        "{}",
        stderr(&url)
    );
}

#[test]
fn what_cannot_be_started_is_explained() {
    for (command, reason) in [("node server.js", "in quotes"), (env!("CARGO_MANIFEST_DIR"), "is a directory")]
    {
        let output = yardstick(&["check", "--", command]);
        assert_eq!(output.status.code(), Some(3), "{command}: {}", stdout(&output));
        assert!(stderr(&output).contains(reason), "{command}: {}", stderr(&output));
    }
}

#[test]
fn a_line_that_lost_its_target_does_not_measure_the_built_in_server() {
    for options in [
        &["--only", "server/tools/unknown-tool-refused", "--protocol", "2025-11-25"][..],
        &["--protocol", "2025-11-25"],
        &["--header", "X-Key: 1"],
        &["--cwd", "/"],
    ] {
        let output = yardstick(&[&["check"], options].concat());
        assert_eq!(output.status.code(), Some(2), "{options:?}: {}", stdout(&output));
        let told = stderr(&output);
        assert!(told.contains(options[0]) && told.contains("--built-in"), "{options:?}: {told}");
    }
}

#[test]
fn the_built_in_server_is_measured_over_the_transport_that_is_named() {
    for (option, transport) in [
        ("--built-in", "· in process, http ·"),
        ("--built-in=stdio", "· in process ·"),
        ("--built-in=http", "· http ·"),
    ] {
        let only = ["--only", "server/tools/unknown-tool-refused", "--protocol", "2025-11-25"];
        let output = yardstick(&[&["check", option], &only[..]].concat());
        let told = stdout(&output);
        assert_eq!(output.status.code(), Some(0), "{told}{}", stderr(&output));
        assert!(told.contains(transport), "{option}: {told}");
    }
}

#[test]
fn the_built_in_server_is_named_in_the_command_that_measures_it_again() {
    let only =
        ["--only", "server/tools/unknown-tool-refused", "--protocol", "2025-11-25", "--format", "sarif"];
    let output = yardstick(&[&["check", "--built-in=http"], &only[..]].concat());
    assert!(stdout(&output).contains("yardstick check --built-in=http"), "{}", stdout(&output));
}

#[test]
fn a_tool_that_the_server_does_not_have_is_an_error_that_lists_those_it_has() {
    for options in [
        &["--tool", "ehco"][..],
        &["--tool", "ehco", "--args", "{}"],
        &["--args", r#"{"ehco": {}, "echo": {}}"#],
    ] {
        let fixed = ["check", "--only", "server/tools/unknown-tool-refused"];
        let target = ["--protocol", "2025-11-25", "--", SELF, "serve"];
        let output = yardstick(&[&fixed, options, &target].concat());
        assert_eq!(output.status.code(), Some(2), "{options:?}: {}{}", stdout(&output), stderr(&output));
        let told = stderr(&output);
        assert!(told.contains("no tool `ehco`") && told.contains("echo, "), "{options:?}: {told}");
    }
}
