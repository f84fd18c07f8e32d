//! The fixtures of `yardstick serve`: what the official suite looks for in a server, judged by the suite and used by the
//! clients of others.

use serde_json::json;

use crate::harness::{Client, Server, Target};
use crate::official::Edition;

const TASKS: [&str; 10] = [
    "tasks-lifecycle",
    "tasks-capability-negotiation",
    "tasks-wire-fields",
    "tasks-request-state-removal",
    "tasks-mrtr-input",
    "tasks-request-headers",
    "tasks-dispatch-and-envelope",
    "tasks-status-notifications",
    "tasks-required-task-error",
    "tasks-mrtr-composition",
];
/// A placeholder of the suite: it skips itself whatever the server does.
const HOLLOW: &str = "tasks-status-notifications";

#[test]
fn official_requirements_of_2025_11_25() {
    let listening = Server::Yardstick.listen();
    Edition::V0_2.judge(&listening.url, &["--requirements", "2025-11-25"]).assert_clean(33);
}

#[test]
fn official_requirements_of_2026_07_28() {
    let listening = Server::Yardstick.listen();
    Edition::V0_2.judge(&listening.url, &["--requirements", "2026-07-28"]).assert_clean(49);
}

#[test]
fn official_scenarios_of_2025_06_18() {
    let listening = Server::Yardstick.listen();
    Edition::V0_2.judge(&listening.url, &["--spec-version", "2025-06-18"]).assert_clean(27);
}

#[test]
fn official_scenarios_of_2025_03_26() {
    let listening = Server::Yardstick.listen();
    Edition::V0_2.judge(&listening.url, &["--spec-version", "2025-03-26"]).assert_clean(1);
}

#[test]
fn official_scenarios_of_the_tasks_extension() {
    let listening = Server::Yardstick.listen();
    for scenario in TASKS {
        let at_least = usize::from(scenario != HOLLOW);
        Edition::V0_2.judge(&listening.url, &["--scenario", scenario]).assert_clean(at_least);
    }
}

#[test]
fn official_stable_suite() {
    let listening = Server::Yardstick.listen();
    Edition::V0_1.judge(&listening.url, &["--suite", "all"]).assert_clean(32);
}

#[test]
fn clients_are_asked_in_the_older_revisions() {
    let plan = [
        "--sample",
        r#"test_sampling={"prompt":"hello"}"#,
        "--elicit",
        r#"test_elicitation={"message":"Which colour?"}"#,
        "--call",
        "test_simple_text",
        "--fail",
        "test_error_handling",
        "--read",
        "test://static-text",
        "--prompt",
        r#"test_prompt_with_arguments={"arg1":"a","arg2":"b"}"#,
    ];
    let listening = Server::Yardstick.listen();
    for client in [Client::Ts1, Client::Ts2, Client::Rmcp] {
        let http = Target::Http(listening.url.clone());
        for target in [http, Target::Stdio(Server::Yardstick.stdio())] {
            for protocol in ["2025-06-18", "2025-11-25"] {
                let steps = client.visit(&target, Some(protocol), &plan).all_ok();
                assert_eq!(steps.detail("sample:test_sampling")["asked"], json!(["hello"]));
                assert_eq!(steps.detail("elicit:test_elicitation")["asked"], json!(["Which colour?"]));
            }
        }
    }
}

#[test]
fn clients_are_asked_by_input_required_results() {
    let plan = [
        "--elicit",
        "test_input_required_result_elicitation",
        "--sample",
        "test_input_required_result_sampling",
        "--roots",
        "test_input_required_result_list_roots",
        "--elicit",
        "test_input_required_result_multi_round",
    ];
    let listening = Server::Yardstick.listen();
    for client in [Client::Ts2, Client::Rmcp] {
        let http = Target::Http(listening.url.clone());
        for target in [http, Target::Stdio(Server::Yardstick.stdio())] {
            client.visit(&target, Some("2026-07-28"), &plan).all_ok();
        }
    }
}
