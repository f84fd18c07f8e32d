//! Requests that need several rounds: the server asks for input, and the client sends the request again with it.

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
    /// Sends a request, answers the server's questions with the profile, and sends it again, until it is complete or
    /// the rounds are used up.
    pub async fn call_through(&self, request: Request) -> Result<Rounds, Failure> {
        request.send_through().await
    }

    /// The parameters of the next round, with what the profile answers, if the reply to a request with `params` asks for one.
    pub fn next_round(&self, params: Option<&Value>, reply: &Reply) -> Option<Value> {
        let asked = reply.input_required()?;
        let responses = asked.inputs.as_ref().map(|inputs| self.responses(inputs));
        Some(asked.next_params(params, responses))
    }

    /// Answers a request of the server whose id was `id`, as JSON text: `outcome` is its `result` or `error` member.
    pub async fn respond(&self, id: &str, outcome: &Map<String, Value>) -> Result<(), Failure> {
        let members: String =
            outcome.iter().map(|(name, value)| format!(",{}:{value}", Value::from(name.as_str()))).collect();
        let message = format!(r#"{{"jsonrpc":"2.0","id":{id}{members}}}"#);
        self.notification("a response").body(message).send().await.map(drop)
    }

    /// The answers of the profile. Errors cannot be expressed here and are left out.
    fn responses(&self, inputs: &Map<String, Value>) -> Map<String, Value> {
        let answer = |input: &Value| {
            let method = input.get("method").and_then(Value::as_str).unwrap_or_default();
            match self.inner.profile.answer(method, input.get("params").unwrap_or(&Value::Null)) {
                Answer::Result(result) => Some(result),
                Answer::Error { .. } | Answer::Silence => None,
            }
        };
        inputs.iter().filter_map(|(key, input)| Some((key.clone(), answer(input)?))).collect()
    }
}

/// The input that a server asks for before it completes a request.
#[derive(Clone, Debug)]
pub struct InputRequired {
    /// The questions, by name; none when the request should just be sent again.
    pub inputs: Option<Map<String, Value>>,
    state: Option<Value>,
}

impl InputRequired {
    /// The parameters of the next round of a request that had `params`.
    pub fn next_params(&self, params: Option<&Value>, responses: Option<Map<String, Value>>) -> Value {
        let mut next = params.and_then(Value::as_object).cloned().unwrap_or_default();
        if let Some(responses) = responses {
            next.insert("inputResponses".to_owned(), Value::Object(responses));
        }
        // Exactly the value that came, if one came.
        match &self.state {
            Some(state) => next.insert("requestState".to_owned(), state.clone()),
            None => next.shift_remove("requestState"),
        };
        Value::Object(next)
    }
}

impl Reply {
    /// The input that the server asks for, if the request is not complete.
    pub fn input_required(&self) -> Option<InputRequired> {
        let asked = self.result().filter(|_| self.result_type().as_deref() == Some("input_required"))?;
        let inputs = asked.get("inputRequests").and_then(Value::as_object).cloned();
        Some(InputRequired { inputs, state: asked.get("requestState").cloned() })
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
