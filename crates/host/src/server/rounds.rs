//! A request that a server answers with questions: the answers, and the request once more.

use serde_json::{Map, Value};
use transport::client::{Answer, Reply, Session};

/// The parameters of the next round, if the reply asks for one.
pub(super) fn next(session: &Session, params: &Value, reply: &Reply) -> Option<Value> {
    let asked = reply.result().filter(|_| reply.result_type().as_deref() == Some("input_required"))?;
    let mut next = params.as_object()?.clone();
    if let Some(inputs) = asked["inputRequests"].as_object() {
        next.insert("inputResponses".to_owned(), Value::Object(answers(session, inputs)));
    }
    // Exactly what came, and only where something came.
    match asked.get("requestState") {
        Some(state) => next.insert("requestState".to_owned(), state.clone()),
        None => next.shift_remove("requestState"),
    };
    Some(Value::Object(next))
}

/// What this client answers; an error has no place here and is left out.
fn answers(session: &Session, inputs: &Map<String, Value>) -> Map<String, Value> {
    let answer = |input: &Value| {
        let method = input["method"].as_str().unwrap_or_default();
        match session.profile().answer(method, &input["params"]) {
            Answer::Result(result) => Some(result),
            Answer::Error { .. } | Answer::Silence => None,
        }
    };
    inputs.iter().filter_map(|(key, input)| Some((key.clone(), answer(input)?))).collect()
}
