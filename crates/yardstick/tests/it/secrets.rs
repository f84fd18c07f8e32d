//! Secrets are planted in every place that they come from. A server repeats them in every place and encoding that it can, and
//! nothing that is written or printed may show them.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use crate::SELF;
use crate::folder::Folder;

const ECHO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/servers/echo.py");

/// Not all look random: what was given is hidden because it was given. `QZ` tells the server what to repeat.
const PLAIN: &str = "lavender umbrella QZ sandwich";
const NAMED: &str = "QZnamed/t0ken+value==";
const OPTION: &str = "QZ-option-value";
const ASSIGNED: &str = "QZ~assigned";
const WORD: &str = "QZ8a7c6b5D4e3F2a1b0cX9";
const INHERITED: &str = "QZ-inherited-token";
const ODD: &str = "QZ2PqLm9Zt4RwBc7dE1x";
const HEADER: &str = "QZ header tenant";
const BEARER: &str = "QZ-bearer-token";
const USER: &str = "QZuser";
const PASSWORD: &str = "QZpass-word";
const SEGMENT: &str = "QZ7f8a9c6b5d4e3f2a1b0c";
const QUERY: &str = "QZquery-value";
const FRAGMENT: &str = "QZfragment";

/// Every spelling of a secret that a reader could make sense of.
fn spellings(secret: &str) -> Vec<String> {
    let each = |write: &dyn Fn(u8) -> String| secret.bytes().map(write).collect::<String>();
    let mut all = vec![
        secret.to_owned(),
        secret[..secret.len() - 2].to_owned(),
        secret.replace('/', "\\/"),
        secret.replace(' ', "+"),
        secret.replace(' ', "%20"),
        each(&|byte| format!("{byte:02x}")),
        each(&|byte| format!("{byte:02X}")),
        each(&|byte| format!("%{byte:02x}")),
        each(&|byte| format!("%{byte:02X}")),
        each(&|byte| format!("&#{byte};")),
        each(&|byte| format!("\\u{byte:04x}")),
        each(&|byte| format!("\\\\u{byte:04x}")),
    ];
    for before in ["", "a", "ab"] {
        for text in [
            STANDARD_NO_PAD.encode(format!("{before}{secret}")),
            URL_SAFE_NO_PAD.encode(format!("{before}{secret}")),
        ] {
            all.push(text[4..text.len() - 2].to_owned());
        }
    }
    all
}

/// That none of the secrets is in a text.
fn hides(place: &str, bytes: &[u8], secrets: &[&str]) {
    let text = String::from_utf8_lossy(bytes);
    for secret in secrets {
        for spelling in spellings(secret) {
            if let Some(at) = text.find(&spelling) {
                let from = text.floor_char_boundary(at.saturating_sub(150));
                let to = text.floor_char_boundary((at + spelling.len() + 50).min(text.len()));
                panic!("{place} shows {secret} as {spelling}: …{}…", &text[from..to]);
            }
        }
    }
}

fn hides_everywhere(output: &Output, folder: &Path, secrets: &[&str]) {
    hides("stdout", &output.stdout, secrets);
    hides("stderr", &output.stderr, secrets);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            for entry in fs::read_dir(&path).unwrap() {
                let path = entry.unwrap().path();
                hides(&path.display().to_string(), &fs::read(&path).unwrap(), secrets);
            }
        } else {
            hides(&path.display().to_string(), &fs::read(&path).unwrap(), secrets);
        }
    }
}

/// `check` with every format, into `folder`.
fn check(folder: &Folder) -> Command {
    let mut command = Command::new(SELF);
    command.args([
        "check",
        "--verbose",
        "--protocol",
        "2025-11-25",
        "--only",
        "server/tools",
        "--only",
        "server/lifecycle",
    ]);
    command.args(["--only", "wire", "--timeout", "3", "--output", &folder.file("reports")]);
    for format in ["mcpjam", "mcp-validator", "human"] {
        command.args(["--format", &format!("{format}:{}", folder.file(format))]);
    }
    command.args(["--record", &folder.file("record.ndjson"), "--write-baseline", &folder.file("baseline")]);
    command
        .env("SERVICE_TOKEN", INHERITED)
        .env("ODD_THING", ODD)
        .env("DATABASE_URL", format!("pg://me:{PASSWORD}@h/db"));
    command
}

const OF_A_COMMAND: [&str; 8] = [PLAIN, NAMED, OPTION, ASSIGNED, WORD, INHERITED, ODD, PASSWORD];

fn give_command(command: &mut Command) {
    command.args(["--env", &format!("PLAIN={PLAIN}"), "--env", &format!("API_TOKEN={NAMED}")]);
    command.args(["--env", "LEVEL=debug", "--", "python3", ECHO, "--access-key", OPTION]);
    command.args([&format!("--key={ASSIGNED}"), WORD]);
}

#[test]
fn a_stdio_server_that_repeats_all_that_it_was_given_gives_nothing_away() {
    let folder = Folder::new("secrets-stdio");
    let mut command = check(&folder);
    give_command(&mut command);
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.contains("***") && told.contains("again") && told.contains("--env PLAIN=VALUE"), "{told}");
    assert!(folder.0.join("record.ndjson").exists() && folder.0.join("baseline").exists());
    hides_everywhere(&output, &folder.0, &OF_A_COMMAND);
}

#[test]
fn a_plan_and_a_server_that_dies_give_nothing_away() {
    for more in ["--plan", "--wait-not"] {
        let folder = Folder::new("secrets-plan");
        let mut command = check(&folder);
        match more {
            "--plan" => command.arg(more),
            _ => command.env("ECHO_DIES", "1"),
        };
        give_command(&mut command);
        let output = command.output().unwrap();
        let told = [output.stdout.clone(), output.stderr.clone()].concat();
        assert!(String::from_utf8_lossy(&told).contains("***"), "{more}: {}", String::from_utf8_lossy(&told));
        assert!(!told.contains(&0x1b), "{more}");
        hides_everywhere(&output, &folder.0, &OF_A_COMMAND);
    }
}

/// The server over HTTP, until it is dropped.
struct Http(Child, String);

impl Http {
    fn start() -> Self {
        let mut command = Command::new("python3");
        let mut child = command.arg(ECHO).env("ECHO_HTTP", "1").stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        Self(child, line.trim().to_owned())
    }

    fn url(&self) -> String {
        let port = &self.1;
        format!("http://{USER}:{PASSWORD}@127.0.0.1:{port}/t/{SEGMENT}/mcp?tenant={QUERY}#{FRAGMENT}")
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

const OF_A_URL: [&str; 7] = [HEADER, BEARER, PASSWORD, SEGMENT, QUERY, FRAGMENT, INHERITED];

#[test]
fn an_http_server_that_repeats_all_that_it_was_given_gives_nothing_away() {
    let server = Http::start();
    let folder = Folder::new("secrets-http");
    let mut command = check(&folder);
    command.args(["--header", &format!("X-Tenant: {HEADER}"), "--bearer", BEARER, &server.url()]);
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.contains("/t/***/mcp?tenant=***#***"), "{told}");
    hides_everywhere(&output, &folder.0, &OF_A_URL);
}

#[test]
fn a_configuration_gives_nothing_away() {
    let server = Http::start();
    let folder = Folder::new("secrets-config");
    let config = Folder::new("secrets-config-file");
    let servers = serde_json::json!({ "mcpServers": {
        "one": { "command": "python3", "args": [ECHO, "--token", OPTION], "env": { "PLAIN": PLAIN } },
        "two": { "url": server.url(), "headers": { "X-Access-Key": HEADER, "Authorization": format!("Bearer {BEARER}") } },
    }});
    fs::write(config.file("mcp.json"), servers.to_string()).unwrap();
    let output = check(&folder).args(["--config", &config.file("mcp.json")]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    hides_everywhere(&output, &folder.0, &[&OF_A_URL[..], &[PLAIN, OPTION]].concat());

    fs::write(
        config.file("mcp.json"),
        format!(r#"{{"mcpServers":{{"x":{{"command":"a","env":"{NAMED}"}}}}}}"#),
    )
    .unwrap();
    let output = check(&folder).args(["--config", &config.file("mcp.json")]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    hides_everywhere(&output, &folder.0, &[NAMED]);
}

#[test]
fn a_tap_gives_nothing_away() {
    let folder = Folder::new("secrets-tap");
    let mut command = Command::new(SELF);
    command.args([
        "tap",
        "--record",
        &folder.file("tap.ndjson"),
        "--",
        "python3",
        ECHO,
        "--access-key",
        OPTION,
        WORD,
    ]);
    command.env("SERVICE_TOKEN", INHERITED).env("ODD_THING", ODD);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let request =
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
    writeln!(child.stdin.take().unwrap(), "{request}").unwrap();
    assert!(child.wait().unwrap().success());
    let record = fs::read(folder.file("tap.ndjson")).unwrap();
    assert!(String::from_utf8_lossy(&record).contains("***"));
    hides("the recording", &record, &[OPTION, WORD, INHERITED, ODD]);
}

/// What a GET on the page of the host brings.
fn get(authority: &str, path: &str, token: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(authority).unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nhost: {authority}\r\nconnection: close\r\n");
    write!(stream, "{head}x-yardstick-token: {token}\r\n\r\n").unwrap();
    let mut told = Vec::new();
    stream.read_to_end(&mut told).unwrap();
    assert!(told.starts_with(b"HTTP/1.1 200"), "{path}: {}", String::from_utf8_lossy(&told));
    told
}

#[test]
fn the_page_of_the_host_gives_nothing_away() {
    let mut command = Command::new(SELF);
    command.args(["host", "--no-open"]).env("SERVICE_TOKEN", INHERITED);
    give_command(&mut command);
    let mut host = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut url = String::new();
    BufReader::new(host.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
    let authority = url.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let page = get(&authority, "/", "");
    let text = String::from_utf8_lossy(&page).into_owned();
    let token = text.split("yardstick-token\" content=\"").nth(1).and_then(|rest| rest.split('"').next());
    let secrets = [PLAIN, NAMED, OPTION, ASSIGNED, WORD, INHERITED];
    hides("the page", &page, &secrets);
    for path in ["/api/state", "/api/trace"] {
        let told = get(&authority, path, token.unwrap());
        assert!(String::from_utf8_lossy(&told).contains("***"), "{path} repeats nothing");
        hides(path, &told, &secrets);
    }
    host.kill().unwrap();
    let mut told = Vec::new();
    host.stderr.take().unwrap().read_to_end(&mut told).unwrap();
    hides("stderr", &told, &secrets);
    host.wait().unwrap();
}

#[test]
fn what_is_wrong_with_a_command_line_is_said_without_its_secrets() {
    for arguments in [
        &["check", "--header", NAMED, "http://127.0.0.1:9/"][..],
        &["check", "--env", OPTION, "--", "true"],
        &["check", "--bearer", NAMED, "--timeout", NAMED, "http://127.0.0.1:9/"],
        &["check", &format!("htp://u:{PASSWORD}@h/?k={QUERY}")],
        &["check", &format!("http://u:{PASSWORD}@127.0.0.1:1/t/{SEGMENT}?k={QUERY}")],
        &["check", "--no-such-option", &format!("--token={ASSIGNED}")],
        &["check", "--", "/no/such/program", "--token", OPTION],
        &["host", "--header", NAMED, "http://127.0.0.1:9/"],
        &["tap", "--", "/no/such/program", "--token", OPTION],
    ] {
        let output = Command::new(SELF).args(arguments).current_dir(std::env::temp_dir()).output().unwrap();
        assert!(!output.status.success() && !output.stderr.is_empty(), "{arguments:?}");
        for bytes in [&output.stdout, &output.stderr] {
            hides(&format!("{arguments:?}"), bytes, &[NAMED, OPTION, PASSWORD, QUERY, SEGMENT, ASSIGNED]);
        }
    }
}

#[test]
fn who_wants_to_see_secrets_sees_them_and_the_report_says_so() {
    let folder = Folder::new("secrets-shown");
    let mut command = check(&folder);
    command.arg("--with-secrets");
    give_command(&mut command);
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("(with secrets)") && told.contains(OPTION) && told.contains(INHERITED), "{told}");
    for file in ["reports/report.json", "reports/report.html", "reports/report.junit.xml", "record.ndjson"] {
        let text = fs::read_to_string(folder.0.join(file)).unwrap();
        assert!(text.contains("(with secrets)"), "{file}");
    }
}

/// An ordinary run on an ordinary machine shows no `***` at all.
#[test]
fn an_ordinary_run_hides_nothing() {
    let mut command = Command::new(SELF);
    command.args([
        "check",
        "--verbose",
        "--protocol",
        "2025-11-25",
        "--env",
        "LEVEL=debug",
        "--env",
        "N=1",
        "--format",
        "json",
    ]);
    command.args(["--", SELF, "serve"]).env_clear();
    for (name, value) in [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("HOME", "/tmp"),
        ("LANG", "en_US.UTF-8"),
        ("TERM", "xterm-256color"),
        ("HOSTNAME", "app-7d9f8b6c5d-x2x4z"),
        ("XDG_SESSION_ID", "3b241101-e2bb-4255-8caf-4136c566a962"),
        ("USER", "jane"),
        ("GITHUB_SHA", "9f8a7c6b5d4e3f2a1b0c9f8a7c6b5d4e3f2a1b0c"),
        ("NODE_ENV", "production"),
        ("PORT", "3000"),
    ] {
        command.env(name, value);
    }
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!String::from_utf8_lossy(&output.stdout).contains("***"));
}
