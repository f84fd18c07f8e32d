//! The state machine of a task. No clocks, no locks, no I/O.

use std::collections::BTreeMap;

use protocol::Era;
use serde_json::{Map, Value};

use crate::call::Ask;
use crate::rpc::RpcError;

/// The status of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// It is running.
    Working,
    /// It waits for the client.
    InputRequired,
    /// It has a result.
    Completed,
    /// It has an error, or in 2025-11-25 a result with `isError`.
    Failed,
    /// It was cancelled.
    Cancelled,
}

/// The state of a task.
#[derive(Debug)]
pub(crate) struct State {
    status: Status,
    message: Option<String>,
    /// The open questions, by key (2026-07-28).
    asked: BTreeMap<String, Ask>,
    answers: BTreeMap<String, Value>,
    /// Keys that must not be used again.
    used: usize,
    /// How many of our requests the client has not answered (2025-11-25).
    waiting: usize,
    outcome: Option<Result<Value, RpcError>>,
}

impl Status {
    /// The name in the protocol.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::InputRequired => "input_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether it has ended.
    pub(crate) const fn is_terminal(self) -> bool {
        match self {
            Self::Working | Self::InputRequired => false,
            Self::Completed | Self::Failed | Self::Cancelled => true,
        }
    }
}

impl State {
    pub(crate) const fn new() -> Self {
        Self {
            status: Status::Working,
            message: None,
            asked: BTreeMap::new(),
            answers: BTreeMap::new(),
            used: 0,
            waiting: 0,
            outcome: None,
        }
    }

    pub(crate) const fn status(&self) -> Status {
        self.status
    }

    /// The status message.
    pub(crate) fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// The result or error, once there is one.
    pub(crate) fn outcome(&self) -> Option<&Result<Value, RpcError>> {
        self.outcome.as_ref()
    }

    /// Ends the task with an outcome. In 2025-11-25 a result with `isError` is a failure, in 2026-07-28 it is a result.
    pub(crate) fn finish(&mut self, era: Era, outcome: Result<Value, RpcError>) -> bool {
        let (status, message) = match (&outcome, era) {
            (Err(error), _) => (Status::Failed, Some(error.message.clone())),
            (Ok(result), Era::Legacy) if result["isError"] == true => {
                (Status::Failed, result["content"][0]["text"].as_str().map(str::to_owned))
            }
            (Ok(_), _) => (Status::Completed, None),
        };
        self.end(status, message, Some(outcome))
    }

    /// Cancels the task; false when it had already ended.
    pub(crate) fn cancel(&mut self) -> bool {
        self.end(Status::Cancelled, Some("cancelled on request".to_owned()), None)
    }

    fn end(
        &mut self,
        status: Status,
        message: Option<String>,
        outcome: Option<Result<Value, RpcError>>,
    ) -> bool {
        if self.status.is_terminal() {
            return false;
        }
        self.asked.clear();
        (self.status, self.message, self.outcome) = (status, message, outcome);
        true
    }

    /// Adds questions for the client (2026-07-28), and returns the keys of the answers. A key is never used twice in
    /// the life of a task.
    pub(crate) fn ask(&mut self, asks: &[Ask]) -> Vec<String> {
        let keys = asks.iter().map(|ask| {
            self.used += 1;
            let key = format!("{}-{}", ask.key, self.used);
            self.asked.insert(key.clone(), ask.clone());
            key
        });
        let keys = keys.collect();
        self.update_status();
        keys
    }

    /// Adds the client's answers (2026-07-28). Unasked and invalid answers are ignored; false when all of them are.
    pub(crate) fn answer(&mut self, responses: &Map<String, Value>) -> bool {
        let mut changed = false;
        for (key, answer) in responses {
            if self.asked.get(key).is_some_and(|ask| ask.is_answered_by(answer)) {
                self.asked.remove(key);
                self.answers.insert(key.clone(), answer.clone());
                changed = true;
            }
        }
        self.update_status();
        changed
    }

    /// Removes and returns the answers under `keys`, once all have come.
    pub(crate) fn take_answers(&mut self, keys: &[String]) -> Option<Vec<Value>> {
        if !keys.iter().all(|key| self.answers.contains_key(key)) {
            return None;
        }
        keys.iter().map(|key| self.answers.remove(key)).collect()
    }

    /// The open questions (2026-07-28).
    pub(crate) fn requests(&self) -> Map<String, Value> {
        self.asked.iter().map(|(key, ask)| (key.clone(), ask.as_input())).collect()
    }

    /// Notes that a request goes to the client (2025-11-25).
    pub(crate) fn wait(&mut self) {
        self.waiting += 1;
        self.update_status();
    }

    /// Notes that it was answered.
    pub(crate) fn resume(&mut self) {
        self.waiting = self.waiting.saturating_sub(1);
        self.update_status();
    }

    /// Updates the status: whether the task waits for the client.
    fn update_status(&mut self) {
        if !self.status.is_terminal() {
            let asks = !self.asked.is_empty() || self.waiting > 0;
            self.status = if asks { Status::InputRequired } else { Status::Working };
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form(key: &'static str) -> Ask {
        Ask::elicitation(key, json!({ "message": "?" }))
    }

    fn responses(pairs: &[(&str, Value)]) -> Map<String, Value> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
    }

    #[test]
    fn a_task_works_until_it_ends() {
        let mut task = State::new();
        assert_eq!(task.status(), Status::Working);
        assert!(task.finish(Era::Modern, Ok(json!({ "content": [] }))));
        assert_eq!(task.status(), Status::Completed);
        assert!(!task.cancel() && !task.finish(Era::Modern, Ok(json!({}))), "an end is an end");
        assert_eq!(task.outcome().unwrap().as_ref().unwrap(), &json!({ "content": [] }));
    }

    #[test]
    fn eras_differ_in_what_a_failure_is() {
        let failed = json!({ "content": [{ "type": "text", "text": "no luck" }], "isError": true });
        let (mut legacy, mut modern) = (State::new(), State::new());
        legacy.finish(Era::Legacy, Ok(failed.clone()));
        modern.finish(Era::Modern, Ok(failed));
        assert_eq!((legacy.status(), legacy.message()), (Status::Failed, Some("no luck")));
        assert_eq!((modern.status(), modern.message()), (Status::Completed, None));
        let mut broken = State::new();
        broken.finish(Era::Modern, Err(RpcError::new(-32603, "broken")));
        assert_eq!((broken.status(), broken.message()), (Status::Failed, Some("broken")));
    }

    #[test]
    fn questions_are_answered_one_by_one() {
        let mut task = State::new();
        let keys = task.ask(&[form("a"), form("b")]);
        assert_eq!(task.status(), Status::InputRequired);
        assert!(task.answer(&responses(&[(&keys[0], json!({ "action": "decline" }))])));
        assert_eq!(task.status(), Status::InputRequired);
        assert_eq!(task.requests().keys().collect::<Vec<_>>(), [&keys[1]]);
        assert_eq!(task.take_answers(&keys), None);
        assert!(task.answer(&responses(&[(&keys[1], json!({ "action": "cancel" }))])));
        assert_eq!(task.status(), Status::Working);
        assert_eq!(task.take_answers(&keys).unwrap().len(), 2);
    }

    #[test]
    fn what_is_no_answer_is_ignored() {
        let mut task = State::new();
        let keys = task.ask(&[form("a")]);
        assert!(
            !task.answer(&responses(&[("stranger", json!({ "action": "accept" })), (&keys[0], json!(7))]))
        );
        assert_eq!(task.status(), Status::InputRequired);
    }

    #[test]
    fn keys_are_never_used_twice() {
        let mut task = State::new();
        let first = task.ask(&[form("a")]);
        task.answer(&responses(&[(&first[0], json!({ "action": "accept" }))]));
        let second = task.ask(&[form("a")]);
        assert_ne!(first, second);
        assert!(!task.answer(&responses(&[(&first[0], json!({ "action": "accept" }))])));
    }

    #[test]
    fn requests_on_the_wire_count_as_questions() {
        let mut task = State::new();
        task.wait();
        task.wait();
        task.resume();
        assert_eq!(task.status(), Status::InputRequired);
        task.resume();
        assert_eq!(task.status(), Status::Working);
        task.cancel();
        task.wait();
        assert_eq!(task.status(), Status::Cancelled, "an end is an end");
    }
}
