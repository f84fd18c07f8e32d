//! `check app`, as a person or a script meets it.

use std::process::Command;

use serde_json::Value;

use crate::{SELF, stderr, stdout, yardstick};

/// An app that says its name and does little else right.
const PLAIN: &str = r#"<!doctype html><title>Plain</title><main>Waiting<script>
const say = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
addEventListener("message", ({ data, source }) => {
  if (source !== parent || data?.jsonrpc !== "2.0") return;
  if (data.id === 1 && data.result) say({ method: "ui/notifications/initialized", params: {} });
  if (data.method === "ui/notifications/tool-result") document.querySelector("main").textContent = data.params.structuredContent?.word ?? "none";
  if (data.method === "ui/resource-teardown" || data.method === "ping") say({ id: data.id, result: {} });
});
say({ id: 1, method: "ui/initialize", params: { protocolVersion: "2026-01-26", appInfo: { name: "plain", version: "1" }, appCapabilities: {} } });
</script></main>"#;

#[test]
fn the_rows_are_listed_without_a_browser() {
    let output = yardstick(&["check", "app", "--row", "list"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).lines().any(|line| line.starts_with("minimal ")), "{}", stdout(&output));
}

#[test]
fn a_missing_browser_is_named_with_what_to_install() {
    let mut command = Command::new(SELF);
    command.args(["check", "app"]).env("YARDSTICK_BROWSER", "/no/such/browser");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stdout(&output));
    let told = stderr(&output);
    assert!(told.contains("/no/such/browser"), "{told}");
}

#[test]
fn an_app_in_a_file_is_shown_with_the_answers_of_its_fixture() {
    let folder = std::env::temp_dir().join(format!("yardstick-app-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = |name: &str| folder.join(name).display().to_string();
    std::fs::write(file("app.html"), PLAIN).unwrap();
    let fixture = r#"{ "result": { "content": [], "structuredContent": { "word": "hello" } } }"#;
    std::fs::write(file("fixture.json"), fixture).unwrap();
    let (html, answers, reports) = (file("app.html"), file("fixture.json"), file("reports"));
    let output = yardstick(&[
        "check",
        "app",
        "--html",
        &html,
        "--fixture",
        &answers,
        "--row",
        "closed",
        "--only",
        "app/access",
        "--only",
        "app/lifecycle",
        "--output",
        &reports,
        "--format",
        "json",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let outcome = |check: &str| {
        let cases = report["cases"].as_array().unwrap();
        cases.iter().find(|case| case["check"] == check).map(|case| case["outcome"].clone()).unwrap()
    };
    assert_eq!(outcome("app/lifecycle/answers-teardown"), "passed");
    // Advice is a warning, and fails no run.
    assert_eq!(outcome("app/access/language"), "warned");
    assert!(report["cases"].as_array().unwrap().iter().all(|case| case["subject"] == "app"));
    let shown: Vec<_> = report["viewed"].as_array().unwrap().iter().map(|one| one["row"].clone()).collect();
    assert_eq!(shown, ["strict", "closed"]);
    for one in report["viewed"].as_array().unwrap() {
        let picture = std::path::Path::new(&reports).join(one["screenshot"].as_str().unwrap());
        assert!(std::fs::read(picture).unwrap().starts_with(b"\x89PNG"));
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
