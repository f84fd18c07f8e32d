use std::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use super::*;
use crate::pipe;

const TIMEOUT: Duration = Duration::from_millis(200);

#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl EventListener for Notes {
    fn event(&self, session: Option<&str>, method: &str, params: &Value) {
        self.0.lock().unwrap().push(format!("{session:?} {method} {params}"));
    }
    fn connection_lost(&self, why: &BrowserError) {
        self.0.lock().unwrap().push(why.to_string());
    }
}

/// A connection whose other end the test controls.
fn connected() -> (DevtoolsConnection, DuplexStream, Arc<Notes>) {
    let (ours, theirs) = tokio::io::duplex(4096);
    let (read, write) = tokio::io::split(ours);
    let (connection, queue) = DevtoolsConnection::new();
    tokio::spawn(pipe::write_all(write, queue));
    let notes = Arc::new(Notes::default());
    let ending =
        Box::pin(async { BrowserError::Gone { how: "exit status: 7".into(), stderr: String::new() } });
    tokio::spawn(connection.clone().read_messages(read, notes.clone(), ending));
    (connection, theirs, notes)
}

#[tokio::test]
async fn a_reply_finds_its_command_after_earlier_events() {
    let (connection, mut browser, notes) = connected();
    let asked = connection.send(Some("s"), "Runtime.evaluate", json!({ "expression": "1" }));
    let mut buffer = [0; 256];
    let read = browser.read(&mut buffer).await.unwrap();
    let sent: Value = serde_json::from_slice(&buffer[..read - 1]).unwrap();
    assert_eq!((&sent["sessionId"], &sent["method"]), (&json!("s"), &json!("Runtime.evaluate")));
    let said = b"{\"method\":\"A.b\",\"params\":{}}\0{\"id\":1,\"result\":{\"x\":1}}\0";
    browser.write_all(said).await.unwrap();
    assert_eq!(asked.within(TIMEOUT).await.unwrap(), json!({ "x": 1 }));
    assert_eq!(*notes.0.lock().unwrap(), ["None A.b {}"]);
}

#[tokio::test]
async fn a_refusal_is_an_error_with_the_reason() {
    let (connection, mut browser, _) = connected();
    let asked = connection.send(None, "Page.navigate", json!({}));
    browser.write_all(b"{\"id\":1,\"error\":{\"code\":-32000,\"message\":\"no\"}}\0").await.unwrap();
    assert_eq!(asked.within(TIMEOUT).await.unwrap_err().to_string(), "the browser refused Page.navigate: no");
}

#[tokio::test]
async fn a_browser_that_never_answers_costs_the_limit() {
    let (connection, _browser, _) = connected();
    let start = Instant::now();
    let error = connection.call(None, "Browser.getVersion", json!({}), TIMEOUT).await.unwrap_err();
    assert_eq!(error.to_string(), "the browser did not respond to Browser.getVersion within 200 ms");
    assert!(start.elapsed() < TIMEOUT * 5);
}

#[tokio::test]
async fn a_browser_that_dies_fails_what_waits_and_what_follows() {
    let (connection, browser, notes) = connected();
    let asked = connection.send(None, "Browser.getVersion", json!({}));
    drop(browser);
    assert_eq!(asked.within(TIMEOUT).await.unwrap_err().to_string(), "the browser is gone: exit status: 7");
    let after = connection.call(None, "Browser.getVersion", json!({}), TIMEOUT).await.unwrap_err();
    assert!(after.is_fatal(), "{after}");
    assert_eq!(*notes.0.lock().unwrap(), ["the browser is gone: exit status: 7"]);
}

#[tokio::test]
async fn what_is_no_message_ends_the_connection() {
    for text in ["nonsense\0", "{\"neither\":1}\0", "[]\0"] {
        let (connection, mut browser, _) = connected();
        let asked = connection.send(None, "Browser.getVersion", json!({}));
        browser.write_all(text.as_bytes()).await.unwrap();
        let error = asked.within(TIMEOUT).await.unwrap_err().to_string();
        assert!(error.starts_with("the browser sent an invalid message"), "{error}");
    }
}

#[tokio::test]
async fn the_end_of_a_session_fails_its_commands_alone() {
    let (connection, _browser, _) = connected();
    let lost = connection.send(Some("a"), "Runtime.evaluate", json!({}));
    let kept = connection.send(Some("b"), "Runtime.evaluate", json!({}));
    connection.end_session("a", &BrowserError::Crashed { url: "http://x/".into() });
    assert_eq!(lost.within(TIMEOUT).await.unwrap_err().to_string(), "the renderer of http://x/ crashed");
    assert!(matches!(kept.within(TIMEOUT).await, Err(BrowserError::Silent { .. })));
}
