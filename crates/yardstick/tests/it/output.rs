//! What is printed and written: nothing acts on the terminal, a failed write does not panic, and no file is incomplete.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::folder::Folder;
use crate::{SELF, Scratch, stderr, stdout, yardstick};

/// Commands that print and need nothing.
const PRINTING: [&[&str]; 9] = [
    &["list"],
    &["explain", "server/tools/unknown-tool-refused"],
    &["list", "--coverage"],
    &["serve", "--fault", "list"],
    &["check", "--plan", "--only", "server/tools", "--built-in=stdio"],
    &["check", "--only", "server/tools", "--built-in=stdio", "--protocol", "2025-11-25"],
    &["completions", "bash"],
    &["man"],
    &["--help"],
];

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_is_an_error_and_no_panic() {
    let report = Scratch::new("full.json");
    let saved = format!("json:{}", report.path());
    yardstick(&[
        "check",
        "--only",
        "server/tools",
        "--built-in=stdio",
        "--protocol",
        "2025-11-25",
        "--format",
        &saved,
    ]);
    let show = ["report", "--from", report.path()];
    let ndjson = ["check", "--only", "server/tools", "--built-in=stdio", "--format", "ndjson"];
    for arguments in PRINTING.into_iter().chain([&show[..], &ndjson[..]]) {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = Command::new(SELF).args(arguments).stdout(full).output().unwrap();
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {told}");
        assert!(told.contains("error: ") && !told.contains("panicked"), "{arguments:?}: {told}");
    }
}

#[test]
fn a_reader_who_has_seen_enough_is_no_error() {
    for arguments in PRINTING {
        let mut command = Command::new(SELF);
        let mut child =
            command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{arguments:?}");
    }
}

/// A server whose every word would act on a terminal.
const HOSTILE: &str = r#"
import json, sys
bad = "\x1b]0;title\x07\x1b[2J\x9b31m\x7f\u202e\u2066\u2028\u061c\u200b\nerror: forged"
print(bad, file=sys.stderr, flush=True)
if len(sys.argv) > 1:
    sys.exit(bad)
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] == "initialize":
        version = message["params"]["protocolVersion"]
        info = {"name": bad, "version": bad}
        answer["result"] = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    elif message["method"] == "tools/list":
        answer["result"] = {"tools": [{"name": bad, "description": bad, "inputSchema": bad}]}
    else:
        answer["error"] = {"code": 1.5, "message": bad}
    print(json.dumps(answer), flush=True)
"#;

fn is_harmless(place: &str, text: &str) {
    let acting = text
        .chars()
        .find(|c| (c.is_control() && *c != '\n') || "\u{202e}\u{2066}\u{2028}\u{61c}\u{200b}".contains(*c));
    assert_eq!(acting, None, "{place}: {text:?}");
    assert!(!text.lines().any(|line| line.starts_with("error: forged")), "{place}: {text}");
}

#[test]
fn what_a_server_says_does_not_act_on_the_terminal() {
    let record = Scratch::new("hostile.ndjson");
    let usual =
        ["--protocol", "2025-11-25", "--only", "server/tools", "--timeout", "3", "--record", record.path()];
    for (options, more) in [(&["--verbose"][..], &[][..]), (&["--plan"], &[]), (&[], &["dies"])] {
        let target = ["--", "python3", "-c", HOSTILE];
        let output = yardstick(&[&["check"], &usual[..], options, &target[..], more].concat());
        is_harmless("stdout", &stdout(&output));
        is_harmless("stderr", &stderr(&output));
        let all = format!("{}{}", stdout(&output), stderr(&output));
        assert!(all.contains("]0;title"), "{options:?} {more:?}: {all}");
    }
    let forged = "{\"session\":\"a\\u001b]0;t\\u0007\\nerror: forged\",\"protocol\":\"x\\u009b31m\"}\n{\"session\":\"a\\u001b]0;t\\u0007\\nerror: forged\",\"from\":\"server\",\"message\":{}}\n";
    fs::write(&record.0, forged).unwrap();
    let output = yardstick(&["check", "wire", record.path()]);
    is_harmless("check wire", &format!("{}{}", stdout(&output), stderr(&output)));
    let output = yardstick(&["explain", "\u{1b}]0;t\u{7}\u{9b}"]);
    is_harmless("explain", &stderr(&output));
    let output = yardstick(&["--color", "always", "check", "--\u{1b}]0;t\u{7}"]);
    assert!(
        !stderr(&output).contains("\u{1b}]") && stderr(&output).contains("\u{1b}["),
        "{:?}",
        stderr(&output)
    );
}

#[test]
fn our_own_colours_survive() {
    let output = yardstick(&["--color", "always", "list", "server/tools"]);
    assert!(stdout(&output).contains("\u{1b}["), "{}", stdout(&output));
}

#[test]
fn two_runs_do_not_write_into_one_folder() {
    let folder = Folder::new("two-runs");
    let arguments = ["check", "--output", folder.path(), "--", "sh", "-c", "exec sleep 30"];
    let mut command = Command::new(SELF);
    let first = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while !folder.names().iter().any(|name| name.ends_with(".part")) {
        assert!(Instant::now() < deadline, "{:?}", folder.names());
        std::thread::sleep(Duration::from_millis(20));
    }
    let second =
        yardstick(&["check", "--only", "server/tools", "--built-in=stdio", "--output", folder.path()]);
    assert_eq!(second.status.code(), Some(2), "{}", stdout(&second));
    let named = format!("another run (process {})", first.id());
    assert!(stderr(&second).contains(&named), "{}", stderr(&second));
    assert!(Command::new("kill").args(["-INT", &first.id().to_string()]).status().unwrap().success());
    assert_eq!(first.wait_with_output().unwrap().status.code(), Some(130));
    let expected =
        ["report.html", "report.json", "report.junit.xml", "report.md", "report.ndjson", "report.sarif"];
    assert_eq!(folder.names(), expected, "an interrupted run leaves whole files");
    assert!(fs::read_to_string(folder.0.join("report.ndjson")).unwrap().contains("\"ended\""));
}

/// Runs the binary where no file may grow beyond a few blocks, as on a disk that is full.
fn without_room(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 2; exec \"$0\" \"$@\"", SELF]).args(arguments);
    command.current_dir(folder).output().unwrap()
}

#[test]
fn a_write_that_fails_is_3_and_leaves_the_older_file_as_it_was() {
    let folder = Folder::new("no-room");
    let run = ["check", "--only", "server/tools", "--built-in=stdio", "--protocol", "2025-11-25"];
    for (option, value, file) in [
        ("--output", ".", "report.ndjson"),
        ("--format", "json:report.json", "report.json"),
        ("--format", "ndjson:report.ndjson", "report.ndjson"),
        ("--record", "record.ndjson", "record.ndjson"),
    ] {
        fs::write(folder.0.join(file), "older").unwrap();
        let output = without_room(&folder.0, &[&run[..], &[option, value]].concat());
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(3), "{option} {value}: {told}");
        assert!(told.contains("error: ") && told.contains(file), "{option} {value}: {told}");
        assert_eq!(fs::read_to_string(folder.0.join(file)).unwrap(), "older", "{option} {value}");
        assert!(!folder.names().iter().any(|name| name.ends_with(".part")), "{:?}", folder.names());
        assert!(stdout(&output).contains("conformant"), "the report on stdout is there all the same");
    }
    let output = without_room(&folder.0, &["man", "--output", "pages"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let check = folder.0.join("pages/yardstick-check.1");
    assert!(!check.exists(), "a page is whole or is not there");
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn recordings_are_for_their_owner_alone() {
    let run = ["check", "--only", "server/tools", "--protocol", "2025-11-25", "--built-in=stdio", "--record"];
    for older in [false, true] {
        let (checked, tapped) = (Scratch::new("mode-check.ndjson"), Scratch::new("mode-tap.ndjson"));
        for file in [&checked, &tapped].into_iter().filter(|_| older) {
            fs::write(&file.0, "").unwrap();
            fs::set_permissions(&file.0, fs::Permissions::from_mode(0o666)).unwrap();
        }
        assert_eq!(yardstick(&[&run[..], &[checked.path()]].concat()).status.code(), Some(0));
        let mut tap = Command::new(SELF);
        let tap = tap.args(["tap", "--record", tapped.path(), "--", "true"]).stdin(Stdio::null());
        assert!(tap.output().unwrap().status.success());
        assert_eq!((mode(&checked.0), mode(&tapped.0)), (0o600, 0o600), "{older}");
    }
    let report = Scratch::new("mode-report.json");
    let format = format!("json:{}", report.path());
    fs::write(&report.0, "").unwrap();
    fs::set_permissions(&report.0, fs::Permissions::from_mode(0o640)).unwrap();
    yardstick(&[&run[..run.len() - 1], &["--format", &format]].concat());
    assert_eq!(mode(&report.0), 0o640, "a report keeps the mode that it had");
}

/// Only one file of the binary writes to stdout and stderr: what is printed elsewhere would pass by what makes it harmless.
#[test]
fn nothing_prints_but_the_terminal() {
    let forbidden =
        ["print!(", "println!(", "anstream::", "io::stdout()", "io::stderr()", "fs::write(", "File::create"];
    // The tap hands the streams of a program on, byte by byte.
    let exceptions = [("command/tap.rs", "tokio::io::stdout()"), ("command/tap.rs", "tokio::io::stderr()")];
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![sources.clone()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(&sources).unwrap().display().to_string();
            let text = fs::read_to_string(&path).unwrap();
            let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            for line in lines.filter(|_| name != "terminal.rs") {
                let excepted = exceptions.iter().any(|(file, word)| name == *file && line.contains(word));
                if !excepted
                    && forbidden.iter().any(|word| line.replace("NewFile::create", "").contains(word))
                {
                    found.push(format!("{name}: {}", line.trim()));
                }
            }
        }
    }
    assert!(found.is_empty(), "use terminal.rs and files.rs: {found:#?}");
}
