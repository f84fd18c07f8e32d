//! `yardstick serve`

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use crate::running::Running;
use crate::{stdout, yardstick};

struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve(arguments: &[&str]) -> Started {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yardstick"));
    command.arg("serve").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    Started(command.spawn().unwrap())
}

#[test]
fn stdio_answers_line_by_line_and_ends_with_its_input() {
    let mut server = serve(&[]);
    let mut input = server.0.stdin.take().unwrap();
    writeln!(input, r#"{{"jsonrpc":"2.0","id":1,"method":"ping"}}"#).unwrap();
    let mut line = String::new();
    BufReader::new(server.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    drop(input);
    assert!(server.0.wait().unwrap().success());
}

#[test]
fn http_prints_its_url_and_answers_there() {
    let mut server = serve(&["--http", "127.0.0.1:0"]);
    let mut line = String::new();
    BufReader::new(server.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp")).unwrap();
    let mut socket = TcpStream::connect(address).unwrap();
    write!(socket, "GET /nowhere HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").unwrap();
    let mut response = String::new();
    socket.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 404") && response.contains("/mcp"), "{response}");
}

#[test]
fn faults_are_listed_with_what_they_break() {
    let text = stdout(&yardstick(&["serve", "--fault", "list"]));
    for fault in server::Fault::all() {
        assert!(text.contains(fault.name) && text.contains(fault.about), "{}", fault.name);
    }
}

#[test]
fn an_address_that_stands_for_all_is_printed_as_one_to_connect_to() {
    let mut server = serve(&["--http", "0.0.0.0:0"]);
    let mut line = String::new();
    BufReader::new(server.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp")).unwrap();
    assert!(address.starts_with("127.0.0.1:"), "{line}");
    assert!(TcpStream::connect(address).is_ok());
}

/// The status of a request for tools that shows `token`, if one is given.
fn status_with(server: &Running, token: &str) -> String {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let (address, length) = (server.address(), body.len());
    let mut socket = TcpStream::connect(address).unwrap();
    write!(
        socket,
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .unwrap();
    let mut response = String::new();
    socket.read_to_string(&mut response).unwrap();
    response.split(' ').nth(1).unwrap().to_owned()
}

#[test]
fn the_token_may_be_in_a_file_or_in_a_variable() {
    let file = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("serve-token.txt");
    std::fs::write(&file, "in-a-file\n").unwrap();
    let server = Running::serve(&["--token-file", file.to_str().unwrap()]);
    assert_eq!(status_with(&server, "in-a-fil"), "401");
    assert_eq!(status_with(&server, "in-a-file"), "400", "it is let in, and has no session");
    let server = Running::serve_with(&[], &[("YARDSTICK_TOKEN", "in-a-variable")]);
    assert_eq!(status_with(&server, "in-a-file"), "401");
    assert_eq!(status_with(&server, "in-a-variable"), "400");
    let missing = yardstick(&["serve", "--http", "127.0.0.1:0", "--token-file", "no-such-file"]);
    assert_eq!(missing.status.code(), Some(3));
}

#[test]
fn the_longest_message_can_be_chosen() {
    let server = Running::serve(&["--max-message", "100K"]);
    let address = server.address();
    let mut socket = TcpStream::connect(address).unwrap();
    write!(
        socket,
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: 102401\r\n\r\n"
    )
    .unwrap();
    let mut start = [0; 12];
    socket.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 413");
    for wrong in ["1", "100X", "9G"] {
        let output = yardstick(&["serve", "--http", "127.0.0.1:0", "--max-message", wrong]);
        assert_eq!(output.status.code(), Some(2), "{wrong}");
    }
}
