//! Options of the connection, of the run and of the terminal.

use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::running::Running;
use crate::{SELF, stderr, stdout, yardstick};

const ONE: [&str; 4] = ["--only", "server/tools/unknown-tool-refused", "--protocol", "2025-11-25"];

#[test]
fn a_url_needs_no_scheme_on_this_machine() {
    let server = Running::serve(&[]);
    let bare = format!("{}/mcp", server.address());
    let output = yardstick(&[&["check", &bare], &ONE[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains(&server.url), "{}", stdout(&output));
}

#[test]
fn a_file_in_the_place_of_a_url_is_told_where_it_belongs() {
    let output = yardstick(&["check", "server.js"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("yardstick check -- server.js"), "{}", stderr(&output));
}

#[test]
fn a_variable_in_a_header_is_put_in_and_never_shown() {
    let server = Running::serve(&["--token", "from-a-variable", "--fault", "unknown-tool-succeeds"]);
    let header = ["--header", "Authorization: Bearer ${YARDSTICK_TEST_TOKEN}"];
    let run = |token: Option<&str>| {
        let mut command = Command::new(SELF);
        command.args(["check", &server.url]).args(header).args(ONE).args(["--verbose", "--format", "json"]);
        command.envs(token.map(|token| ("YARDSTICK_TEST_TOKEN", token))).output().unwrap()
    };
    let output = run(Some("from-a-variable"));
    assert_eq!(output.status.code(), Some(1), "{}{}", stdout(&output), stderr(&output));
    let told = stdout(&output);
    assert!(!told.contains("from-a-variable"), "{told}");
    assert!(told.contains("--header 'Authorization: Bearer ${YARDSTICK_TEST_TOKEN}'"), "{told}");
    let unset = run(None);
    assert_eq!(unset.status.code(), Some(2));
    assert!(stderr(&unset).contains("`YARDSTICK_TEST_TOKEN` is not set"), "{}", stderr(&unset));
}

/// A port where nobody listens yet.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[test]
fn a_server_that_is_still_starting_is_waited_for() {
    let address = format!("127.0.0.1:{}", free_port());
    let url = format!("http://{address}/mcp");
    let check = Command::new(SELF)
        .args(["check", &url, "--wait", "20"])
        .args(ONE)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(600));
    let mut server = Command::new(SELF)
        .args(["serve", "--http", &address])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let output = check.wait_with_output().unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
}

#[test]
fn waiting_ends() {
    let url = format!("http://127.0.0.1:{}/mcp", free_port());
    let start = Instant::now();
    let output = yardstick(&[&["check", &url, "--wait", "1"], &ONE[..]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!((500..15_000).contains(&start.elapsed().as_millis()), "{:?}", start.elapsed());
}

#[test]
fn a_revision_that_is_named_twice_is_measured_once() {
    let output = yardstick(&[&["check", "--built-in=stdio", "--protocol", "2025-11-25"], &ONE[..]].concat());
    assert!(stdout(&output).contains("conformant: 1 passed"), "{}", stdout(&output));
}

#[test]
fn jobs_are_counted() {
    let output = yardstick(&[&["check", "--built-in", "--jobs", "1"], &ONE[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let none = yardstick(&["check", "--built-in", "--jobs", "0"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(stderr(&none).contains("between 1 and 1000"), "{}", stderr(&none));
}

#[test]
fn colours_come_when_they_are_asked_for() {
    let run = |arguments: &[&str], variable: &str| {
        let mut command = Command::new(SELF);
        command.args(arguments).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env(variable, "1");
        let output = command.output().unwrap();
        let told = format!("{}{}", stdout(&output), stderr(&output));
        told.contains('\u{1b}')
    };
    for command in [
        &["explain", "server/tools/name-unique"][..],
        &[&["check", "--built-in"], &ONE[..]].concat(),
        &["check", "--no-such-option"],
    ] {
        let with = |option: &'static str| [command, &[option][..]].concat();
        assert!(!run(command, "UNUSED"), "{command:?}: a pipe has no colours");
        assert!(run(&with("--color=always"), "NO_COLOR"), "{command:?}");
        assert!(run(command, "CLICOLOR_FORCE"), "{command:?}");
        assert!(!run(&with("--color=never"), "CLICOLOR_FORCE"), "{command:?}");
    }
}
