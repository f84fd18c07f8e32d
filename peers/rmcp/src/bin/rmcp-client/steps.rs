//! One JSON line per step on stdout: `{"step": "call:echo", "ok": true, "detail": …}`.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use serde_json::{Value, json};

const STEP_LIMIT: Duration = Duration::from_secs(20);
const EVENT_LIMIT: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(10);

/// Runs steps and remembers whether one failed.
#[derive(Default)]
pub(crate) struct Steps {
    failed: bool,
}

impl Steps {
    /// Runs one step; what it returns, or why it failed, becomes `detail`.
    pub(crate) async fn run(
        &mut self,
        step: &str,
        body: impl Future<Output = Result<Value>>,
    ) -> Result<bool> {
        let outcome = match tokio::time::timeout(STEP_LIMIT, body).await {
            Ok(outcome) => outcome,
            Err(_) => Err(anyhow::anyhow!("{step} took longer than {STEP_LIMIT:?}")),
        };
        let (ok, detail) = match outcome {
            Ok(detail) => (true, detail),
            Err(error) => (false, json!(format!("{error:#}"))),
        };
        writeln!(std::io::stdout(), "{}", json!({ "step": step, "ok": ok, "detail": detail }))?;
        self.failed |= !ok;
        Ok(ok)
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        if self.failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }
}

/// Waits until `ready` says so; `what` names what is awaited.
pub(crate) async fn until(ready: impl Fn() -> bool, what: &str) -> Result<()> {
    let waiting = async {
        while !ready() {
            tokio::time::sleep(POLL).await;
        }
    };
    match tokio::time::timeout(EVENT_LIMIT, waiting).await {
        Ok(()) => Ok(()),
        Err(_) => bail!("{what} did not happen within {EVENT_LIMIT:?}"),
    }
}
