//! `yardstick check`, against the binary's own server and against things that are no servers.

use std::time::{Duration, Instant};

use crate::{stderr, stdout, yardstick};

const SELF: &str = env!("CARGO_BIN_EXE_yardstick");

#[test]
fn with_no_target_the_built_in_server_is_conformant() {
    let output = yardstick(&["check"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}{}", stderr(&output));
    assert!(text.contains("in process, http") && text.contains("\nconformant: "), "{text}");
}

#[test]
fn a_stdio_server_is_measured() {
    let output = yardstick(&["check", "--protocol", "2025-11-25", "--", SELF, "serve"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}{}", stderr(&output));
    assert!(text.contains("· stdio ·") && text.contains("yardstick 0.1.0"), "{text}");
}

#[test]
fn a_fault_is_found_with_evidence_and_a_way_to_see_it_again() {
    let broken =
        ["check", "--protocol", "2025-11-25", "--", SELF, "serve", "--fault", "unknown-tool-succeeds"];
    let output = yardstick(&broken);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for part in [
        "FAILED  server/tools/unknown-tool-refused",
        "expected  error -32602, or a result with isError",
        "→ {",
        "← {",
        "again     yardstick check --only server/tools/unknown-tool-refused --protocol 2025-11-25 -- ",
        "not conformant: 1 failed",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
}

#[test]
fn json_is_json_and_nothing_else() {
    let output = yardstick(&["check", "--only", "server/tools", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["verdict"], "conformant");
    assert_eq!(report["schemaVersion"], 1);
    assert!(report["cases"].as_array().is_some_and(|cases| !cases.is_empty()));
    assert_eq!(stderr(&output), "");
}

#[test]
fn what_cannot_be_tested_is_3_and_says_why() {
    for (target, reason) in [
        (&["http://127.0.0.1:9/mcp"][..], "127.0.0.1:9"),
        (&["--", "no-such-program-here"], "no-such-program-here"),
        (&["--", "sh", "-c", "echo oops >&2; exit 7"], "oops"),
        (&["--timeout", "0.5", "--start-timeout", "1", "--", "sleep", "30"], "no answer"),
    ] {
        let start = Instant::now();
        let output = yardstick(&[&["check"], target].concat());
        assert_eq!(output.status.code(), Some(3), "{target:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(reason), "{target:?}: {}", stderr(&output));
        assert!(start.elapsed() < Duration::from_secs(30), "{target:?} took {:?}", start.elapsed());
    }
}
