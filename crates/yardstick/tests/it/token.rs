//! A server that asks for a token, from the command line.

use std::process::{Command, Output};

use crate::running::Running;
use crate::{stderr, stdout, yardstick};

const TOKEN: &str = "t0p/s3cret+token==";

fn guarded() -> Running {
    Running::serve(&["--token", TOKEN])
}

fn shows_no_secret(output: &Output) {
    let all = format!("{}{}", stdout(output), stderr(output));
    assert!(!all.contains(TOKEN) && !all.contains("t0p%2Fs3cret"), "{all}");
}

#[test]
fn with_the_token_a_guarded_server_is_conformant() {
    let server = guarded();
    let output = yardstick(&["check", &server.url, "--bearer", TOKEN, "--protocol", "2025-11-25"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("authorization"), "{}", stdout(&output));
    shows_no_secret(&output);
}

#[test]
fn the_token_may_come_from_the_environment() {
    let server = guarded();
    let only = ["check", &server.url, "--only", "server/lifecycle", "--protocol", "2026-07-28"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_yardstick"));
    let output = command.args(only).env("YARDSTICK_BEARER", TOKEN).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    shows_no_secret(&output);
}

#[test]
fn without_the_token_the_report_says_how_to_give_one() {
    let server = guarded();
    let output = yardstick(&["check", &server.url]);
    assert_eq!(output.status.code(), Some(3), "{}{}", stdout(&output), stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("--bearer TOKEN") && text.contains("authorization"), "{text}");
    assert!(text.contains("the server asks for a token"), "{text}");
    says_it_once(&text);
}

#[test]
fn a_wrong_token_is_said_to_be_refused() {
    let server = guarded();
    let output = yardstick(&["check", &server.url, "--bearer", "another"]);
    assert_eq!(output.status.code(), Some(3), "{}{}", stdout(&output), stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("refused the token") && !text.contains("asks for a token"), "{text}");
    says_it_once(&text);
}

/// One reason, with the number of checks that it blocks, and no advice that would not help.
fn says_it_once(text: &str) {
    assert_eq!(text.matches("HTTP 401").count(), 1, "{text}");
    assert_eq!(text.matches(" checks blocked").count(), 1, "{text}");
    assert!(!text.contains("--allow-calls") && text.lines().count() < 12, "{text}");
}
