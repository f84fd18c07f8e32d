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
            let asked = reply.result().filter(|_| reply.result_type().as_deref() == Some("input_required"));
            replies.push(reply);
            match asked {
                Some(asked) => next = request.again(&asked, round),
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
}

impl Request {
    /// The same request with the input that was asked for, under a fresh id and a progress token of its own.
    fn again(&self, asked: &Value, round: u32) -> Self {
        let mut next = self.clone();
        next.id = RequestId::Fresh;
        for (key, token) in next.meta.iter_mut().filter(|(key, _)| key == "progressToken") {
            *token = token.as_ref().map(|token| Value::from(format!("{key} {token}, round {round}")));
        }
        let mut params = match next.params.take() {
            Some(Value::Object(params)) => params,
            _ => Map::new(),
        };
        if let Some(inputs) = asked.get("inputRequests").and_then(Value::as_object) {
            params.insert("inputResponses".to_owned(), self.responses(inputs));
        }
        // Exactly the value that came, and only where one came.
        match asked.get("requestState") {
            Some(state) => params.insert("requestState".to_owned(), state.clone()),
            None => params.shift_remove("requestState"),
        };
        next.params = Some(Value::Object(params));
        next
    }

    /// What the profile answers; an error has no place here and is left out.
    fn responses(&self, inputs: &Map<String, Value>) -> Value {
        let profile = &self.session.inner.profile;
        let answer = |input: &Value| {
            let method = input.get("method").and_then(Value::as_str).unwrap_or_default();
            match profile.answer(method, input.get("params").unwrap_or(&Value::Null)) {
                Answer::Result(result) => Some(result),
                Answer::Error { .. } | Answer::Silence => None,
            }
        };
        Value::Object(inputs.iter().filter_map(|(key, input)| Some((key.clone(), answer(input)?))).collect())
    }
}
