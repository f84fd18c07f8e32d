//! A run that is interrupted reports what it knows.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{SELF, Scratch};

fn signal(name: &str, child: &Child) {
    let killed = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
}

fn ended(child: &mut Child, limit: Duration) -> Option<i32> {
    let start = Instant::now();
    while start.elapsed() < limit {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = child.kill();
    panic!("it did not end within {limit:?}");
}

#[test]
fn what_is_known_is_reported_and_the_rest_is_blocked() {
    for name in ["-INT", "-TERM"] {
        let file = Scratch::new(&format!("interrupted{name}.json"));
        let record = Scratch::new(&format!("interrupted{name}.ndjson"));
        // The server answers slowly, so that there is something left to interrupt.
        let mut child = Command::new(SELF)
            .args(["check", "--format", "ndjson", "--format", &format!("json:{}", file.path())])
            .args(["--record", record.path(), "--jobs", "1", "--", SELF, "serve"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let finished = lines.by_ref().filter(|line| line.contains("\"finished\"")).take(5).count();
        assert_eq!(finished, 5);
        signal(name, &child);
        let rest: Vec<String> = lines.collect();
        assert_eq!(ended(&mut child, Duration::from_secs(10)), Some(130));
        assert!(rest.last().is_some_and(|line| line.contains("\"ended\"")), "{rest:?}");
        let recorded = fs::read_to_string(record.path()).unwrap();
        assert!(recorded.contains("tools/list"), "{name}: {} bytes were recorded", recorded.len());
        let report: Value = serde_json::from_str(&fs::read_to_string(file.path()).unwrap()).unwrap();
        assert!(report["counts"]["passed"].as_u64().unwrap() > 0, "{}", report["counts"]);
        assert_eq!((&report["verdict"], &report["interrupted"]), (&"incomplete".into(), &true.into()));
        let cases = report["cases"].as_array().unwrap();
        let left = cases.iter().filter(|case| {
            case["outcome"] == "blocked"
                && case["actual"].as_str().is_some_and(|why| why.contains("interrupted"))
        });
        assert!(left.count() > 100, "{}", report["counts"]);
        // The revisions are found out one by one: of those that had not been reached nothing is known.
        let revisions = report["revisions"].as_array().unwrap();
        let is_open = |revision: &Value| revision["verdict"] == "incomplete";
        assert!(revisions.len() == 5 && revisions.iter().all(is_open), "{revisions:?}");
        let unsettled = report["unsettled"].as_array().unwrap();
        let says_why = |one: &Value| one["why"].as_str().is_some_and(|why| why.contains("interrupted"));
        assert!(!unsettled.is_empty() && unsettled.iter().all(says_why), "{unsettled:?}");
    }
}

/// Nobody reads the report, so it cannot be written; the second signal does not wait for that.
#[test]
fn a_second_signal_ends_at_once() {
    let mut child = Command::new(SELF)
        .args(["check", "--verbose", "--format", "json", "--jobs", "1", "--", SELF, "serve"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(2));
    signal("-INT", &child);
    std::thread::sleep(Duration::from_millis(700));
    if child.try_wait().unwrap().is_none() {
        signal("-INT", &child);
    }
    assert_eq!(ended(&mut child, Duration::from_secs(3)), Some(130));
}
