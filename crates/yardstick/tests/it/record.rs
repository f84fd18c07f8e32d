//! `yardstick check --record`, and `yardstick check wire`

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use crate::{SELF, Scratch, stderr, stdout, yardstick};

/// Judges `text`, given on stdin.
fn judge(text: &[u8], arguments: &[&str]) -> Output {
    let mut command = Command::new(SELF);
    command.args(["check", "wire", "-"]).args(arguments);
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let text = text.to_vec();
    let writer = std::thread::spawn(move || drop(input.write_all(&text)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

#[test]
fn the_sessions_of_a_run_are_saved_and_judged_alike() {
    let file = Scratch::new("sound.ndjson");
    let output =
        yardstick(&["check", "--only", "server/tools", "--record", file.path(), "--", SELF, "serve"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let text = file.text();
    assert!(text.starts_with(r#"{"format":"mcp-transcript","version":1,"#), "{text}");
    assert!(text.contains(r#""protocol":"2024-11-05""#) && text.contains(r#""protocol":"2026-07-28""#));
    assert!(text.contains(r#""what":"end""#), "the end of the process belongs to the session");
    let output = yardstick(&["check", "wire", file.path()]);
    let told = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{told}{}", stderr(&output));
    assert!(told.contains("· stdio · speaks 2024-11-05") && told.contains("conformant: "), "{told}");
}

#[test]
fn a_fault_is_found_in_the_record_and_shown_again_by_the_command_that_it_prints() {
    let file = Scratch::new("broken.ndjson");
    let live = ["check", "--protocol", "2025-11-25", "--only", "server/tools", "--record", file.path(), "--"];
    let fault = [SELF, "serve", "--fault", "answered-twice"];
    yardstick(&[&live[..], &fault[..]].concat());
    let output = yardstick(&["check", "wire", file.path()]);
    let told = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{told}{}", stderr(&output));
    assert!(told.contains("FAILED  wire/jsonrpc/answered-once"), "{told}");
    let again = told.lines().find_map(|line| line.trim().strip_prefix("again     yardstick ")).unwrap();
    let again: Vec<&str> = again.split(' ').collect();
    assert_eq!(yardstick(&again).status.code(), Some(1), "{again:?}");
}

#[test]
fn a_report_of_a_record_is_a_report() {
    let text = br#"{"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"ping"}}
{"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{},"error":{}}}"#;
    let output = judge(text, &["--protocol", "2025-11-25", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["verdict"], "not-conformant");
    let failed = |case: &&serde_json::Value| case["outcome"] == "failed";
    let case = report["cases"].as_array().unwrap().iter().find(failed).unwrap();
    assert_eq!(case["check"], "wire/jsonrpc/one-of-result-and-error");
    let shown = |at: usize| case["frames"][at]["text"].as_str().unwrap();
    assert!(shown(0).contains("\"ping\"") && shown(1).contains("\"error\""), "{case}");
}

#[test]
fn a_baseline_bears_what_is_known_of_a_record() {
    let text = br#"{"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"ping"}}
{"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{},"error":{}}}"#;
    let list = Scratch::new("known.txt");
    let revision = ["--protocol", "2025-11-25"];
    let first = judge(text, &[&revision[..], &["--write-baseline", list.path()]].concat());
    assert_eq!(first.status.code(), Some(1), "{}", stdout(&first));
    assert!(list.text().contains("wire/jsonrpc/one-of-result-and-error 2025-11-25 stdio"), "{}", list.text());
    let known = judge(text, &[&revision[..], &["--baseline", list.path(), "--format", "json"]].concat());
    let report: serde_json::Value = serde_json::from_slice(&known.stdout).unwrap();
    assert_eq!(report["counts"]["failed"], 0, "{}", stdout(&known));
    assert!(report["counts"]["knownFailures"].as_u64().unwrap() > 0);
    assert_ne!(known.status.code(), Some(1), "{}", stdout(&known));
}

#[test]
fn either_side_is_judged_on_request() {
    let text = br#"{"session":"s","protocol":"2025-11-25"}
{"session":"s","from":"client","message":{"jsonrpc":"1.0","id":1,"method":"ping"}}
{"session":"s","from":"server","message":{"jsonrpc":"2.0","id":1,"result":{}}}
"#;
    for (side, code) in [("server", 0), ("client", 1), ("both", 1)] {
        let output = judge(text, &["--side", side]);
        assert_eq!(output.status.code(), Some(code), "{side}: {}", stdout(&output));
    }
    let told = stdout(&judge(text, &["--side", "both"]));
    assert!(
        told.contains("wire/jsonrpc/version-marked") && told.contains("→ {\"jsonrpc\":\"1.0\""),
        "{told}"
    );
}

#[test]
fn what_cannot_be_judged_is_3_and_says_why() {
    let ping = r#"{"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"ping"}}"#;
    let pong = r#"{"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{}}}"#;
    let named = |version: &str| format!("{{\"session\":\"1\",\"protocol\":\"{version}\"}}\n{ping}\n{pong}\n");
    for (text, reason) in [
        (String::new(), "no message"),
        ("\n\n".to_owned(), "no message"),
        (format!("{ping}\n{pong}\n"), "does not tell its revision; --protocol"),
        (format!("{ping}\nnonsense\n"), "line 2: not JSON"),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n".to_owned(),
            "line 1: a message that does not say who",
        ),
        (named("1999-01-01"), "`1999-01-01`"),
        ("garbage".to_owned(), "`-` is not a recording"),
    ] {
        let output = judge(text.as_bytes(), &[]);
        assert_eq!(output.status.code(), Some(3), "{text}: {}", stdout(&output));
        assert!(stderr(&output).contains(reason), "{text}: {}", stderr(&output));
    }
    let only_client = judge(ping.as_bytes(), &["--protocol", "2025-11-25"]);
    assert_eq!(only_client.status.code(), Some(3), "{}", stdout(&only_client));
    let other = judge(named("2025-11-25").as_bytes(), &["--protocol", "2025-06-18"]);
    assert_eq!(other.status.code(), Some(3));
    assert!(stderr(&other).contains("is in 2025-11-25, which was not asked for"), "{}", stderr(&other));
    let missing = yardstick(&["check", "wire", "no-such-file.ndjson"]);
    assert_eq!(missing.status.code(), Some(3));
    assert!(stderr(&missing).contains("no-such-file.ndjson"));
}

#[test]
fn hostile_records_are_judged_or_refused_but_never_a_panic() {
    let server = |text: &str| {
        format!("{{\"session\":\"1\",\"protocol\":\"2026-07-28\"}}\n{{\"from\":\"server\",{text}}}\n")
    };
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
    let texts = [
        server(&format!("\"text\":\"{}\"", "x".repeat(10 << 20))),
        server(&format!("\"message\":{}", deep("[", "]"))),
        server(&format!("\"message\":{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}}", deep("{\"a\":", "}"))),
        server("\"message\":{\"jsonrpc\":\"2.0\",\"error\":7,\"id\":{}}"),
        server("\"message\":[[],7,null,{\"method\":\"notifications/progress\",\"params\":3}]"),
        server("\"what\":\"head\",\"start\":\"\",\"headers\":[]"),
        "[".repeat(1 << 20),
        "\u{0}\u{1}\n\n{".to_owned(),
    ];
    for text in texts {
        let output = judge(text.as_bytes(), &["--side", "both"]);
        let start: String = text.chars().take(120).collect();
        assert!(matches!(output.status.code(), Some(1 | 3)), "{start}: {}", stderr(&output));
        assert!(!stderr(&output).contains("panicked"), "{start}: {}", stderr(&output));
    }
}

/// Options work before and after the subcommand, also some here and some there; nothing else becomes one.
#[test]
fn wire_is_a_subcommand() {
    let file = Scratch::new("subcommand.ndjson");
    let lines = [
        r#"{"session":"s","protocol":"2025-11-25"}"#,
        r#"{"session":"s","from":"client","message":{"jsonrpc":"1.0","id":1,"method":"ping"}}"#,
        r#"{"session":"s","from":"server","message":{"jsonrpc":"2.0","id":1,"result":{}}}"#,
    ];
    std::fs::write(file.path(), lines.join("\n")).unwrap();
    let run = |words: &[&str]| yardstick(&[&["check"][..], words].concat());
    let after =
        run(&["wire", file.path(), "--side", "client", "--only", "wire/jsonrpc", "--only", "wire/message"]);
    assert_eq!(after.status.code(), Some(1), "{}", stderr(&after));
    for words in [
        &["--side", "client", "--only", "wire/jsonrpc", "--only", "wire/message", "wire", file.path()][..],
        &["--only", "wire/jsonrpc", "wire", "--only", "wire/message", file.path(), "--side", "client"],
    ] {
        assert_eq!(stdout(&run(words)), stdout(&after), "{words:?}");
    }
    let help = stdout(&run(&["--help"]));
    assert!(help.contains("wire <FILE>...") && help.contains("yardstick check wire run.ndjson"), "{help}");
    assert!(stdout(&run(&["wire", "--help"])).contains("Examples:"));
    for (words, code, culprit) in [
        (&["http://127.0.0.1:9/mcp", "wire", file.path()][..], 2, "`http://127.0.0.1:9/mcp` names a server"),
        (&["--built-in", "wire", file.path()], 2, "`--built-in` names a server"),
        (&["help"], 2, "`help` is not a URL"),
        (&["./wire"], 2, "`./wire` is not a URL"),
        (&["--", "wire"], 3, "wire"),
    ] {
        let output = run(words);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(culprit), "{words:?}: {}", stderr(&output));
    }
}

#[test]
fn usage_is_2() {
    for (arguments, culprit) in [
        (&["check", "wire"][..], "which recording"),
        (&["check", "http://127.0.0.1:9/mcp", "second"], "second"),
        (&["check", "--record", "/no/such/directory/x", "--", "true"], "/no/such/directory/x"),
        (&["tap"], "URL"),
        (&["tap", "nonsense"], "nonsense"),
    ] {
        let output = yardstick(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(culprit), "{arguments:?}: {}", stderr(&output));
    }
}

/// The examples of the documentation are what they are said to be.
#[test]
fn documented_lines_are_read() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/transcripts.md");
    let document = std::fs::read_to_string(file).unwrap();
    let mut examples = 0;
    for block in document.split("\n```ndjson").skip(1) {
        let (kind, rest) = block.split_once('\n').unwrap();
        let (lines, _) = rest.split_once("\n```").unwrap();
        let output = judge(lines.as_bytes(), &[]);
        let expected = if kind.trim() == "fails" { 1 } else { 0 };
        assert_eq!(output.status.code(), Some(expected), "{lines}\n{}{}", stdout(&output), stderr(&output));
        examples += 1;
    }
    assert!(examples >= 4, "{examples}");
}
