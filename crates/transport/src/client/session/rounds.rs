//! Requests that need more rounds: the server asks for input, the client gives it and asks again.

use serde_json::{Map, Value};

use super::request::RequestId;
use super::{Request, Session};
use crate::client::{Answer, Failure, Reply};

/// The replies of one request that was sent until it was complete, oldest first.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// The replies; at least one.
    pub replies: Vec<Reply>,
    /// Whether the last reply asks for no more input.
    pub complete: bool,
}

impl Rounds {
    /// The last reply.
    pub fn last(&self) -> Option<&Reply> {
        self.replies.last()
    }

    pub(super) async fn run(request: Request) -> Result<Self, Failure> {
        let rounds = request.session.inner.limits.rounds;
        let mut next = request.clone();
        let mut replies = Vec::new();
        for round in 0..=rounds {
            let reply = next.send().await?;
            let params = request.session.next_round(request.params.as_ref(), &reply);
            replies.push(reply);
            match params {
                Some(params) => next = request.again(params, round),
                None => return Ok(Self { replies, complete: true }),
            }
        }
        Ok(Self { replies, complete: false })
    }
}

impl Session {
    /// Sends a request, gives what the server asks for by the profile, and sends it again, until it is complete or the
    /// rounds are used up.
    pub async fn call_through(&self, request: Request) -> Result<Rounds, Failure> {
        request.send_through().await
    }

    /// The parameters of the next round, with what the profile answers, if the reply to a request with `params` asks for one.
    pub fn next_round(&self, params: Option<&Value>, reply: &Reply) -> Option<Value> {
        let asked = reply.result().filter(|_| reply.result_type().as_deref() == Some("input_required"))?;
        let mut next = params.and_then(Value::as_object).cloned().unwrap_or_default();
        if let Some(inputs) = asked.get("inputRequests").and_then(Value::as_object) {
            next.insert("inputResponses".to_owned(), self.responses(inputs));
        }
        // Exactly the value that came, and only where one came.
        match asked.get("requestState") {
            Some(state) => next.insert("requestState".to_owned(), state.clone()),
            None => next.shift_remove("requestState"),
        };
        Some(Value::Object(next))
    }

    /// What the profile answers; an error has no place here and is left out.
    fn responses(&self, inputs: &Map<String, Value>) -> Value {
        let answer = |input: &Value| {
            let method = input.get("method").and_then(Value::as_str).unwrap_or_default();
            match self.inner.profile.answer(method, input.get("params").unwrap_or(&Value::Null)) {
                Answer::Result(result) => Some(result),
                Answer::Error { .. } | Answer::Silence => None,
            }
        };
        Value::Object(inputs.iter().filter_map(|(key, input)| Some((key.clone(), answer(input)?))).collect())
    }
}

impl Request {
    /// The same request with the input that was asked for, under a fresh id and a progress token of its own.
    fn again(&self, params: Value, round: u32) -> Self {
        let mut next = self.clone();
        next.id = RequestId::Fresh;
        for (key, token) in next.meta.iter_mut().filter(|(key, _)| key == "progressToken") {
            *token = token.as_ref().map(|token| Value::from(format!("{key} {token}, round {round}")));
        }
        next.params = Some(params);
        next
    }
}
