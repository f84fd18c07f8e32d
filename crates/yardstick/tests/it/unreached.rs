//! A target that cannot be measured: every report that was asked for says so, and none is older than the run.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::PathBuf;

use serde_json::Value;

use crate::{SELF, stderr, stdout, yardstick};

const FILES: [&str; 6] =
    ["report.json", "report.ndjson", "report.junit.xml", "report.sarif", "report.md", "report.html"];

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn every_report_is_written_anew() {
    let folder = folder("unreached");
    let output = ["--output", folder.to_str().unwrap()];
    let one = ["--only", "server/tools/unknown-tool-refused", "--protocol", "2025-11-25"];
    let sound = yardstick(&[&["check"], &output[..], &one, &["--", SELF, "serve"]].concat());
    assert_eq!(sound.status.code(), Some(0), "{}", stderr(&sound));
    let gone = yardstick(&[&["check"], &output[..], &one, &["--", "no-such-program-here"]].concat());
    assert_eq!(gone.status.code(), Some(3), "{}{}", stdout(&gone), stderr(&gone));
    assert!(stderr(&gone).contains("no-such-program-here"), "{}", stderr(&gone));
    for name in FILES {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        let is_older = text.contains("unknown-tool-refused");
        let names_target = text.contains("no-such-program-here");
        assert!(!is_older && names_target, "{name} is about another target: {text}");
    }
    let json: Value = serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap();
    assert_eq!(json["verdict"], "incomplete");
    assert!(json["unreached"].as_str().is_some_and(|why| why.contains("no-such-program-here")), "{json}");
    assert_eq!(json["cases"].as_array().map(Vec::len), Some(0));
}

/// Answers every request with 404 and a page, as a web server does where there is no MCP endpoint.
fn serve_not_found() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 64 * 1024]);
            let page = "<!DOCTYPE html><title>404</title>";
            let _ = write!(
                stream,
                "HTTP/1.1 404 Not Found\r\ncontent-type: text/html\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{page}",
                page.len()
            );
        }
    });
    format!("http://{address}/api")
}

#[test]
fn a_wrong_path_is_named() {
    let output = yardstick(&["check", &serve_not_found()]);
    assert_eq!(output.status.code(), Some(3), "{}{}", stdout(&output), stderr(&output));
    let told = stderr(&output);
    assert!(told.contains("a POST to /api") && told.contains("HTTP 404"), "{told}");
    assert!(told.contains("/mcp and /sse") && !told.contains("HTTP+SSE endpoint"), "{told}");
}
