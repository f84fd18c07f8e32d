//! The official conformance suite, run as a program of its own and read back from the files that it writes.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde::Deserialize;

use crate::harness::{Process, Server, node, package, scratch};

const LIMIT: Duration = Duration::from_secs(300);
/// Counts the suite's own messages as well, so that it is green even against a closed port.
const SELF_CHECK: &str = "wire-schema-valid";

/// Which edition of the suite.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Edition {
    /// The stable one.
    V0_1,
    /// The alpha that knows the modern revision, the frozen requirement sets and the extensions.
    V0_2,
}

/// What the suite said, by scenario.
#[derive(Debug)]
pub(crate) struct Results(BTreeMap<String, Vec<Check>>);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Check {
    id: String,
    status: Status,
    description: Option<String>,
    error_message: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Status {
    Success,
    Failure,
    Warning,
    Skipped,
    Info,
}

impl Edition {
    /// Runs the suite's checks of a server.
    pub(crate) fn judge(self, url: &str, selection: &[&str]) -> Results {
        let output = scratch("official");
        let mut command = Command::new(node());
        command.arg(self.program()).args(["server", "--url", url]).args(selection).arg("-o").arg(&output);
        command.current_dir(&output);
        let finished = Process::start(command).finish(LIMIT);
        let results = Results::read(&output);
        let agree = finished.status.success() || results.any(Status::Failure);
        assert!(agree, "the suite gave up:\n{}\n{}", finished.lines.join("\n"), finished.errors);
        results
    }

    fn program(self) -> std::path::PathBuf {
        package(match self {
            Self::V0_1 => "conformance-0.1/dist/index.js",
            Self::V0_2 => "conformance-0.2/dist/index.js",
        })
    }
}

impl Results {
    /// Each scenario has a folder, `server-NAME-YYYY-MM-DDT…`, with a file of checks in it.
    fn read(output: &Path) -> Self {
        let folders = std::fs::read_dir(output).expect("the folder was made for the suite");
        let scenarios = folders.filter_map(|entry| {
            let folder = entry.expect("the folder can be read").path();
            let name = folder.file_name()?.to_str()?.strip_prefix("server-")?.to_owned();
            let text =
                std::fs::read_to_string(folder.join("checks.json")).expect("a scenario has its checks");
            let checks = serde_json::from_str(&text).expect("checks are JSON of a known form");
            let date = "-2026-11-15T20-49-36-333Z".len();
            Some((name[..name.len().saturating_sub(date)].to_owned(), checks))
        });
        Self(scenarios.collect())
    }

    /// No check failed, and at least so many scenarios found something to approve of.
    #[track_caller]
    pub(crate) fn assert_clean(&self, at_least: usize) {
        assert!(!self.any(Status::Failure), "the official suite disapproves:\n{self}");
        let ran = self.0.values().filter(|checks| has_substance(checks)).count();
        let hollow: Vec<_> =
            self.0.iter().filter(|(_, checks)| !has_substance(checks)).map(|(name, _)| name).collect();
        assert!(
            ran >= at_least,
            "only {ran} scenarios ran, expected {at_least}; nothing checked by {hollow:?}"
        );
    }

    fn any(&self, status: Status) -> bool {
        self.0.values().flatten().any(|check| check.status == status)
    }
}

fn has_substance(checks: &[Check]) -> bool {
    checks.iter().any(|check| check.status == Status::Success && check.id != SELF_CHECK)
}

/// The failures and warnings, one a line.
impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (scenario, checks) in &self.0 {
            for check in checks.iter().filter(|it| matches!(it.status, Status::Failure | Status::Warning)) {
                let said = check.error_message.as_ref().or(check.description.as_ref());
                let said = said.map_or("", String::as_str);
                writeln!(f, "{:?} {scenario} / {}: {said}", check.status, check.id)?;
            }
        }
        Ok(())
    }
}

/// The suite is understood: what it approves of is clean, what it misses is a failure with a message.
#[test]
fn verdicts_are_read_back() {
    let listening = Server::Ts2.listen();
    let lifecycle = Edition::V0_2.judge(&listening.url, &["--scenario", "server-session-lifecycle"]);
    lifecycle.assert_clean(1);
    Edition::V0_1.judge(&listening.url, &["--scenario", "ping"]).assert_clean(1);

    let missing = Edition::V0_2.judge(&listening.url, &["--scenario", "tools-call-image"]);
    assert!(missing.any(Status::Failure));
    assert!(missing.to_string().contains("tools-call-image"), "{missing}");
}
