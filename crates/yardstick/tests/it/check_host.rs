//! `check host`, as a host meets it that starts its servers as commands.

use std::time::Duration;

use serde_json::{Value, json};
use suite::host::HostDriver as _;
use suite::host::drivers::OwnHost;
use transport::client::{Program, Target};

use crate::SELF;

/// How long a View has on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Waits until `met`, and says whether it was.
async fn until(mut met: impl AsyncFnMut() -> bool) -> bool {
    let end = tokio::time::Instant::now() + TIMEOUT;
    while tokio::time::Instant::now() < end {
        if met().await {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    false
}

/// A host that starts the probe server leaves a report behind when it ends it.
#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_starts_the_probe_is_judged_in_the_end() {
    let folder = std::env::temp_dir().join(format!("yardstick-probe-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (report, facts) = (folder.join("report.json"), folder.join("facts.json"));
    let (format, facts_file) = (format!("json:{}", report.display()), facts.display().to_string());
    let words = ["check", "host", "--stdio", "--format", &format, "--facts", &facts_file];
    let args = words.map(str::to_owned).to_vec();
    let program = Program { program: SELF.to_owned(), args, ..Program::default() };
    let host = OwnHost::connect(vec![Target::Command(program)], None).await.unwrap();
    for tool in ["basic", "closed"] {
        host.show(tool, &json!({ "number": 7 })).await.unwrap();
        let is_done = async || {
            let state = host.read_view().await.unwrap_or_default();
            state["scene"] == tool && state["done"] == true
        };
        assert!(until(is_done).await, "{tool} did not come to its end");
    }
    host.shut_down().await;
    assert!(until(async || report.exists() && facts.exists()).await, "no report was written");
    let report: Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
    let outcome = |check: &str| {
        let cases = report["cases"].as_array().unwrap();
        cases.iter().find(|case| case["check"] == check).unwrap()["outcome"].clone()
    };
    assert_eq!(outcome("host/handshake/answered"), "passed");
    assert_eq!(outcome("host/visibility/model-only-refused"), "passed");
    assert_eq!(outcome("host/sandbox/origin-differs"), "passed");
    // Nobody cancelled anything.
    assert_eq!(outcome("host/data/cancelled-told"), "not-applicable");
    assert_eq!(report["counts"]["failed"], 0, "{report}");
    std::fs::remove_dir_all(&folder).unwrap();
}
