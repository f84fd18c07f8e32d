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

#[test]
fn options_of_pictures_that_make_no_sense_are_refused() {
    let cases: [(&[&str], &str); 4] = [
        (&["--update-screenshots"], "--screenshots"),
        (&["--tolerance", "1%"], "--screenshots"),
        (&["--screenshots", "/tmp", "--tolerance", "150%"], "0% to 100%"),
        (&["--screenshots", "/no/such/folder"], "--update-screenshots makes it"),
    ];
    for (options, expected) in cases {
        let output = yardstick(&[&["check", "app"], options].concat());
        assert_eq!(output.status.code(), Some(2), "{options:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(expected), "{options:?}: {}", stderr(&output));
    }
}

/// Whoever keeps pictures of an app learns when it looks different, and can take the new look.
#[test]
fn an_app_is_compared_with_pictures_of_an_earlier_run() {
    let folder = std::env::temp_dir().join(format!("yardstick-looks-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = |name: &str| folder.join(name).display().to_string();
    let (html, pictures, reports) = (file("app.html"), file("pictures"), file("reports"));
    std::fs::create_dir_all(&pictures).unwrap();
    let check = |more: &[&str]| {
        let options =
            ["check", "app", "--html", &html, "--row", "dark", "--only", "app/looks", "--format", "json"];
        let output = yardstick(&[&options[..], &["--screenshots", &pictures], more].concat());
        let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
        (output.status.code(), report)
    };
    std::fs::write(&html, PLAIN).unwrap();
    let (code, report) = check(&[]);
    assert_eq!((code, &report["cases"][0]["outcome"]), (Some(3), &Value::from("blocked")));
    assert!(report["cases"][0]["actual"].as_str().unwrap().contains("no reference picture for strict, dark"));
    assert_eq!(check(&["--update-screenshots"]).0, Some(0));
    assert!(std::path::Path::new(&pictures).join("app/dark.png").exists());
    assert_eq!(check(&[]).0, Some(0), "{}", check(&[]).1);

    std::fs::write(&html, PLAIN.replace("<main>", "<main style=\"padding: 9px\">")).unwrap();
    let (code, report) = check(&["--output", &reports]);
    assert_eq!((code, &report["cases"][0]["outcome"]), (Some(1), &Value::from("failed")), "{report}");
    for app in report["viewed"].as_array().unwrap() {
        for file in app["comparison"]["files"].as_array().unwrap() {
            let picture = std::path::Path::new(&reports).join(file.as_str().unwrap());
            assert!(std::fs::read(picture).unwrap().starts_with(b"\x89PNG"));
        }
    }
    let page = std::fs::read_to_string(std::path::Path::new(&reports).join("report.html")).unwrap();
    assert!(page.contains("The reference picture of the row dark"), "expected and diff are in the page");
    assert_eq!(check(&["--tolerance", "100%"]).0, Some(0));
    std::fs::remove_dir_all(&folder).unwrap();
}
