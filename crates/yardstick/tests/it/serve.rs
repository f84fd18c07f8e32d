//! `yardstick serve`

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use crate::{stdout, yardstick};

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve(arguments: &[&str]) -> Running {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yardstick"));
    command.arg("serve").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    Running(command.spawn().unwrap())
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
