//! Hostile servers: a run stays small, reacts to signals, and leaves nothing behind.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{SELF, Scratch};

/// No run may take longer, on a machine that is busy.
const LIMIT: Duration = Duration::from_secs(60);
/// The most memory that a run may use, in kilobytes.
const MEMORY: u64 = 200 * 1024;

/// A run that is under way, with the most memory that it was seen to use.
struct Run {
    child: Child,
    peak: u64,
}

impl Run {
    fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(SELF);
        let piped =
            command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self { child: piped.spawn().unwrap(), peak: 0 }
    }

    fn signal(&self, name: &str) {
        assert!(Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap().success());
    }

    /// Its exit code, once it has ended by itself.
    fn wait(&mut self, limit: Duration) -> Option<i32> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
            let high = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next());
            self.peak = self.peak.max(high.and_then(|high| high.parse().ok()).unwrap_or(0));
            assert!(start.elapsed() < limit, "it did not end within {limit:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn output(&mut self) -> String {
        let mut text = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
        text
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether a `sleep` of that many seconds runs.
fn is_running(seconds: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| line == format!("sleep\0{seconds}\0").into_bytes())
}

/// Whether the process is gone, at the latest when the system has had the time to forget it.
fn is_gone(seconds: &str) -> bool {
    let start = Instant::now();
    while is_running(seconds) && start.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(10));
    }
    !is_running(seconds)
}

/// An argument of `sleep` that no other process has.
fn unique_sleep(seconds: u32) -> String {
    format!("{seconds}.{}", std::process::id())
}

#[test]
fn a_flood_is_said_to_be_one_and_costs_little() {
    let floods = [
        ("notifications", r#"exec yes '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'"#),
        ("requests", r#"exec yes '{"jsonrpc":"2.0","id":"x","method":"ping"}'"#),
        ("empty lines", "exec yes ''"),
    ];
    for (name, script) in floods {
        let mut run = Run::start(&["check", "--protocol", "2025-11-25", "--", "sh", "-c", script]);
        assert_ne!(run.wait(LIMIT), Some(0), "{name}");
        let output = run.output();
        assert!(output.contains("floods"), "{name}: {output}");
        assert!(run.peak < MEMORY, "{name}: {} KB", run.peak);
    }
}

#[test]
fn noise_without_end_costs_little() {
    for script in
        ["yes noise | head -c 300000000 >&2; exec sleep 1", "head -c 100000000 /dev/zero; exec sleep 1"]
    {
        let mut run = Run::start(&[
            "check",
            "--protocol",
            "2025-11-25",
            "--timeout",
            "2",
            "--start-timeout",
            "4",
            "--",
            "sh",
            "-c",
            script,
        ]);
        run.wait(LIMIT);
        assert!(run.peak < MEMORY, "{script}: {} KB", run.peak);
    }
}

#[test]
fn what_is_planned_or_read_ends_at_a_signal() {
    for name in ["-INT", "-TERM", "-HUP"] {
        let sleep = unique_sleep(301);
        let mut plan = Run::start(&["check", "--plan", "--", "sleep", &sleep]);
        while !is_running(&sleep) {
            std::thread::sleep(Duration::from_millis(10));
        }
        plan.signal(name);
        assert_eq!(plan.wait(Duration::from_secs(10)), Some(130), "{name}");
        assert!(is_gone(&sleep), "{name}");
    }
}

#[test]
fn what_leaves_its_group_ends_with_the_run() {
    for interrupt in [false, true] {
        let sleep = unique_sleep(302 + u32::from(interrupt));
        let script = format!("setsid sleep {sleep} </dev/null >/dev/null 2>&1 & exec {SELF} serve");
        let mut run = Run::start(&["check", "--only", "server/tools", "--", "sh", "-c", &script]);
        let start = Instant::now();
        while interrupt && !is_running(&sleep) && start.elapsed() < LIMIT {
            std::thread::sleep(Duration::from_millis(5));
        }
        if interrupt {
            run.signal("-TERM");
        }
        run.wait(LIMIT);
        assert!(is_gone(&sleep), "interrupted: {interrupt}");
    }
}

#[test]
fn what_was_passed_on_is_recorded_although_the_tap_is_killed() {
    for round in 0..20 {
        let record = Scratch::new(&format!("killed-{round}.ndjson"));
        let mut run = Run::start(&["tap", "--record", record.path(), "--", "cat"]);
        let message = format!(r#"{{"jsonrpc":"2.0","method":"notifications/{round}"}}"#);
        writeln!(run.child.stdin.as_mut().unwrap(), "{message}").unwrap();
        let mut passed = String::new();
        BufReader::new(run.child.stdout.as_mut().unwrap()).read_line(&mut passed).unwrap();
        run.child.kill().unwrap();
        run.child.wait().unwrap();
        assert_eq!(passed.trim_end(), message);
        let recorded = fs::read_to_string(record.path()).unwrap();
        let times = recorded.matches(&format!("notifications/{round}")).count();
        assert_eq!(times, 2, "round {round}: {recorded}");
    }
}
