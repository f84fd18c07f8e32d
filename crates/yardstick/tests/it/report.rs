//! Reports in every format, saved runs and baselines.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{stderr, stdout, yardstick};

const SELF: &str = env!("CARGO_BIN_EXE_yardstick");
const CHECK: &str = "server/tools/unknown-tool-refused";
/// One check, in one revision, on a server that fails it.
const BROKEN: [&str; 10] = [
    "check",
    "--only",
    CHECK,
    "--protocol",
    "2025-11-25",
    "--",
    SELF,
    "serve",
    "--fault",
    "unknown-tool-succeeds",
];
/// The same on one that passes it.
const SOUND: [&str; 8] = ["check", "--only", CHECK, "--protocol", "2025-11-25", "--", SELF, "serve"];

/// A fresh folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// `check` with more options, which go before the target.
fn with<'a>(base: &[&'a str], options: &[&'a str]) -> Vec<&'a str> {
    [&base[..1], options, &base[1..]].concat()
}

#[test]
fn a_folder_gets_every_format_beside_the_human_report() {
    let folder = folder("every-format");
    let output = yardstick(&with(&BROKEN, &["--output", folder.to_str().unwrap()]));
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).contains("not conformant: 1 failed"));
    for (name, part) in [
        ("report.json", "\"schemaVersion\": 1"),
        ("report.ndjson", "{\"event\":\"reached\""),
        ("report.junit.xml", "<testsuite name=\"2025-11-25 stdio\""),
        ("report.sarif", "\"version\": \"2.1.0\""),
        ("report.md", "not conformant"),
        ("report.html", "<!doctype html>"),
    ] {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        assert!(text.contains(part) && text.contains(CHECK), "{name}: {text}");
    }
}

#[test]
fn a_real_report_keeps_to_the_published_schema() {
    let schema: Value = serde_json::from_str(include_str!("../../../../docs/report.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for base in [&BROKEN[..], &SOUND] {
        let output = yardstick(&with(base, &["--format", "json"]));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let errors: Vec<_> = validator.iter_errors(&report).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
}

#[test]
fn a_target_that_is_not_there_leaves_events_that_say_so() {
    let schema: Value = serde_json::from_str(include_str!("../../../../docs/report.schema.json")).unwrap();
    let line = serde_json::json!({ "$ref": "#/$defs/event", "$defs": schema["$defs"] });
    let validator = jsonschema::validator_for(&line).unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let output = yardstick(&["check", "--format", "ndjson", &format!("http://127.0.0.1:{port}/mcp")]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let told = stdout(&output);
    let events: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(events.iter().all(|event| validator.is_valid(event)), "{told}");
    let [unreached, ended] = events.as_slice() else { panic!("{told}") };
    assert_eq!(unreached["event"], "unreached");
    assert!(unreached["why"].as_str().unwrap().contains(&port.to_string()), "{told}");
    assert_eq!((&ended["event"], &ended["verdict"]), (&"ended".into(), &"incomplete".into()));
}

#[test]
fn every_format_goes_to_stdout_alone() {
    for (format, begins) in [
        ("ndjson", "{\"event\""),
        ("junit", "<?xml"),
        ("sarif", "{\n"),
        ("markdown", "## ❌"),
        ("html", "<!doctype html>"),
        ("mcpjam", "{\n  \"passed\""),
        ("mcp-validator", "{\n  \"server\""),
    ] {
        let output = yardstick(&with(&BROKEN, &["--format", format]));
        assert!(stdout(&output).starts_with(begins), "{format}: {}", stdout(&output));
        assert_eq!(output.status.code(), Some(1), "{format}");
        assert_eq!(stderr(&output), "", "{format}");
    }
}

#[test]
fn events_come_while_the_run_goes_on() {
    let mut child = Command::new(SELF)
        .args(["check", "--format", "ndjson", "--", SELF, "serve"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let running = child.try_wait().unwrap().is_none();
    let _ = child.kill();
    let _ = child.wait();
    assert!(line.starts_with("{\"event\":\"reached\""), "{line}");
    assert!(running, "the first event came with the last");
}

#[test]
fn a_saved_run_is_shown_again() {
    let folder = folder("saved");
    let file = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let json = format!("json:{}", file("a.json"));
    let events = format!("ndjson:{}", file("a.ndjson"));
    let run = yardstick(&with(&BROKEN, &["--format", &json, "--format", &events]));
    for name in ["a.json", "a.ndjson"] {
        let again = yardstick(&["report", "--from", &file(name)]);
        assert_eq!(again.status.code(), Some(1), "{}", stderr(&again));
        assert_eq!(stdout(&again), stdout(&run), "{name}");
    }
    let mut piped = Command::new(SELF);
    piped.args(["report", "--from", "-"]).stdin(fs::File::open(file("a.json")).unwrap());
    assert_eq!(stdout(&piped.output().unwrap()), stdout(&run));
    let merged = yardstick(&["report", "--from", &file("a.json"), "--from", &file("a.ndjson"), "--quiet"]);
    assert!(stdout(&merged).contains("not conformant: 2 failed"), "{}", stdout(&merged));
}

#[test]
fn two_servers_keep_a_report_each() {
    let folder = folder("two-servers");
    let file = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    // Both call themselves the same.
    for (base, format, name) in [(&BROKEN[..], "json", "broken.json"), (&SOUND, "ndjson", "sound.ndjson")] {
        yardstick(&with(base, &["--format", &format!("{format}:{}", file(name))]));
    }
    let from = ["--from", &file("sound.ndjson"), "--from", &file("broken.json")];
    let both = yardstick(&[&["report"], &from[..]].concat());
    assert_eq!(both.status.code(), Some(1), "{}", stderr(&both));
    let told = stdout(&both);
    assert!(told.contains("\nconformant: 1 passed") && told.contains("\nnot conformant: 1 failed"), "{told}");
    assert!(told.contains("2 targets: not conformant"), "{told}");
    let json = yardstick(&[&["report", "--format", "json"], &from[..]].concat());
    let document: Value = serde_json::from_slice(&json.stdout).unwrap();
    let verdicts = [&document["reports"][0]["verdict"], &document["reports"][1]["verdict"]];
    assert_eq!(verdicts, ["conformant", "not-conformant"]);
    let schema: Value = serde_json::from_str(include_str!("../../../../docs/report.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(validator.is_valid(&document), "{document}");
}

#[test]
fn wrong_files_and_formats_are_usage_and_named() {
    let folder = folder("wrong");
    let file = folder.join("other.json");
    fs::write(&file, "{\"checks\": []}").unwrap();
    let file = file.to_str().unwrap();
    for (arguments, culprit) in [
        (&["report", "--from", file][..], "schemaVersion"),
        (&["report", "--from", "no-such-file.json"], "no-such-file.json"),
        (&["report"], "--from"),
        (&["check", "--format", "pdf"], "`pdf`"),
        (&["check", "--format", "json", "--format", "junit"], "only one format"),
        (&["check", "--format", "json:no-such-folder/x.json"], "no-such-folder"),
        (&["check", "--baseline", "no-such-list"], "no-such-list"),
        (&["check", "--baseline", file], "line 1"),
        (&["check", "--quiet", "--verbose"], "--verbose"),
    ] {
        let output = yardstick(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(culprit), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn a_baseline_bears_what_is_known_and_tells_when_it_is_out_of_date() {
    let list = folder("baseline").join("known.txt");
    let list = list.to_str().unwrap();
    let first = yardstick(&with(&BROKEN, &["--write-baseline", list]));
    assert_eq!(first.status.code(), Some(1));
    let text = fs::read_to_string(list).unwrap();
    assert!(text.contains(&format!("{CHECK} 2025-11-25 stdio  # ")), "{text}");

    let known = yardstick(&with(&BROKEN, &["--baseline", list]));
    assert_eq!(known.status.code(), Some(0), "{}", stdout(&known));
    assert!(stdout(&known).contains("conformant: 1 known failure"), "{}", stdout(&known));

    let mended = yardstick(&with(&SOUND, &["--baseline", list]));
    assert_eq!(mended.status.code(), Some(1), "{}", stdout(&mended));
    assert!(stdout(&mended).contains(&format!("UNEXPECTED PASS  {CHECK}")), "{}", stdout(&mended));
}

#[test]
fn expected_failures_of_the_official_suite_are_understood() {
    let list = folder("official").join("expected.yml");
    fs::write(&list, "server:\n  - sep-2640-skills-manifest\n  - server/tools/unknown-tool-refused\n")
        .unwrap();
    let output = yardstick(&with(&BROKEN, &["--baseline", list.to_str().unwrap()]));
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert!(stderr(&output).contains("were ignored: sep-2640-skills-manifest"), "{}", stderr(&output));
}

#[test]
fn colours_are_for_terminals_and_for_those_who_insist() {
    let run = |name: &str, value: &str| {
        let output = Command::new(SELF).args(BROKEN).env(name, value).output().unwrap();
        stdout(&output).contains('\u{1b}')
    };
    assert!(!run("CLICOLOR", "1"));
    assert!(run("CLICOLOR_FORCE", "1"));
    assert!(!run("NO_COLOR", "1"));
}

#[test]
fn quiet_and_verbose_tell_less_and_more() {
    let quiet = stdout(&yardstick(&with(&BROKEN, &["-q"])));
    let usual = stdout(&yardstick(&BROKEN));
    let verbose = stdout(&yardstick(&with(&BROKEN, &["-v"])));
    assert!(quiet.lines().count() < usual.lines().count(), "{quiet}");
    assert!(quiet.contains(CHECK) && !quiet.contains("why "), "{quiet}");
    assert!(
        verbose.contains("failed          server/tools/unknown-tool-refused 2025-11-25 stdio"),
        "{verbose}"
    );
}
