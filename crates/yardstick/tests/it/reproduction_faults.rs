//! The command that a finding prints shows the same finding again, for a spread of faults over both transports.

use std::process::{Command, Output};
use std::sync::Mutex;
use std::thread;

use protocol::Version;
use serde_json::Value;
use suite::{Applies, Check, registry};
use transport::Transport;

use crate::running::Running;
use crate::{SELF, stderr, stdout};

/// How many run side by side.
const SIDE_BY_SIDE: usize = 3;
/// How long an answer may take, in seconds; some faults are that none comes.
const TIMEOUT: &str = "2";
/// What a server that asks for a token is given.
const TOKEN: &str = "open-sesame";
/// Checks whose fault does not show over a transport, and why.
const HIDDEN: [(&str, Over, &str); 7] = [
    ("server/stdio/ends-with-stdin", Over::Stdio, "the process ends just when it is no longer waited for"),
    ("server/cancellation/stray-ignored", Over::Http, "a status may say that a notification is not accepted"),
    (
        "server/discovery/not-needed-first",
        Over::Http,
        "all connections are one to it, and the first contact discovers",
    ),
    (
        "server/cancellation/others-answered",
        Over::Http,
        "the newest revision cancels by closing a stream, which the fault does not see",
    ),
    ("server/tools/same-for-everyone", Over::Stdio, "a process has one connection"),
    ("server/resources/same-for-everyone", Over::Stdio, "a process has one connection"),
    ("server/prompts/same-for-everyone", Over::Stdio, "a process has one connection"),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Over {
    Stdio,
    Http,
}

/// A check with its fault, and the revision that it is tried in.
#[derive(Clone, Copy, Debug)]
struct Trial {
    check: &'static Check,
    version: Version,
    over: Over,
}

/// One check of every section that talks to the server, and one that only reads its messages, over alternating transports
/// and in changing revisions.
fn trials() -> Vec<Trial> {
    let mut picked = pick_from_sections(|check| !check.is_passive());
    picked.extend(pick_from_sections(Check::is_passive));
    picked.into_iter().enumerate().filter_map(|(at, check)| trial(at, check)).collect()
}

fn pick_from_sections(wanted: impl Fn(&Check) -> bool) -> Vec<&'static Check> {
    let reachable = |check: &&Check| {
        check.applies.concerns_servers() && check.applies != Applies::Over(Transport::HttpSse)
    };
    let mut sections: Vec<Vec<&'static Check>> = Vec::new();
    for check in registry().filter(|check| wanted(check)).filter(reachable) {
        match sections.iter_mut().find(|section| section[0].section() == check.section()) {
            Some(section) => section.push(check),
            None => sections.push(vec![check]),
        }
    }
    sections.iter().map(|section| section[section.len() / 2]).collect()
}

/// The check over the first of its transports that shows the fault, if there is one.
fn trial(at: usize, check: &'static Check) -> Option<Trial> {
    let versions: Vec<Version> = check.versions().collect();
    let ways: &[Over] = match check.applies {
        Applies::Over(Transport::Stdio) => &[Over::Stdio],
        Applies::Everywhere if at.is_multiple_of(2) => &[Over::Stdio, Over::Http],
        Applies::Everywhere => &[Over::Http, Over::Stdio],
        Applies::Over(Transport::StreamableHttp | Transport::HttpSse)
        | Applies::OverProtectedHttp
        | Applies::BetweenViewAndHost
        | Applies::ToViews
        | Applies::ToHosts => &[Over::Http],
    };
    let is_hidden = |way: Over| HIDDEN.iter().any(|(id, over, _)| *id == check.id && *over == way);
    let over = ways.iter().copied().find(|way| !is_hidden(*way))?;
    Some(Trial { check, version: versions[at % versions.len()], over })
}

/// The commands that the findings of a run print for `check`.
fn again_commands(output: &Output, check: &str) -> Vec<String> {
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let results = report["runs"][0]["results"].as_array().cloned().unwrap_or_default();
    let of_check = results.iter().filter(|result| result["ruleId"] == check);
    of_check.filter_map(|result| result["properties"]["again"].as_str()).map(str::to_owned).collect()
}

/// What is wrong, unless the check finds its fault, and finds it again with the command that the finding prints.
fn try_again(trial: &Trial) -> Result<(), String> {
    let Trial { check, version, over } = trial;
    let token = check.applies == Applies::OverProtectedHttp;
    let mut served = vec!["--fault", check.fault.name];
    let mut options = vec!["--only", check.id, "--protocol", version.as_str(), "--timeout", TIMEOUT];
    // Some faults show when a tool changes something.
    options.extend(["--allow-calls", "all"]);
    if token {
        served.extend(["--token", TOKEN]);
        options.extend(["--bearer", TOKEN]);
    }
    let server = matches!(over, Over::Http).then(|| Running::serve(&served));
    let mut first = Command::new(SELF);
    first.arg("check").args(options).args(["--format", "sarif"]);
    match &server {
        Some(server) => first.arg(&server.url),
        None => first.args(["--", SELF, "serve"]).args(served),
    };
    let first = first.output().unwrap();
    let told = |output: &Output| format!("{}{}", stdout(output), stderr(output));
    let commands = again_commands(&first, check.id);
    let command = commands.first().ok_or_else(|| format!("{trial:?} finds nothing: {}", told(&first)))?;
    // The options of the report go first: what stands behind `--` belongs to the server.
    let line = command.replacen("yardstick check", &format!("{SELF} check --format json"), 1);
    let line = line.replace("--bearer TOKEN", &format!("--bearer {TOKEN}"));
    let second = Command::new("sh").args(["-c", &line]).output().unwrap();
    let report: Value =
        serde_json::from_slice(&second.stdout).map_err(|_| format!("{line}: {}", told(&second)))?;
    let is_it = |case: &Value| {
        let found = case["outcome"] == "failed" || case["outcome"] == "warned";
        case["check"] == check.id && case["protocol"] == version.as_str() && found
    };
    let again = report["cases"].as_array().is_some_and(|cases| cases.iter().any(is_it));
    if again { Ok(()) } else { Err(format!("{line} shows something else: {}", report["cases"])) }
}

#[test]
fn every_finding_is_found_again() {
    let (queue, failed) = (Mutex::new(trials()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                loop {
                    let Some(trial) = queue.lock().unwrap().pop() else { return };
                    if let Err(why) = try_again(&trial) {
                        failed.lock().unwrap().push(why);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{} of them: {}", failed.len(), failed.join("\n"));
}
