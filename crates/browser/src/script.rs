//! Runs scripts in a frame.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::console::thrown;
use crate::context::ContextState;
use crate::worlds::World;
use crate::{BrowserError, Frame};

/// How often a condition is evaluated.
const POLL_INTERVAL: Duration = Duration::from_millis(25);
/// Errors of the browser when a document is left while a script runs in it.
const DOCUMENT_LEFT: [&str; 5] = [
    "context was destroyed",
    "uniqueContextId not found",
    "Cannot find context",
    "navigated or closed",
    "Promise was collected",
];

impl Frame {
    /// Evaluates a script in the page's own world, waits for its promise, and returns its value as JSON.
    pub async fn eval(&self, script: &str) -> Result<Value, BrowserError> {
        let result = self.evaluate(script, true, self.context.limit).await?;
        let value = &result["result"];
        match (value.get("value"), value["unserializableValue"].as_str()) {
            (Some(value), _) => Ok(value.clone()),
            (None, Some(text)) => Ok(text.into()),
            (None, None) => Ok(Value::Null),
        }
    }

    /// Evaluates a script until its value is truthy, and returns that value.
    ///
    /// An error in the script or a missing document counts as "not yet".
    pub async fn wait_for(&self, script: &str, limit: Duration) -> Result<Value, BrowserError> {
        let (end, mut last) = (Instant::now() + limit, "it was never true".to_owned());
        loop {
            match tokio::time::timeout_at(end, self.eval(script)).await {
                Ok(Ok(value)) if is_true(&value) => return Ok(value),
                Ok(Ok(value)) => last = format!("it is {value}"),
                Ok(Err(
                    why @ (BrowserError::Script { .. }
                    | BrowserError::Left { .. }
                    | BrowserError::NeverCame { .. }),
                )) => {
                    last = why.to_string();
                }
                Ok(Err(why)) => return Err(why),
                Err(_) => return Err(BrowserError::timed_out(format!("`{script}`"), limit).instead(last)),
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Evaluates a script to an object that stays in the page. Returns its id, unless the object is null.
    pub(crate) async fn handle(&self, script: &str) -> Result<Option<String>, BrowserError> {
        let result = self.evaluate(script, false, self.context.limit).await?;
        Ok(result["result"]["objectId"].as_str().map(str::to_owned))
    }

    async fn evaluate(&self, script: &str, by_value: bool, limit: Duration) -> Result<Value, BrowserError> {
        let end = Instant::now() + limit;
        loop {
            let world = self.world(end.duration_since(Instant::now())).await?;
            let params = json!({
                "expression": script,
                "uniqueContextId": world.unique,
                "awaitPromise": true,
                "returnByValue": by_value,
            });
            match self.context.call(&world.session, "Runtime.evaluate", params).await {
                // The document was left before the script started; the next document has another world.
                Err(BrowserError::Refused { message, .. })
                    if message.contains("uniqueContextId not found") && Instant::now() < end =>
                {
                    tokio::time::sleep(POLL_INTERVAL).await;
                }
                Err(BrowserError::Refused { message, .. }) => return Err(self.blame(message)),
                // The session has ended, but the frame continues with another document in another process.
                Err(BrowserError::Closed { .. }) if self.info().is_some() => {
                    return Err(BrowserError::Left { url: self.url() });
                }
                Ok(result) if result["exceptionDetails"].is_object() => {
                    return Err(self.blame(thrown(&result["exceptionDetails"])));
                }
                other => return other,
            }
        }
    }

    fn blame(&self, message: String) -> BrowserError {
        let url = self.url();
        if DOCUMENT_LEFT.iter().any(|left| message.contains(left)) {
            BrowserError::Left { url }
        } else {
            BrowserError::Script { url, message }
        }
    }

    /// Waits for the world of the frame's own scripts.
    async fn world(&self, limit: Duration) -> Result<World, BrowserError> {
        self.context.when("a document to run scripts in", limit, |state| self.find_world(state)).await
    }

    fn find_world(&self, state: &ContextState) -> Result<Option<World>, BrowserError> {
        let frame = state.frames.get(&self.id);
        let frame = frame.ok_or_else(|| BrowserError::Closed { what: "the frame".into() })?;
        match state.target(&frame.session) {
            Some(target) if target.crashed => Err(BrowserError::Crashed { url: frame.url.clone() }),
            _ => Ok(state.worlds.of_frame(&frame.session, &self.id).cloned()),
        }
    }
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Bool(true) | Value::Array(_) | Value::Object(_) => true,
    }
}
