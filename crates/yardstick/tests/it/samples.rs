//! The command lines in README, docs and help work, and print what the pages show.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::running::Running;
use crate::{SELF, stderr, stdout, yardstick};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// The pages with command lines that anybody can run. Those of docs/findings.md need the servers that it is about.
const PAGES: [&str; 8] = [
    "README.md",
    "docs/ci.md",
    "docs/connections.md",
    "docs/gateway.md",
    "docs/host.md",
    "docs/library.md",
    "docs/reports.md",
    "docs/transcripts.md",
];
const SUBCOMMANDS: [&str; 10] =
    ["check", "host", "serve", "gateway", "tap", "list", "explain", "report", "completions", "man"];
/// How long a line may take.
const LINE_TIMEOUT: Duration = Duration::from_secs(180);
/// Keeps a run short if the line does not choose the checks.
const SHORT: &str = "--only server/tools/unknown-tool-refused --protocol 2025-11-25";
/// The same for what is not a server.
const SHORT_OF_SUBJECTS: [(&str, &str); 2] = [
    ("yardstick check app", "--only app/lifecycle/before-network --tool where_am_i"),
    ("yardstick check host", "--only host/server"),
];

fn read_page(name: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(name)).unwrap()
}

/// The lines of a page that are commands, without the words beside them.
fn commands_in(page: &str) -> Vec<String> {
    let strip = |line: &str| {
        let line = line.trim_start().trim_start_matches("- ").trim_start_matches("$ ");
        line.starts_with("yardstick ").then(|| line.to_owned())
    };
    let in_block = |line: &&str| line.starts_with("    ") || !line.starts_with(' ');
    let lines = page.lines().filter(in_block).filter_map(strip);
    // Two blanks end the command and begin a comment; a pipe begins a command that is not ours.
    lines
        .map(|line| {
            line.split("  ").next().unwrap_or_default().split(" | ").next().unwrap_or_default().to_owned()
        })
        .collect()
}

/// A folder with all that the pages name: servers, recordings, reports, a configuration.
fn prepare_folder(name: &str, url: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("bin")).unwrap();
    fs::create_dir_all(folder.join("src")).unwrap();
    symlink(SELF, folder.join("bin/yardstick")).unwrap();
    for server in ["bin/node", "bin/npx", "my-server"] {
        fs::write(folder.join(server), format!("#!/bin/sh\nexec {SELF} serve\n")).unwrap();
        fs::set_permissions(folder.join(server), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let servers = serde_json::json!({ "mcpServers": { "files": { "command": SELF, "args": ["serve"] }, "web": { "url": url } } });
    fs::write(folder.join("mcp.json"), servers.to_string()).unwrap();
    fs::write(folder.join("arguments.json"), r#"{"echo": {"text": "yard"}}"#).unwrap();
    fs::write(folder.join("known-failures.txt"), "").unwrap();
    fs::write(folder.join("token.txt"), "a-token-of-the-example\n").unwrap();
    fs::copy(
        Path::new(ROOT).join("crates/transport/tests/it/client_tls/ca.pem"),
        folder.join("authority.pem"),
    )
    .unwrap();
    let made = format!(
        "yardstick check {SHORT} --record run.ndjson --format json:report.json --format json:stdio.json -- node server.js &&
         yardstick check {SHORT} --format ndjson:stdio.ndjson --format ndjson:http.ndjson --format json:http.json -- node server.js &&
         cp run.ndjson session.ndjson && cp stdio.ndjson report.ndjson"
    );
    let output = in_folder(&folder, &made).output().unwrap();
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    folder
}

fn in_folder(folder: &Path, line: &str) -> Command {
    let path = format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder).env("PATH", path).env("HOME", folder).env("TOKEN", "none");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The line with what it leaves to the reader put in.
fn filled_in(line: &str, url: &str) -> String {
    let mut line = line.to_owned();
    for place in [
        "http://127.0.0.1:3000/mcp",
        "http://127.0.0.1:3001/mcp",
        "http://127.0.0.1:3002/mcp",
        "https://mcp.example/mcp",
        "URL2",
        "URL",
    ] {
        line = line.replace(place, url);
    }
    line = line.replace("localhost:3000/mcp", url).replace("COMMAND", "node server.js");
    line = line.replace("127.0.0.1:8080", "127.0.0.1:0");
    line = line.replace("wire FILE", "wire session.ndjson");
    line = line
        .replace("--tool search --args '{\"query\": \"yard\"}'", "--tool echo --args '{\"text\": \"yard\"}'");
    for (subject, short) in SHORT_OF_SUBJECTS {
        if let Some(rest) = line.strip_prefix(subject) {
            return format!("{subject} {short}{rest}");
        }
    }
    let Some(rest) = line.strip_prefix("yardstick check").filter(|rest| !rest.starts_with(" wire")) else {
        return line.replace("yardstick host", "yardstick host --no-open");
    };
    let has_target = rest.contains(" -- ")
        || rest.contains("http://")
        || rest.contains("--config")
        || rest.contains("--built-in");
    let target = if has_target { "" } else { "--built-in" };
    let short = if rest.contains("--only") { "" } else { SHORT };
    format!("yardstick check {short} {target}{rest}")
}

/// Whether a line starts something that runs until it is ended.
fn runs_on(line: &str) -> bool {
    line.starts_with("yardstick host")
        || (line.starts_with("yardstick serve") && line.contains("--http"))
        || (line.starts_with("yardstick tap") && line.contains("http://"))
        || (line.starts_with("yardstick gateway") && !line.contains("--stdio"))
}

/// Runs a line to its end, or until it has said where it listens.
fn run_line(folder: &Path, line: &str) -> Result<(), String> {
    let line = if runs_on(line) { format!("exec {line}") } else { line.to_owned() };
    let mut child = in_folder(folder, &line).spawn().unwrap();
    if line.starts_with("exec ") {
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let _ = child.kill();
        let output = child.wait_with_output().unwrap();
        return if first.starts_with("http://") {
            Ok(())
        } else {
            Err(format!("{line}: {first}{}", stderr(&output)))
        };
    }
    let (sender, ended) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output().unwrap()));
    let Ok(output) = ended.recv_timeout(LINE_TIMEOUT) else {
        return Err(format!("{line} does not end"));
    };
    // A server that is broken on purpose has findings.
    let expected = if line.contains("--fault") && line.contains(" check ") { 1 } else { 0 };
    if output.status.code() == Some(expected) {
        Ok(())
    } else {
        Err(format!("{line}: {}{}{}", output.status, stdout(&output), stderr(&output)))
    }
}

#[test]
fn every_command_line_of_the_pages_runs() {
    let server = Running::serve(&[]);
    let folder = prepare_folder("samples", &server.url);
    let mut failed = Vec::new();
    for page in PAGES {
        let commands = commands_in(&read_page(page));
        if page == "docs/ci.md" {
            // There it is the events of a run, which `tee` saves.
            fs::copy(folder.join("stdio.ndjson"), folder.join("run.ndjson")).unwrap();
        }
        for line in commands {
            if let Err(why) = run_line(&folder, &filled_in(&line, &server.url)) {
                failed.push(format!("{page}: `{line}`\n{why}"));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

#[test]
fn every_example_of_the_help_runs() {
    let server = Running::serve(&[]);
    let folder = prepare_folder("examples", &server.url);
    let mut failed = Vec::new();
    for subcommand in SUBCOMMANDS {
        for line in commands_in(&stdout(&yardstick(&[subcommand, "--help"])).replace("\n  ", "\n    ")) {
            // Where a shell or `man` reads what is printed, its folders have to be there. Usage is not an example.
            if line.contains('>') || line.contains("~/") || line.contains("[OPTIONS]") {
                continue;
            }
            if let Err(why) = run_line(&folder, &filled_in(&line, &server.url)) {
                failed.push(format!("{subcommand}: `{line}`\n{why}"));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

/// A line without what differs from run to run: numbers, and the width of columns.
fn shape(line: &str) -> String {
    let mut shape = String::new();
    for word in line.split_whitespace() {
        for c in word.chars() {
            match (c.is_ascii_digit(), shape.ends_with('9')) {
                (true, true) => {}
                (true, false) => shape.push('9'),
                (false, _) => shape.push(c),
            }
        }
        shape.push(' ');
    }
    shape.trim_end().to_owned()
}

fn shapes(text: &str) -> Vec<String> {
    text.lines().filter(|line| !line.trim().is_empty()).map(shape).collect()
}

/// The indented block of `page` that begins with `first`, without the indentation.
fn block_of(page: &str, first: &str) -> String {
    let start = page.find(&format!("\n    {first}")).unwrap() + 1;
    let lines = page[start..].lines().take_while(|line| line.starts_with("    ") || line.is_empty());
    lines.map(|line| line.strip_prefix("    ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// The lines of a report without the time that it took.
fn outline(report: &str) -> Vec<&str> {
    let lines = report.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| line.rsplit_once(" (").map_or(line, |(before, _)| before)).collect()
}

#[test]
fn the_first_run_looks_as_the_page_shows_it() {
    let shown = block_of(&read_page("README.md"), "the built-in server");
    let output = stdout(&yardstick(&["check"]));
    assert_eq!(outline(&shown), outline(&output), "README.md is out of date; this came:\n{output}");
}

#[test]
fn a_finding_looks_as_the_page_shows_it() {
    let shown = block_of(&read_page("README.md"), "$ yardstick check");
    let (line, shown) = shown.split_once('\n').unwrap();
    let folder = prepare_folder("finding", "http://127.0.0.1:9/");
    let output = in_folder(&folder, line.trim_start_matches("$ ")).output().unwrap();
    let told = stdout(&output);
    let mut came = shapes(&told).into_iter();
    for line in shapes(shown) {
        assert!(came.any(|other| other == line), "README.md shows `{line}`; this came:\n{told}");
    }
}
