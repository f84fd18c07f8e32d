//! `yardstick check --config`

use std::process::{Command, Output};

use serde_json::json;

use crate::running::Running;
use crate::{SELF, Scratch, stderr, stdout, yardstick};

const ONE: [&str; 4] = ["--only", "server/tools/unknown-tool-refused", "--protocol", "2025-11-25"];

fn configuration(name: &str, servers: &serde_json::Value) -> Scratch {
    let file = Scratch::new(name);
    std::fs::write(&file.0, servers.to_string()).unwrap();
    file
}

fn check(file: &Scratch, options: &[&str]) -> Output {
    let mut command = Command::new(SELF);
    command.args(["check", "--config", file.path()]).args(ONE).args(options);
    command.env("YARDSTICK_TEST_FAULT", "unknown-tool-succeeds").output().unwrap()
}

#[test]
fn every_server_is_measured_and_one_that_is_missing_ends_no_other() {
    let http = Running::serve(&[]);
    let servers = json!({ "mcpServers": {
        "broken": { "command": SELF, "args": ["serve", "--fault", "${YARDSTICK_TEST_FAULT}"] },
        "gone": { "command": "no-such-program-here" },
        "remote": { "type": "http", "url": http.url },
    } });
    let file = configuration("all.json", &servers);
    let output = check(&file, &[]);
    let told = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{told}{}", stderr(&output));
    assert!(told.contains("not conformant: 1 failed") && told.contains("\nconformant: "), "{told}");
    assert!(told.contains(&http.url) && stderr(&output).contains("no-such-program-here"), "{told}");
    assert!(!told.contains("unknown-tool-succeeds"), "the value of a variable is not shown: {told}");
    let again = told.lines().find_map(|line| line.trim().strip_prefix("again     yardstick ")).unwrap();
    assert!(again.ends_with(&format!("--config {} --server broken", file.path())), "{again}");
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("configured");
    check(&file, &["--output", folder.to_str().unwrap()]);
    for name in
        ["report.json", "report.ndjson", "report.junit.xml", "report.sarif", "report.md", "report.html"]
    {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let names_all =
            ["unknown-tool-refused", "no-such-program-here", &http.url].map(|part| text.contains(part));
        assert_eq!(names_all, [true; 3], "{name}: {text}");
    }
    let json = std::fs::read_to_string(folder.join("report.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let verdicts: Vec<_> =
        json["reports"].as_array().unwrap().iter().map(|report| &report["verdict"]).collect();
    assert_eq!(verdicts, ["not-conformant", "incomplete", "conformant"]);
}

#[test]
fn some_servers_are_picked_by_name() {
    let servers = json!({ "servers": {
        "one": { "command": SELF, "args": ["serve"] },
        "two": { "command": "no-such-program-here", "env": { "KEY": "${YARDSTICK_TEST_UNSET}" } },
    } });
    let file = configuration("some.json", &servers);
    let output = check(&file, &["--server", "one"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    for (options, told) in [
        (&["--server", "oen"][..], "did you mean `one`?"),
        (&["--server", "two"], "the variable `YARDSTICK_TEST_UNSET` is not set"),
        (&[], "server `two`"),
    ] {
        let output = check(&file, options);
        assert_eq!(output.status.code(), Some(2), "{options:?}: {}", stdout(&output));
        assert!(stderr(&output).contains(told), "{options:?}: {}", stderr(&output));
    }
}

#[test]
fn what_is_not_a_configuration_is_refused() {
    for (servers, told) in [
        (json!({}), "it has neither"),
        (json!({ "mcpServers": {} }), "it names no server"),
        (json!({ "mcpServers": { "x": {} } }), "neither `command` nor `url`"),
        (json!({ "mcpServers": { "x": { "url": "nonsense" } } }), "is not a URL"),
    ] {
        let output = check(&configuration("bad.json", &servers), &[]);
        assert_eq!(output.status.code(), Some(2), "{servers}");
        assert!(stderr(&output).contains(told), "{servers}: {}", stderr(&output));
    }
    let both = yardstick(&["check", "--config", "x.json", "--", "true"]);
    assert_eq!(both.status.code(), Some(2));
}
