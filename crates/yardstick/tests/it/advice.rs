//! A report advises to allow more calls only where that would get more tested.

use crate::small_server::script;
use crate::{stderr, stdout, yardstick};

const ADVICE: &str = "--allow-calls all calls every tool";

fn report(tools: &str, options: &[&str]) -> String {
    let fixed = ["check", "--only", "server/tools", "--skip", "wire", "--protocol", "2025-11-25"];
    let script = script(tools);
    let output = yardstick(&[&fixed, options, &["--", "sh", "-c", &script]].concat());
    assert!(stderr(&output).is_empty(), "{}", stderr(&output));
    stdout(&output)
}

#[test]
fn more_calls_are_advised_only_where_they_would_help() {
    let tool = r#"{"name":"look","inputSchema":{"type":"object","properties":{"at":{"type":"string"}},"required":["at"]}}"#;
    let left_alone = report(tool, &[]);
    assert!(left_alone.contains(ADVICE), "{left_alone}");
    let all_called = report(tool, &["--allow-calls", "all"]);
    assert!(all_called.contains("passed") && !all_called.contains(ADVICE), "{all_called}");
    let none_there = report("", &[]);
    assert!(none_there.contains("passed") && !none_there.contains(ADVICE), "{none_there}");
}
