//! SARIF 2.1.0, which code scanning understands: a rule for every check that found something, a result for every finding.

use serde_json::{Value, json};
use suite::{Conclusion, Level, Outcome, Report};

use crate::Collection;
use crate::findings::{FindingGroup, Findings};
use crate::reproduction::reproduction_command;
use crate::revisions;
use crate::text::{self, visible};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The report as SARIF.
pub fn render(report: &Report) -> String {
    log(&[run(report)])
}

/// The reports of several targets, a run each.
pub fn render_all(collection: &Collection) -> String {
    log(&collection.reports().iter().map(run).collect::<Vec<_>>())
}

fn log(runs: &[Value]) -> String {
    crate::json::pretty(&json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": runs }))
}

fn run(report: &Report) -> Value {
    let findings = Findings::from_report(report);
    let is_violated =
        |group: &&FindingGroup<'_>| matches!(group.case.outcome, Outcome::Failed | Outcome::Warned);
    let found: Vec<_> = findings.found.iter().filter(is_violated).chain(&findings.known).collect();
    let mut ids: Vec<&str> = Vec::new();
    let mut rules = Vec::new();
    for group in &found {
        if !ids.contains(&group.case.check.as_str()) {
            ids.push(&group.case.check);
            rules.push(rule(group));
        }
    }
    let results: Vec<_> = found
        .iter()
        .map(|group| result(report, group, ids.iter().position(|id| *id == group.case.check)))
        .collect();
    json!({
        "tool": { "driver": {
            "name": "yardstick",
            "version": env!("CARGO_PKG_VERSION"),
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": rules,
        }},
        "automationDetails": { "id": format!("yardstick/{}/", visible(&report.target.description)) },
        "invocations": [invocation(report, &findings)],
        "columnKind": "unicodeCodePoints",
        "properties": {
            "verdict": report.verdict(),
            "summary": revisions::sentence(report),
            "revisions": report.revisions(),
        },
        "results": results,
    })
}

fn rule(group: &FindingGroup<'_>) -> Value {
    let case = group.case;
    let meaning = group.meaning().map(|meaning| format!(", {meaning}")).unwrap_or_default();
    let level_text = format!("Level: {}{meaning}", group.strength());
    let mut rule = json!({
        "id": case.check,
        "name": case.check.split(['/', '-']).map(capital).collect::<String>(),
        "shortDescription": { "text": case.title },
        "fullDescription": { "text": format!("{}: {}", case.title, case.why) },
        "help": {
            "text": format!("Why: {}\nFix: {}\n{level_text}\n{}", case.why, case.fix, case.spec.join("\n")),
        },
        "defaultConfiguration": { "level": level(case.level) },
        "properties": { "tags": ["mcp", case.section], "precision": "high" },
    });
    if let Some(url) = case.spec.first() {
        rule["helpUri"] = json!(url);
    }
    rule
}

fn result(report: &Report, group: &FindingGroup<'_>, index: Option<usize>) -> Value {
    let case = group.case;
    let place = format!("{} over {}", group.protocols().join(", "), group.transports.join(", "));
    let expected = case.expected.as_deref().unwrap_or(&case.title);
    let actual = case.actual.as_deref().unwrap_or("something else");
    let message = format!("{}. Expected: {expected}. Actual: {actual}. ({place})", case.title);
    let frames: Vec<_> =
        case.frames.iter().map(|frame| json!({ "from": frame.from, "text": text::message(frame) })).collect();
    let mut result = json!({
        "ruleId": case.check,
        "ruleIndex": index,
        "kind": "fail",
        "level": level(case.level),
        "message": { "text": visible(&message) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": artifact(&report.target.description) },
                "region": { "startLine": 1 },
            },
            "logicalLocations": [{
                "name": visible(&text::name(report)),
                "fullyQualifiedName": visible(&format!("{} {place}", report.target.description)),
                "kind": "module",
            }],
        }],
        "partialFingerprints": {
            "yardstick/v1": format!("{}@{}@{}", case.check, group.protocols().join("+"), group.transports.join("+")),
        },
        "properties": {
            "protocols": group.protocols(),
            "transports": group.transports,
            "fix": case.fix,
            "again": reproduction_command(report, &case.check, &group.protocols),
            "frames": frames,
        },
    });
    if let Some(known) = &case.known {
        result["properties"]["known"] = json!(known);
    }
    if let Some(told) = group.consequences.in_words() {
        result["properties"]["blocks"] = json!(format!("also not tested because of this: {told}"));
    }
    if case.outcome == Outcome::KnownFailure {
        result["suppressions"] = json!([{ "kind": "external", "justification": "listed in the baseline" }]);
    }
    result
}

/// What could not be tested is not a result of the target, but the run must not look complete.
fn invocation(report: &Report, findings: &Findings<'_>) -> Value {
    let note = |level: &str, text: String| json!({ "level": level, "message": { "text": visible(&text) } });
    let mut notes = Vec::new();
    let unreached = report.unreached.iter().map(|why| format!("nothing was measured: {why}"));
    let unsettled =
        report.unsettled.iter().map(|one| format!("{} is not settled: {}", one.protocol, one.why));
    let interrupted = report.interrupted.then(|| "the run was interrupted".to_owned());
    notes.extend(unreached.chain(unsettled).chain(interrupted).map(|text| note("error", text)));
    for group in &findings.found {
        let case = group.case;
        let (level, said) = match case.outcome {
            Outcome::Broke => ("error", case.actual.as_deref().unwrap_or_default()),
            Outcome::UnexpectedPass => ("warning", "it passes, though the baseline says that it fails"),
            _ => continue,
        };
        let mut note = note(level, format!("{} {}: {said}", case.check, case.outcome));
        note["descriptor"] = json!({ "id": case.check });
        notes.push(note);
    }
    for obstacle in &findings.obstacles {
        let mut note = note("warning", format!("{} blocked: {}", obstacle.checks(), obstacle.reason));
        let checks: Vec<_> = obstacle.groups.iter().map(|group| group.case.check.as_str()).collect();
        note["properties"] = json!({ "checks": checks });
        notes.push(note);
    }
    let mut invocation = json!({
        "executionSuccessful": report.verdict() != Conclusion::Incomplete,
        "commandLine": visible(format!("yardstick check {}", report.target.arguments).trim()),
        "toolExecutionNotifications": notes,
    });
    if let Some(at) = &report.target.at {
        invocation["startTimeUtc"] = json!(at);
    }
    invocation
}

/// The file that findings are attached to, because code scanning requires one: the first word of the command that looks
/// like a file of the repository.
fn artifact(description: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    let file = description.split_whitespace().map(|word| word.trim_start_matches("./")).find(|word| {
        let named = word.rsplit('/').next().and_then(|name| name.rsplit_once('.'));
        word.chars().all(plain)
            && !word.starts_with(['/', '-'])
            && !word.contains("..")
            && named.is_some_and(|(stem, extension)| !stem.is_empty() && !extension.is_empty())
    });
    file.unwrap_or("mcp-server").to_owned()
}

const fn level(level: Level) -> &'static str {
    match level {
        Level::Must => "error",
        Level::Should => "warning",
        Level::Advice => "note",
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_hang_on_a_file_if_the_command_names_one() {
        assert_eq!(artifact("node ./dist/server.js --stdio"), "dist/server.js");
        assert_eq!(artifact("/usr/bin/server.py"), "mcp-server");
        assert_eq!(artifact("http://127.0.0.1:3000/mcp"), "mcp-server");
        assert_eq!(artifact("node ../../secret.js"), "mcp-server");
    }
}
