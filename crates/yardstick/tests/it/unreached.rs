//! A target that cannot be measured: every report that was asked for says so, and none is older than the run.

use std::fs;
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
