//! The command that a finding prints shows the finding again.

use std::process::{Command, Output};

use crate::running::Running;
use crate::{SELF, stderr, stdout, yardstick};

const CHECK: &str = "server/tools/unknown-tool-refused";

/// What comes of the command that `output` prints for its finding, in a shell, with `secrets` put in.
fn again(output: &Output, secrets: &[(&str, &str)]) -> (String, Output) {
    let told = stdout(output);
    assert!(told.contains("  again     "), "{told}{}", stderr(output));
    let line = told.lines().find_map(|line| line.trim().strip_prefix("again     ")).unwrap().to_owned();
    let filled = secrets.iter().fold(line.clone(), |line, (name, value)| line.replace(name, value));
    let command = filled.replacen("yardstick", SELF, 1);
    (line, Command::new("sh").args(["-c", &command]).output().unwrap())
}

fn shows_it(output: &Output) {
    let told = stdout(output);
    assert!(told.contains(&format!("FAILED  {CHECK}")), "{told}{}", stderr(output));
}

#[test]
fn a_program_is_started_as_it_was() {
    // It runs only where it is told to, and only with its variables.
    let script =
        "test \"$MODE\" = 'a b' && test -n \"$API_TOKEN\" && test \"$PWD\" = / && exec \"$0\" \"$@\"";
    let target = ["--", "sh", "-c", script, SELF, "serve", "--fault", "unknown-tool-succeeds"];
    let options = ["--env", "MODE=a b", "--env", "API_TOKEN=hidden-one", "--cwd", "/", "--timeout", "4"];
    let first =
        yardstick(&[&["check", "--protocol", "2025-11-25", "--only", CHECK], &options[..], &target].concat());
    let (line, second) = again(&first, &[("MODE=VALUE", "'MODE=a b'")]);
    assert!(line.contains("--env MODE=VALUE --env API_TOKEN=VALUE --cwd / --timeout 4 -- sh -c "), "{line}");
    assert!(!line.contains("hidden-one"), "{line}");
    shows_it(&second);
}

#[test]
fn tools_are_called_as_they_were() {
    let arguments = r#"{"text": "it's"}"#;
    let calls = ["--allow-calls", "none", "--tool", "echo", "--args", arguments];
    let target = ["--", SELF, "serve", "--fault", "call-without-content"];
    let only = ["check", "--protocol", "2025-11-25", "--only", "server/tools/content-present"];
    let first = yardstick(&[&only, &calls[..], &target].concat());
    let (line, second) = again(&first, &[]);
    assert!(line.contains("--allow-calls none --tool echo --args '{"), "{line}");
    assert_eq!(second.status.code(), Some(1), "{}{}", stdout(&second), stderr(&second));
}

#[test]
fn a_url_is_asked_as_it_was_once_the_secrets_are_put_in() {
    let server = Running::serve(&["--token", "open-sesame", "--fault", "unknown-tool-succeeds"]);
    let options = ["--bearer", "open-sesame", "--header", "X-Key: another-secret"];
    let only = ["check", "--protocol", "2025-11-25", "--only", CHECK];
    let first = yardstick(&[&only, &options[..], &[server.url.as_str()]].concat());
    let (line, second) = again(&first, &[("TOKEN", "open-sesame"), ("VALUE", "another-secret")]);
    let expected = format!("--header 'X-Key: VALUE' --bearer TOKEN {}", server.url);
    assert!(line.ends_with(&expected) && !line.contains("secret"), "{line}");
    shows_it(&second);
    let without = again(&first, &[]).1;
    assert_eq!(without.status.code(), Some(3), "{}", stdout(&without));
}

/// The lines of the report that say what was found.
fn findings(output: &Output) -> String {
    let told = stdout(output);
    let is_finding = |line: &&str| line.starts_with("FAILED  ") || line.starts_with("WARNING  ");
    let found: Vec<&str> = told.lines().filter(is_finding).collect();
    assert!(!found.is_empty(), "{told}{}", stderr(output));
    found.join("\n")
}

/// The app `where_am_i` has a button that asks for an origin that it does not declare.
const APP: [&str; 8] =
    ["check", "app", "--only", "app/csp/declared", "--row", "pressed", "--tool", "where_am_i"];

#[test]
fn apps_of_a_url_are_shown_as_they_were() {
    let server = Running::serve(&["--token", "open-sesame"]);
    let options = ["--header", "Authorization: Bearer open-sesame", "--jobs", "2"];
    let first = yardstick(&[&APP, &options[..], &[server.url.as_str()]].concat());
    let (line, second) = again(&first, &[("VALUE", "Bearer open-sesame")]);
    let options = "--tool where_am_i --row pressed --header 'Authorization: VALUE' --jobs 2";
    assert!(line.ends_with(&format!("app {options} {}", server.url)), "{line}");
    assert_eq!(findings(&second), findings(&first));
}

#[test]
fn apps_of_a_program_are_shown_as_they_were() {
    let script = "test \"$MODE\" = 'a b' && test \"$PWD\" = / && exec \"$0\" \"$@\"";
    let target = ["--", "sh", "-c", script, SELF, "serve"];
    let first = yardstick(&[&APP, &["--env", "MODE=a b", "--cwd", "/"][..], &target].concat());
    let (line, second) = again(&first, &[("MODE=VALUE", "'MODE=a b'")]);
    let options = "--tool where_am_i --row pressed --env MODE=VALUE --cwd /";
    assert!(line.contains(&format!("app {options} -- sh -c ")), "{line}");
    assert_eq!(findings(&second), findings(&first));
}

#[test]
fn a_host_is_measured_as_it_was() {
    let only = ["check", "host", "--only", "host/data/input-once"];
    let first = yardstick(&[&only, &["--fault", "host-input-twice", "--platform", "a b"][..]].concat());
    let (line, second) = again(&first, &[]);
    let options = "--platform 'a b' --fault host-input-twice";
    assert_eq!(line, format!("yardstick check --only host/data/input-once host {options}"));
    assert_eq!(findings(&second), findings(&first));
}
