//! `yardstick tap`: it changes nothing, and records everything.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::{SELF, Scratch, stderr, stdout, yardstick};

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(arguments: &[&str]) -> Running {
    let mut command = Command::new(SELF);
    let pipes = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Running(pipes.spawn().unwrap())
}

/// Starts something that prints its URL.
fn listen(arguments: &[&str]) -> (Running, String) {
    let mut running = start(arguments);
    let mut line = String::new();
    BufReader::new(running.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    (running, line.trim().to_owned())
}

fn signal(running: &Running, name: &str) {
    let pid = running.0.id().to_string();
    assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
}

/// What the tap says once it is told to stop.
fn stop(mut running: Running) -> (Option<i32>, String) {
    signal(&running, "-TERM");
    let mut told = String::new();
    let mut errors = running.0.stderr.take().unwrap();
    std::io::Read::read_to_string(&mut errors, &mut told).unwrap();
    (running.0.wait().unwrap().code(), told)
}

fn pass(record: &str, input: &[u8], command: &[&str]) -> Output {
    let mut running = start(&[&["tap", "--record", record, "--"], command].concat());
    let mut stdin = running.0.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let mut output = Output { status: Default::default(), stdout: Vec::new(), stderr: Vec::new() };
    std::io::Read::read_to_end(running.0.stdout.as_mut().unwrap(), &mut output.stdout).unwrap();
    std::io::Read::read_to_end(running.0.stderr.as_mut().unwrap(), &mut output.stderr).unwrap();
    output.status = running.0.wait().unwrap();
    writer.join().unwrap();
    output
}

fn judged(file: &Scratch) -> (Option<i32>, String) {
    let output = yardstick(&["check", "wire", file.path()]);
    (output.status.code(), format!("{}{}", stdout(&output), stderr(&output)))
}

#[test]
fn a_server_behind_a_tap_is_the_same_server_in_both_eras() {
    let file = Scratch::new("tap-sound.ndjson");
    let client = ["check", "--protocol", "2025-11-25", "--protocol", "2026-07-28", "--"];
    let output =
        yardstick(&[&client[..], &[SELF, "tap", "--record", file.path(), "--", SELF, "serve"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let (code, told) = judged(&file);
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("2025-11-25, 2026-07-28 · yardstick"), "{told}");
}

#[test]
fn a_fault_behind_a_tap_is_in_the_record() {
    let file = Scratch::new("tap-broken.ndjson");
    let client = ["check", "--protocol", "2025-11-25", "--only", "server/tools", "--"];
    let tap = [SELF, "tap", "--record", file.path(), "--", SELF, "serve", "--fault", "stdout-noise"];
    yardstick(&[&client[..], &tap[..]].concat());
    let (code, told) = judged(&file);
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("FAILED  wire/stdio/only-messages"), "{told}");
}

#[test]
fn bytes_pass_untouched_whatever_they_are() {
    let file = Scratch::new("tap-bytes.ndjson");
    let mut input = b"{\"half\":\n\xff\xfe\r\n\n".to_vec();
    input.extend(std::iter::repeat_n(b'x', 10 << 20));
    input.extend_from_slice(b"\n{\"jsonrpc\":\"2.0\"}\nno newline");
    let output = pass(file.path(), &input, &["cat"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout == input, "{} of {} bytes", output.stdout.len(), input.len());
    let recording = wire::recording::Recording::parse(std::fs::read(&file.0).unwrap()).unwrap();
    let got = recording.sessions[0].transcript.entries.iter();
    let got: Vec<_> = got.filter(|entry| entry.direction == wire::Direction::ToClient).collect();
    assert_eq!(&got[1].bytes[..], b"\xff\xfe\r");
    assert!(got.iter().any(|entry| entry.bytes.len() == 10 << 20));
    assert!(got.iter().any(|entry| entry.what == wire::What::Noise && &entry.bytes[..] == b"no newline"));
}

#[test]
fn stderr_and_the_exit_code_pass() {
    let file = Scratch::new("tap-exit.ndjson");
    for (command, code) in [
        (&["sh", "-c", "echo oops >&2; exit 7"][..], 7),
        (&["sh", "-c", "kill -9 $$"], 137),
        (&["no-such-program-here"], 127),
    ] {
        let output = pass(file.path(), b"", command);
        assert_eq!(output.status.code(), Some(code), "{command:?}: {}", stderr(&output));
        assert!(code != 7 || stderr(&output).contains("oops"));
    }
    assert!(file.text().contains(r#""what":"stderr","text":"oops""#), "{}", file.text());
}

#[test]
fn signals_reach_the_program() {
    let file = Scratch::new("tap-signal.ndjson");
    let script = "trap 'exit 9' TERM; echo ready; while :; do sleep 0.05; done";
    let mut running = start(&["tap", "--record", file.path(), "--", "sh", "-c", script]);
    let mut line = String::new();
    BufReader::new(running.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    signal(&running, "-TERM");
    assert_eq!(running.0.wait().unwrap().code(), Some(9));
}

#[test]
fn a_program_that_ignores_a_signal_is_killed_at_the_next() {
    let file = Scratch::new("tap-stubborn.ndjson");
    let script = "trap 'echo told' TERM; echo ready; while :; do sleep 0.05; done";
    let mut running = start(&["tap", "--record", file.path(), "--", "sh", "-c", script]);
    let mut said = BufReader::new(running.0.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(said.next().as_deref(), Some("ready"));
    signal(&running, "-TERM");
    assert_eq!(said.next().as_deref(), Some("told"), "the first one is the program's to obey");
    signal(&running, "-TERM");
    assert_eq!(running.0.wait().unwrap().code(), Some(128 + 9));
}

#[test]
fn a_file_that_takes_nothing_does_not_disturb_the_session() {
    let full = if cfg!(target_os = "linux") { "/dev/full" } else { "/no/such/directory/x" };
    for (file, reason) in [
        ("/no/such/directory/x", "nothing is recorded"),
        (full, if full == "/dev/full" { "ends here" } else { "nothing" }),
    ] {
        let output = pass(file, b"{}\n", &["cat"]);
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(0), b"{}\n".as_slice()));
        assert!(stderr(&output).contains(reason), "{}", stderr(&output));
    }
}

#[test]
fn a_tap_that_is_killed_has_lost_nothing() {
    let file = Scratch::new("tap-killed.ndjson");
    let mut running = start(&["tap", "--record", file.path(), "--", "cat"]);
    writeln!(running.0.stdin.as_mut().unwrap(), r#"{{"jsonrpc":"2.0","method":"a"}}"#).unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    // Neither stream has ended; the lines must be there all the same.
    while file.text().matches(r#""method":"a""#).count() < 2 {
        assert!(Instant::now() < deadline, "{}", file.text());
        std::thread::sleep(Duration::from_millis(10));
    }
    running.0.kill().unwrap();
    running.0.wait().unwrap();
    let recording = wire::recording::Recording::parse(file.text()).unwrap();
    assert_eq!(recording.sessions[0].transcript.messages().count(), 2);
}

#[test]
fn findings_come_on_stderr_and_secrets_stay_out() {
    let file = Scratch::new("tap-check.ndjson");
    let mut command = Command::new(SELF);
    command.args(["tap", "--check", "--record", file.path(), "--", "sh", "-c"]);
    command.arg("read line; echo log line; echo \"$line\" >&2; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"t\":\"tok-123456\"}}'");
    command.env("SERVICE_TOKEN", "tok-123456");
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().unwrap();
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
    writeln!(child.stdin.take().unwrap(), "{request}").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "the exit code is the program's");
    assert!(stdout(&output).starts_with("log line\n{") && stdout(&output).contains("tok-123456"));
    assert!(stderr(&output).contains("FAILED  wire/stdio/only-messages"), "{}", stderr(&output));
    assert!(file.text().contains(r#""t":"***""#) && !file.text().contains("tok-123456"), "{}", file.text());
}

#[test]
fn an_http_server_behind_a_tap_is_the_same_server() {
    let (_server, url) = listen(&["serve", "--http", "127.0.0.1:0"]);
    let file = Scratch::new("tap-http.ndjson");
    let (tap, at) = listen(&["tap", &url, "--record", file.path(), "--check"]);
    let token = "Authorization: Bearer s3cr3t-t0ken";
    let client = ["check", &at, "--header", token, "--protocol", "2025-11-25", "--protocol", "2026-07-28"];
    let output = yardstick(&client);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let (code, told) = stop(tap);
    assert_eq!(code, Some(0), "{told}");
    let text = file.text();
    assert!(text.contains(r#"["authorization","Bearer ***"]"#) && !text.contains("s3cr3t-t0ken"));
    assert!(text.contains(r#"["mcp-session-id","session-1"]"#) && text.contains("text/event-stream"));
    let (code, told) = judged(&file);
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("· http ·"), "{told}");
}

#[test]
fn a_fault_over_http_is_in_the_record_of_the_old_transport_too() {
    let (_server, url) = listen(&["serve", "--http", "127.0.0.1:0", "--fault", "jsonrpc-missing"]);
    let sse = url.replace("/mcp", "/sse");
    for (url, version) in [(&url, "2025-11-25"), (&sse, "2024-11-05")] {
        let file = Scratch::new(&format!("tap-http-{version}.ndjson"));
        let (tap, at) = listen(&["tap", url, "--record", file.path()]);
        yardstick(&["check", &at, "--protocol", version, "--only", "server/base"]);
        assert_eq!(stop(tap).0, Some(0));
        let (code, told) = judged(&file);
        assert_eq!(code, Some(1), "{told}");
        assert!(told.contains("FAILED  wire/jsonrpc/version-marked") && told.contains(version), "{told}");
        assert_eq!(told.contains("http+sse"), version == "2024-11-05", "{told}");
    }
}
