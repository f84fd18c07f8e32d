//! The tools that ask the client: by a request of their own in the older revisions, by an `input_required` result since.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CreateMessageRequestParams, ElicitRequestParams,
    InputRequest, InputRequiredResult,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::Serialize;
use serde_json::{Value, json};

use crate::catalogue::model;
use crate::tools::{modern, string, text, unsent};

/// The key under which the answer comes back.
const ANSWER: &str = "answer";

/// What is asked.
enum Question {
    User,
    Model { prompt: String },
    Roots,
}

pub(crate) async fn call(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let question = match request.name.as_ref() {
        "ask-user" => Question::User,
        "ask-model" => Question::Model { prompt: string(request, "prompt").unwrap_or("hello").to_owned() },
        _ => Question::Roots,
    };
    let given = request.input_responses.as_ref().and_then(|answers| answers.get(ANSWER));
    match given {
        Some(answer) => question.conclude(answer).map(Into::into),
        None if modern(context) => question.hand_back().map(Into::into),
        None => question.conclude(&question.ask(context).await?).map(Into::into),
    }
}

impl Question {
    fn hand_back(&self) -> Result<InputRequiredResult, ErrorData> {
        let request: InputRequest = model(match self {
            Self::User => json!({ "method": "elicitation/create", "params": self.params() }),
            Self::Model { .. } => json!({ "method": "sampling/createMessage", "params": self.params() }),
            Self::Roots => json!({ "method": "roots/list" }),
        })?;
        let requests = [(ANSWER.to_owned(), request)].into_iter().collect();
        Ok(InputRequiredResult::new(Some(requests), None))
    }

    async fn ask(&self, context: &RequestContext<RoleServer>) -> Result<Value, ErrorData> {
        let peer = &context.peer;
        match self {
            Self::User => {
                let params: ElicitRequestParams = model(self.params())?;
                plain(peer.create_elicitation(params).await.map_err(|error| unsent(&error))?)
            }
            Self::Model { .. } => {
                let params: CreateMessageRequestParams = model(self.params())?;
                plain(peer.create_message(params).await.map_err(|error| unsent(&error))?)
            }
            Self::Roots => plain(peer.list_roots().await.map_err(|error| unsent(&error))?),
        }
    }

    fn params(&self) -> Value {
        match self {
            Self::User => {
                let properties = json!({ "colour": { "type": "string" } });
                let form = json!({ "type": "object", "properties": properties, "required": ["colour"] });
                json!({ "mode": "form", "message": "Which colour?", "requestedSchema": form })
            }
            Self::Model { prompt } => {
                let content = json!({ "type": "text", "text": prompt });
                json!({ "messages": [{ "role": "user", "content": content }], "maxTokens": 100 })
            }
            Self::Roots => json!({}),
        }
    }

    fn conclude(&self, answer: &Value) -> Result<CallToolResult, ErrorData> {
        match self {
            Self::User => match answer["content"]["colour"].as_str() {
                Some(colour) => text(format!("the user likes {colour}")),
                None => text(format!("the user said {}", answer["action"])),
            },
            Self::Model { .. } => text(answer["content"]["text"].as_str().unwrap_or("nothing")),
            Self::Roots => {
                let roots = answer["roots"].as_array().map(Vec::as_slice).unwrap_or_default();
                let uris: Vec<_> = roots.iter().filter_map(|root| root["uri"].as_str()).collect();
                text(uris.join("\n"))
            }
        }
    }
}

fn plain(answer: impl Serialize) -> Result<Value, ErrorData> {
    serde_json::to_value(answer).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}
