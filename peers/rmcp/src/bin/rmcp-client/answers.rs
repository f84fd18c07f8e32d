//! What this client answers when a server asks it for something, and what arrived from the server.

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    ClientConfig, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams, ElicitResult,
    ElicitationAction, ListRootsResult, LoggingMessageNotificationParam, ProgressNotificationParam,
    ResourceUpdatedNotificationParam, Root, SamplingMessage,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Answers every question of a server and keeps what it saw.
#[derive(Clone)]
pub(crate) struct Answers {
    config: ClientConfig,
    pub(crate) seen: Arc<Seen>,
}

/// Everything that arrived from the server, in the order of arrival.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) samples: Log,
    pub(crate) elicitations: Log,
    pub(crate) roots: Log,
    pub(crate) logs: Log,
    pub(crate) updates: Log,
    pub(crate) progress: Log,
}

/// A list that grows while others look at it.
#[derive(Default)]
pub(crate) struct Log(Mutex<Vec<Value>>);

impl Log {
    fn push(&self, value: Value) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(value);
    }

    pub(crate) fn len(&self) -> usize {
        self.since(0).len()
    }

    /// What arrived after the first `mark` entries.
    pub(crate) fn since(&self, mark: usize) -> Vec<Value> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)[mark..].to_vec()
    }
}

impl Answers {
    pub(crate) fn new(config: ClientConfig) -> Self {
        Self { config, seen: Arc::default() }
    }
}

impl ClientHandler for Answers {
    fn get_info(&self) -> ClientConfig {
        self.config.clone()
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let asked = plain(&params.messages);
        let content = &asked[asked.as_array().map_or(0, Vec::len).saturating_sub(1)]["content"];
        let text = content["text"].as_str().or(content[0]["text"].as_str()).unwrap_or_default().to_owned();
        self.seen.samples.push(json!(text));
        let message = SamplingMessage::assistant_text(format!("sampled: {text}"));
        Ok(CreateMessageResult::new(message, "peer".to_owned()).with_stop_reason("endTurn"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let asked = plain(&request);
        self.seen.elicitations.push(asked["message"].clone());
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(filled(&asked["requestedSchema"])))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        self.seen.roots.push(json!("roots/list"));
        Ok(ListRootsResult::new(vec![Root::new("file:///peer").with_name("peer")]))
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.seen.logs.push(plain(&params));
    }

    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.seen.updates.push(json!(params.uri));
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.seen.progress.push(json!(params.progress));
    }
}

fn plain(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// A value for every field of an elicitation form.
fn filled(schema: &Value) -> Value {
    let none = Map::new();
    let fields = schema["properties"].as_object().unwrap_or(&none);
    fields.iter().map(|(name, field)| (name.clone(), sample(field))).collect::<Map<_, _>>().into()
}

fn sample(field: &Value) -> Value {
    let first = [&field["default"], &field["enum"][0], &field["oneOf"][0]["const"]];
    if let Some(value) = first.into_iter().find(|value| !value.is_null()) {
        return value.clone();
    }
    match (field["type"].as_str(), field["format"].as_str()) {
        (Some("boolean"), _) => json!(true),
        (Some("number" | "integer"), _) => json!(1),
        (Some("array"), _) => json!([field["items"]["enum"][0]]),
        (_, Some("email")) => json!("peer@example.com"),
        (_, Some("uri")) => json!("https://example.com/"),
        (_, Some("date")) => json!("2025-01-01"),
        (_, Some("date-time")) => json!("2025-01-01T00:00:00Z"),
        (_, _) => json!("peer"),
    }
}
