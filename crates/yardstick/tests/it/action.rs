//! The script inside `action.yml`, run as a runner would.

use std::fs;
use std::path::Path;
use std::process::Command;

const ACTION: &str = include_str!("../../../../action.yml");

/// The script of the step that measures.
fn script() -> String {
    let (_, script) = ACTION.rsplit_once("run: |\n").unwrap();
    script.lines().map(|line| line.strip_prefix("        ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// The exit code, and what was written to the outputs and the summary.
fn run(name: &str, inputs: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("action").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("yardstick/bin")).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_yardstick"), folder.join("yardstick/bin/yardstick"))
        .unwrap();
    let mut command = Command::new("bash");
    command.args(["-e", "-o", "pipefail", "-c", &script()]).current_dir(&folder).env("RUNNER_TEMP", &folder);
    for name in ["TARGET", "COMMAND", "CONFIG", "PROTOCOL", "BASELINE"] {
        command.env(name, "");
    }
    command.env("FORMAT", "human").env("OUTPUT", "out").env("FAIL", "true");
    command.env("ARGS", "--only server/tools/unknown-tool-refused");
    command.env("GITHUB_OUTPUT", folder.join("output")).env("GITHUB_STEP_SUMMARY", folder.join("summary"));
    let output = command.envs(inputs.iter().copied()).output().unwrap();
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    (output.status.code(), read("output"), read("summary"))
}

#[test]
fn a_command_is_measured_and_summed_up() {
    let serve = format!("{} serve", env!("CARGO_BIN_EXE_yardstick"));
    let broken = format!("{serve} --fault unknown-tool-succeeds");
    let sound = run("sound", &[("COMMAND", &serve), ("PROTOCOL", "2025-06-18 2025-11-25")]);
    assert_eq!(sound.0, Some(0), "{sound:?}");
    assert_eq!(sound.1, "exit-code=0\nverdict=conformant\n");
    assert!(sound.2.contains("2 passed"), "{}", sound.2);

    let (code, outputs, summary) = run("broken", &[("COMMAND", &broken), ("PROTOCOL", "2025-11-25")]);
    assert_eq!(code, Some(1));
    assert_eq!(outputs, "exit-code=1\nverdict=not-conformant\n");
    assert!(summary.contains("not conformant") && summary.contains("<details>"), "{summary}");

    let lenient = run("lenient", &[("COMMAND", &broken), ("PROTOCOL", "2025-11-25"), ("FAIL", "false")]);
    assert_eq!(lenient.0, Some(0), "{lenient:?}");
    assert_eq!(lenient.1, "exit-code=1\nverdict=not-conformant\n");
}

#[test]
fn the_servers_of_a_configuration_are_measured() {
    let servers = serde_json::json!({ "mcpServers": {
        "sound": { "command": env!("CARGO_BIN_EXE_yardstick"), "args": ["serve"] },
        "broken": { "command": env!("CARGO_BIN_EXE_yardstick"), "args": ["serve", "--fault", "unknown-tool-succeeds"] },
    } });
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("action.json");
    fs::write(&file, servers.to_string()).unwrap();
    let (code, outputs, summary) =
        run("configured", &[("CONFIG", file.to_str().unwrap()), ("PROTOCOL", "2025-11-25")]);
    assert_eq!(code, Some(1), "{outputs}{summary}");
    assert!(outputs.contains("verdict=not-conformant"), "{outputs}");
}

#[test]
fn one_target_has_to_be_given() {
    assert_eq!(run("neither", &[]).0, Some(2));
    assert_eq!(run("both", &[("TARGET", "http://127.0.0.1:9/"), ("COMMAND", "true")]).0, Some(2));
}
