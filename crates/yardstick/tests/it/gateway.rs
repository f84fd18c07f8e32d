//! `yardstick gateway`: a server behind it is the same server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use crate::{SELF, Scratch, stderr, stdout, yardstick};

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts something that prints its URL.
fn listen(arguments: &[&str]) -> (Running, String) {
    let mut command = Command::new(SELF);
    let spawned = command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let mut running = Running(spawned.unwrap());
    let mut line = String::new();
    BufReader::new(running.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    (running, line.trim().to_owned())
}

/// The reference server passes every check in every revision, however it is reached.
fn expect_conformant(target: &[&str]) {
    let output = yardstick(&[&["check"], target].concat());
    let text = format!("{}{}", stdout(&output), stderr(&output));
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("in 5 revisions"), "{text}");
}

#[test]
fn a_stdio_server_over_http() {
    let (_gateway, url) = listen(&["gateway", "--", SELF, "serve"]);
    expect_conformant(&[&url]);
}

#[test]
fn an_http_server_over_http() {
    let (_server, url) = listen(&["serve", "--http", "127.0.0.1:0"]);
    let (_gateway, url) = listen(&["gateway", &url]);
    expect_conformant(&[&url]);
}

#[test]
fn a_stdio_server_over_stdio() {
    expect_conformant(&["--", SELF, "gateway", "--stdio", "--", SELF, "serve"]);
}

#[test]
fn an_http_server_over_stdio() {
    let (_server, url) = listen(&["serve", "--http", "127.0.0.1:0"]);
    expect_conformant(&["--", SELF, "gateway", "--stdio", &url]);
}

/// Posts a message; the head and the body of the response.
fn post(url: &str, headers: &str, body: &str) -> (String, String) {
    let authority = url.trim_start_matches("http://").trim_end_matches("/mcp");
    let mut socket = TcpStream::connect(authority).unwrap();
    let length = body.len();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {authority}\r\nContent-Type: application/json\r\nAccept: application/json, \
         text/event-stream\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
    );
    socket.write_all(format!("{head}{body}").as_bytes()).unwrap();
    let mut response = String::new();
    socket.read_to_string(&mut response).unwrap();
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

/// Opens a session; the header that names it.
fn open(url: &str) -> String {
    let (head, _) = post(url, "", INITIALIZE);
    let session = head.lines().find(|line| line.to_ascii_lowercase().starts_with("mcp-session-id:"));
    let session = format!("{}\r\n", session.unwrap());
    post(url, &session, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    session
}

/// An answer as the server would have given it directly, whatever the spelling of numbers and ids, and with members that
/// nobody knows.
#[test]
fn not_a_byte_is_changed() {
    let (_server, direct) = listen(&["serve", "--http", "127.0.0.1:0"]);
    let (_gateway, through) = listen(&["gateway", &direct]);
    let (_stdio, piped) = listen(&["gateway", "--", SELF, "serve"]);
    let sessions = [&direct, &through, &piped].map(|url| (url, open(url)));
    for request in [
        r#"{"jsonrpc":"2.0","id":1e2,"method":"tools/list"}"#,
        r#"{"id":"\u0061\"","method":"resources/list","jsonrpc":"2.0","x-unknown":{"b":1,"a":2.50}}"#,
        r#"{"jsonrpc":"2.0","id":-9007199254740993,"method":"prompts/list","params":{"_meta":{"k":1.0}}}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"resources/templates/list"}"#,
        r#"{"jsonrpc":"2.0","id":8,"method":"no/such/method","params":{"deep":[[[1]]]}}"#,
        "{\n  \"jsonrpc\": \"2.0\",\r\n  \"id\": 9,\n  \"method\": \"ping\"\n}",
    ] {
        let bodies = sessions.each_ref().map(|(url, session)| post(url, session, request).1);
        assert!(bodies[0].contains("jsonrpc"), "{request}: {}", bodies[0]);
        assert_eq!(bodies[0], bodies[1], "{request}");
        assert_eq!(bodies[0], bodies[2], "{request}");
    }
}

#[test]
fn credentials_of_the_client_go_to_no_server() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = format!("http://{}/mcp", listener.local_addr().unwrap());
    let seen = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut head = vec![0; 16 * 1024];
        let count = socket.read(&mut head).unwrap();
        let body = r#"{"jsonrpc":"2.0","id":"i","error":{"code":-32600,"message":"no"}}"#;
        let length = body.len();
        let head_out = "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length:";
        socket.write_all(format!("{head_out} {length}\r\n\r\n{body}").as_bytes()).unwrap();
        String::from_utf8_lossy(&head[..count]).to_ascii_lowercase()
    });
    let (_gateway, url) = listen(&["gateway", "--header", "Authorization: Bearer for-the-server", &server]);
    let sent = "Authorization: Bearer for-the-gateway\r\nCookie: a=b\r\nX-Unknown: kept\r\n";
    let (head, body) = post(&url, sent, INITIALIZE);
    assert!(head.starts_with("HTTP/1.1 400"), "the status of the server: {head}");
    assert!(body.contains(r#""message":"no""#), "{body}");
    let seen = seen.join().unwrap();
    assert!(seen.contains("bearer for-the-server") && seen.contains("x-unknown: kept"), "{seen}");
    assert!(!seen.contains("for-the-gateway") && !seen.contains("cookie"), "{seen}");
}

/// A client that is told 401 looks for credentials that the gateway would take.
#[test]
fn a_server_that_asks_for_credentials_is_to_blame() {
    let token = Scratch::new("gateway-token");
    std::fs::write(token.path(), "secret").unwrap();
    let (_server, direct) = listen(&["serve", "--http", "127.0.0.1:0", "--token-file", token.path()]);
    let (_gateway, url) = listen(&["gateway", &direct]);
    let (head, body) = post(&url, "Authorization: Bearer secret\r\n", INITIALIZE);
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    assert!(body.contains("asks for credentials") && body.contains(r#""blame":"upstream""#), "{body}");
    let (_gateway, url) = listen(&["gateway", "--header", "Authorization: Bearer secret", &direct]);
    let (head, body) = post(&url, "", INITIALIZE);
    assert!(head.starts_with("HTTP/1.1 200"), "{head} {body}");
}

#[test]
fn a_server_that_forgets_its_sessions_is_told_of_them_again() {
    let (server, direct) = listen(&["serve", "--http", "127.0.0.1:0"]);
    let (_gateway, through) = listen(&["gateway", &direct]);
    let session = open(&through);
    drop(server);
    let address = direct.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
    let (_again, url) = listen(&["serve", "--http", &address]);
    assert_eq!(url, direct);
    let (head, body) = post(&through, &session, r#"{"jsonrpc":"2.0","id":5,"method":"tools/list"}"#);
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(body.contains(r#""tools":["#), "{body}");
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let (_gateway, url) = listen(&["gateway", "--", "/no/such/program"]);
    let (head, body) = post(&url, "", INITIALIZE);
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    assert!(body.contains("/no/such/program") && body.contains(r#""blame":"upstream""#), "{body}");
    assert!(body.contains(r#""retryable":true"#), "{body}");
}

/// The processes that `parent` has started.
fn children(parent: u32) -> Vec<String> {
    let output = Command::new("ps").args(["-o", "pid=", "--ppid", &parent.to_string()]).output().unwrap();
    stdout(&output).split_whitespace().map(str::to_owned).collect()
}

#[test]
fn a_process_that_dies_is_replaced_and_its_session_goes_on() {
    let (gateway, url) = listen(&["gateway", "--", SELF, "serve"]);
    let session = open(&url);
    let before = children(gateway.0.id());
    assert_eq!(before.len(), 1, "one process for one session");
    assert!(Command::new("kill").args(["-KILL", &before[0]]).status().unwrap().success());
    // The end of the process is noticed after the kill, so the first request may still meet it.
    let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
    let answers = [post(&url, &session, list), post(&url, &session, list)];
    assert!(answers.iter().all(|(_, body)| body.contains(r#""id":2"#)), "each has an answer: {answers:?}");
    assert!(answers[1].1.contains(r#""tools":["#), "{answers:?}");
    assert_ne!(children(gateway.0.id()), before);
}

#[test]
fn the_process_of_a_session_ends_with_it() {
    let (gateway, url) = listen(&["gateway", "--", SELF, "serve"]);
    let (session, other) = (open(&url), open(&url));
    assert_eq!(children(gateway.0.id()).len(), 2);
    let authority = url.trim_start_matches("http://").trim_end_matches("/mcp");
    let mut socket = TcpStream::connect(authority).unwrap();
    let end = format!("DELETE /mcp HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n{session}\r\n");
    socket.write_all(end.as_bytes()).unwrap();
    socket.read_to_string(&mut String::new()).unwrap();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while children(gateway.0.id()).len() > 1 {
        assert!(std::time::Instant::now() < deadline, "the process of the session has not ended");
        std::thread::yield_now();
    }
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    assert!(post(&url, &session, ping).0.starts_with("HTTP/1.1 404"));
    assert!(post(&url, &other, ping).0.starts_with("HTTP/1.1 200"));
}

#[test]
fn a_session_that_nobody_opened_is_not_found() {
    let (_gateway, url) = listen(&["gateway", "--", SELF, "serve"]);
    let forged = "Mcp-Session-Id: 0123456789abcdef\r\n";
    let (head, _) = post(&url, forged, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    assert!(head.starts_with("HTTP/1.1 404"), "{head}");
}

/// The parts of a request that the modern era requires.
fn modern(id: &str, method: &str, name: Option<&str>, arguments: &str) -> (String, String) {
    let headers = format!(
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{}",
        name.map(|name| format!("Mcp-Name: {name}\r\n")).unwrap_or_default()
    );
    let name = name.map(|name| format!(r#""name":"{name}","arguments":{arguments},"#)).unwrap_or_default();
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}"#;
    let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{name}{meta}}}}}"#);
    (headers, body)
}

/// Clients of the modern era share a process. Each knows its requests by ids that others may use too.
#[test]
fn a_client_cannot_cancel_the_requests_of_another() {
    let (_gateway, url) = listen(&["gateway", "--", SELF, "serve"]);
    let call = std::thread::spawn({
        let url = url.clone();
        let (headers, body) = modern("1", "tools/call", Some("countdown"), r#"{"steps":4,"intervalMs":200}"#);
        move || post(&url, &headers, &body)
    });
    let mut sent = 0;
    while !call.is_finished() {
        let (headers, body) = modern("1", "notifications/cancelled", None, "");
        let id = sent % 5;
        let body = body.replacen(r#""id":1,"#, "", 1).replacen(
            r#""params":{"#,
            &format!(r#""params":{{"requestId":{id},"#),
            1,
        );
        let (head, body) = post(&url, &headers, &body);
        assert!(head.starts_with("HTTP/1.1 202"), "{head} {body}");
        sent += 1;
    }
    let (head, body) = call.join().unwrap();
    assert!(
        sent >= 5 && body.contains(r#""id":1,"#) && body.contains(r#""result""#),
        "{sent}: {head} {body}"
    );
}

#[test]
fn a_process_that_is_replaced_learns_all_of_its_session() {
    let told = Scratch::new("gateway-told");
    // Its answer to the log level comes after a log message.
    let logs =
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"told"}}"#;
    let command = format!(
        "tee -a '{}' | while read -r line; do case $line in *setLevel*) echo '{logs}' >&3;; esac; echo \"$line\"; done | '{SELF}' serve >&3",
        told.path()
    );
    let command = format!("exec 3>&1; {command}");
    let (gateway, url) = listen(&["gateway", "--", "sh", "-c", &command]);
    let session = open(&url);
    for request in [
        r#"{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"yard://one"}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"yard://two"}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"resources/unsubscribe","params":{"uri":"yard://one"}}"#,
    ] {
        post(&url, &session, request);
    }
    let before = told.text();
    let shell = &children(gateway.0.id())[0];
    // The whole group, as a crash would.
    assert!(Command::new("kill").args(["-KILL", "--", &format!("-{shell}")]).status().unwrap().success());
    let list = r#"{"jsonrpc":"2.0","id":5,"method":"tools/list"}"#;
    let answers = [post(&url, &session, list), post(&url, &session, list)];
    assert!(answers[1].1.contains(r#""tools":["#), "{answers:?}");
    let after = told.text();
    let again = after.strip_prefix(&before).unwrap();
    let methods: Vec<_> = again.lines().filter_map(|line| line.split(r#""method":""#).nth(1)).collect();
    let methods: Vec<_> = methods.iter().map(|rest| rest.split('"').next().unwrap()).collect();
    let expected = ["initialize", "notifications/initialized", "logging/setLevel", "resources/subscribe"];
    assert_eq!(methods[..4], expected, "{again}");
    assert!(again.contains("yard://two") && !again.contains("yard://one"), "{again}");
    assert!(methods[4..].iter().all(|method| *method == "tools/list"), "{again}");
}

#[test]
fn a_program_that_ends_at_once_is_not_started_for_every_message() {
    let starts = Scratch::new("gateway-starts");
    let command = format!("echo started >> '{}'; echo 'no database' >&2; exit 3", starts.path());
    let (_gateway, url) = listen(&["gateway", "--", "sh", "-c", &command]);
    let answers: Vec<_> = (0..20).map(|_| post(&url, "", INITIALIZE)).collect();
    assert!(answers.iter().all(|(head, _)| head.starts_with("HTTP/1.1 502")), "{answers:#?}");
    let started = starts.text().lines().count();
    assert!(started <= 4, "started {started} times");
    let (_, last) = answers.last().unwrap();
    assert!(last.contains("times in a row") && last.contains("no database"), "{last}");
}

#[test]
fn the_processes_end_with_the_gateway() {
    let (mut gateway, url) = listen(&["gateway", "--", SELF, "serve"]);
    let _session = open(&url);
    let server = children(gateway.0.id()).remove(0);
    assert!(Command::new("kill").arg(gateway.0.id().to_string()).status().unwrap().success());
    gateway.0.wait().unwrap();
    let is_running = || Command::new("kill").args(["-0", &server]).output().unwrap().status.success();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while is_running() {
        assert!(std::time::Instant::now() < deadline, "the server goes on without the gateway");
        std::thread::yield_now();
    }
}

#[test]
fn each_message_is_a_line_without_its_secrets() {
    let mut command = Command::new(SELF);
    command.args(["gateway", "--stdio", "--verbose", "--", SELF, "serve"]);
    let mut gateway =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = gateway.stdin.take().unwrap();
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a-secret"}}}"#;
    let mut lines = BufReader::new(gateway.stdout.take().unwrap()).lines();
    for (request, answer) in [(INITIALIZE, "protocolVersion"), (call, "a-secret")] {
        writeln!(stdin, "{request}").unwrap();
        assert!(lines.next().unwrap().unwrap().contains(answer));
    }
    drop(stdin);
    let said = stderr(&gateway.wait_with_output().unwrap());
    let lines: Vec<_> = said.lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with("initialize, "), "{said}");
    assert!(lines[1].starts_with("tools/call, ") && lines[1].ends_with(" ms"), "{said}");
    assert!(!said.contains("a-secret"), "{said}");
}

/// On a pipe nothing would tell what such an answer is for.
#[test]
fn a_notification_that_fails_is_not_answered_on_a_pipe() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut command = Command::new(SELF);
    command.args(["gateway", "--stdio", &format!("http://{port}/mcp")]);
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut gateway = spawned.unwrap();
    let mut stdin = gateway.stdin.take().unwrap();
    stdin.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n").unwrap();
    stdin.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").unwrap();
    let mut lines = BufReader::new(gateway.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    assert!(first.contains(r#""id":1"#) && first.contains(r#""blame":"upstream""#), "{first}");
    drop(stdin);
    assert_eq!(lines.count(), 0);
    gateway.wait().unwrap();
}
