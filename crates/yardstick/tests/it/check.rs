//! `yardstick check`, against the binary's own server and against things that are not servers.

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
    let output = yardstick(&["check", "--built-in", "--only", "server/tools", "--format", "json"]);
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
        (&["--start-timeout", "1", "--", "sleep", "30"], "--start-timeout SECONDS"),
        (&["--start-timeout", "1", "--", "cat"], r#"its stdout begins with `{"jsonrpc""#),
        (&["--", "sh", "-c", "echo hello; exit 4"], "exit status: 4; its stdout begins with `hello`"),
    ] {
        let start = Instant::now();
        let output = yardstick(&[&["check"], target].concat());
        assert_eq!(output.status.code(), Some(3), "{target:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(reason), "{target:?}: {}", stderr(&output));
        assert!(start.elapsed() < Duration::from_secs(30), "{target:?} took {:?}", start.elapsed());
    }
}

#[test]
fn a_plan_says_what_would_be_called_and_with_what() {
    let plan = |arguments: &[&str]| {
        let fixed = ["check", "--plan", "--protocol", "2025-11-25"];
        let output = yardstick(&[&fixed, arguments, &["--", SELF, "serve"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    let usual = plan(&[]);
    assert!(usual.contains("2025-11-25") && usual.contains("checks"), "{usual}");
    assert!(usual.contains("  call   echo {"), "{usual}");
    assert!(usual.contains("  leave  toggle (it does not say that it is read-only)"), "{usual}");
    assert!(plan(&["--allow-calls", "none"]).contains("  leave  echo (no calls are allowed)"));
    assert!(plan(&["--allow-calls", "all"]).contains("  call   toggle {"));
    let named = plan(&["--allow-calls", "none", "--tool", "echo", "--args", r#"{"message": "hi"}"#]);
    assert!(named.contains(r#"  call   echo {"message":"hi"} (it was named)"#), "{named}");
}

#[test]
fn arguments_come_from_a_file_for_each_tool() {
    let file = std::env::temp_dir().join(format!("yardstick-arguments-{}.json", std::process::id()));
    std::fs::write(&file, r#"{"echo": {"message": "from a file"}}"#).unwrap();
    let given = format!("@{}", file.display());
    let output =
        yardstick(&["check", "--plan", "--allow-calls", "none", "--args", &given, "--", SELF, "serve"]);
    std::fs::remove_file(&file).unwrap();
    assert!(stdout(&output).contains(r#"call   echo {"message":"from a file"}"#), "{}", stdout(&output));
}

#[test]
fn levels_choose_checks() {
    let report = |level: &str| -> serde_json::Value {
        let fixed =
            ["check", "--protocol", "2025-11-25", "--only", "tools", "--only", level, "--format", "json"];
        serde_json::from_slice(&yardstick(&[&fixed[..], &["--", SELF, "serve"]].concat()).stdout).unwrap()
    };
    for (level, shown) in [("must", "MUST"), ("should", "SHOULD")] {
        let report = report(level);
        let cases = report["cases"].as_array().unwrap();
        assert!(!cases.is_empty() && cases.iter().all(|case| case["level"] == shown), "{report}");
    }
}

/// The processes that are greeted with a revision that does not exist take longer to start than an answer may take.
#[cfg(unix)]
#[test]
fn a_process_that_is_slow_to_start_has_done_nothing_wrong() {
    let slow = format!(
        r#"read -r line; case "$line" in *1999-12-31*) sleep 9;; esac; (printf '%s\n' "$line"; cat) | {SELF} serve"#
    );
    let only =
        ["--only", "server/lifecycle", "--protocol", "2025-11-25", "--timeout", "1", "--start-timeout", "5"];
    let output = yardstick(&[&["check"][..], &only, &["--format", "json", "--", "sh", "-c", &slow]].concat());
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let cases = report["cases"].as_array().unwrap();
    let of = |id: &str| cases.iter().find(|case| case["check"] == id).unwrap()["outcome"].clone();
    assert_eq!(of("server/lifecycle/ping-answered"), "passed", "{report}");
    assert_eq!(of("server/lifecycle/version-countered"), "blocked", "{report}");
}

#[cfg(unix)]
#[test]
fn who_interrupts_a_run_leaves_no_server_behind() {
    let mark = std::env::temp_dir().join(format!("yardstick-deaf-{}", std::process::id()));
    let script = format!("trap '' TERM INT HUP; echo $$ > {}; while :; do sleep 1; done", mark.display());
    let mut run = std::process::Command::new(SELF)
        .args(["check", "--", "sh", "-c", &script])
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let within = |what: &str, done: &dyn Fn() -> bool| {
        let start = Instant::now();
        while !done() {
            assert!(start.elapsed() < Duration::from_secs(10), "{what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let server = || std::fs::read_to_string(&mark).ok().filter(|text| text.ends_with('\n'));
    within("the server was not started", &|| server().is_some());
    let signal = |name: &str, pid: &str| {
        let kill = std::process::Command::new("kill").args([name, pid.trim()]).output().unwrap();
        kill.status.success()
    };
    assert!(signal("-INT", &run.id().to_string()));
    assert_eq!(run.wait().unwrap().code(), Some(130));
    let pid = server().unwrap();
    within("the server is still there", &|| !signal("-0", &pid));
    std::fs::remove_file(mark).unwrap();
}

/// A process that dies makes room for the next one: nothing waits for the rights that it had.
#[test]
fn a_server_that_dies_of_a_bad_line_is_measured_in_seconds() {
    let begun = Instant::now();
    let output = yardstick(&[
        "check",
        "--protocol",
        "2025-11-25",
        "--start-timeout",
        "120",
        "--",
        SELF,
        "serve",
        "--fault",
        "dies-of-bad-line",
    ]);
    assert_eq!(output.status.code(), Some(1));
    assert!(begun.elapsed() < Duration::from_secs(60), "took {:?}", begun.elapsed());
}
