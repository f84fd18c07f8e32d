//! Scripts run in a frame from outside.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::console::thrown;
use crate::context::State;
use crate::worlds::World;
use crate::{Error, Frame};

/// How often a condition is asked again.
const PAUSE: Duration = Duration::from_millis(25);
/// What the browser says when a document goes while a script of ours runs in it.
const LEFT: [&str; 5] = [
    "context was destroyed",
    "uniqueContextId not found",
    "Cannot find context",
    "navigated or closed",
    "Promise was collected",
];

impl Frame {
    /// Evaluates a script as the page's own, waits for its promise, and gives its value as JSON.
    pub async fn eval(&self, script: &str) -> Result<Value, Error> {
        let result = self.evaluate(script, true, self.context.limit).await?;
        let value = &result["result"];
        match (value.get("value"), value["unserializableValue"].as_str()) {
            (Some(value), _) => Ok(value.clone()),
            (None, Some(text)) => Ok(text.into()),
            (None, None) => Ok(Value::Null),
        }
    }

    /// Evaluates a script until its value is true in the sense of the language; gives that value.
    ///
    /// A script that throws, and a document that is not there yet, count as not yet.
    pub async fn wait_for(&self, script: &str, limit: Duration) -> Result<Value, Error> {
        let (end, mut last) = (Instant::now() + limit, "it was never true".to_owned());
        loop {
            match tokio::time::timeout_at(end, self.eval(script)).await {
                Ok(Ok(value)) if is_true(&value) => return Ok(value),
                Ok(Ok(value)) => last = format!("it is {value}"),
                Ok(Err(why @ (Error::Script { .. } | Error::Left { .. } | Error::NeverCame { .. }))) => {
                    last = why.to_string();
                }
                Ok(Err(why)) => return Err(why),
                Err(_) => return Err(Error::never_came(format!("`{script}`"), limit).but(last)),
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Evaluates a script to an object that stays in the page; gives its id, unless it is null.
    pub(crate) async fn handle(&self, script: &str) -> Result<Option<String>, Error> {
        let result = self.evaluate(script, false, self.context.limit).await?;
        Ok(result["result"]["objectId"].as_str().map(str::to_owned))
    }

    async fn evaluate(&self, script: &str, by_value: bool, limit: Duration) -> Result<Value, Error> {
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
                // The world went before the script began; the next document has another.
                Err(Error::Refused { message, .. })
                    if message.contains("uniqueContextId not found") && Instant::now() < end =>
                {
                    tokio::time::sleep(PAUSE).await;
                }
                Err(Error::Refused { message, .. }) => return Err(self.blame(message)),
                // The session is over, but the frame is not: it shows something else now, in another process.
                Err(Error::Closed { .. }) if self.info().is_some() => {
                    return Err(Error::Left { url: self.url() });
                }
                Ok(result) if result["exceptionDetails"].is_object() => {
                    return Err(self.blame(thrown(&result["exceptionDetails"])));
                }
                other => return other,
            }
        }
    }

    fn blame(&self, message: String) -> Error {
        let url = self.url();
        if LEFT.iter().any(|left| message.contains(left)) {
            Error::Left { url }
        } else {
            Error::Script { url, message }
        }
    }

    /// Where the frame's own scripts run, once its document is there.
    async fn world(&self, limit: Duration) -> Result<World, Error> {
        self.context.when("a document to run scripts in", limit, |state| self.find_world(state)).await
    }

    fn find_world(&self, state: &State) -> Result<Option<World>, Error> {
        let frame = state.frames.get(&self.id);
        let frame = frame.ok_or_else(|| Error::Closed { what: "the frame".into() })?;
        match state.target(&frame.session) {
            Some(target) if target.crashed => Err(Error::Crashed { url: frame.url.clone() }),
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
