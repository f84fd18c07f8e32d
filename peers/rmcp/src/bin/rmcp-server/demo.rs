//! The handler: which method answers with what.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig, SetLevelRequestParams,
    SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::json;
use tokio::sync::broadcast;

use crate::catalogue::{self, GREETING, NAMES, result};
use crate::{ask, tools};

/// How many changes a subscriber may lag behind.
const BACKLOG: usize = 16;

/// The demo server; clones share the news about changes.
#[derive(Clone)]
pub(crate) struct Demo {
    /// Tells every open `subscriptions/listen` stream that the greeting changed.
    pub(crate) touched: broadcast::Sender<()>,
    /// Receivers of subscriptions that were accepted and whose stream has not begun. The SDK acknowledges a subscription
    /// before it calls `listen`; a change in between must not be lost.
    accepted: Arc<Mutex<VecDeque<broadcast::Receiver<()>>>>,
}

impl Demo {
    fn accepted(&self) -> MutexGuard<'_, VecDeque<broadcast::Receiver<()>>> {
        self.accepted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Demo {
    fn default() -> Self {
        Self { touched: broadcast::channel(BACKLOG).0, accepted: Arc::default() }
    }
}

impl ServerHandler for Demo {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_completions()
            .enable_logging()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("rmcp-server", "1.0.0"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        catalogue::tools()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match request.name.as_ref() {
            "ask-user" | "ask-model" | "ask-roots" => ask::call(&request, &context).await,
            _ => tools::call(self, &request, &context).await.map(Into::into),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        catalogue::resources()
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        catalogue::templates()
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let text = match request.uri.strip_prefix(GREETING) {
            Some("") => "hello".to_owned(),
            Some(rest) if rest.starts_with('/') => format!("hello {}", &rest[1..]),
            Some(_) | None => {
                return Err(ErrorData::resource_not_found(format!("{} does not exist", request.uri), None));
            }
        };
        let contents = json!([{ "uri": request.uri, "mimeType": "text/plain", "text": text }]);
        Ok(result::<ReadResourceResult>(json!({ "contents": contents }))?.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        catalogue::prompts()
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let name = request.arguments.as_ref().and_then(|arguments| arguments.get("name")?.as_str());
        let (Some(name), "greet") = (name, request.name.as_str()) else {
            return Err(ErrorData::invalid_params(
                "ask for the prompt `greet` with the argument `name`",
                None,
            ));
        };
        let content = json!({ "type": "text", "text": format!("Say hello to {name}") });
        let messages = json!([{ "role": "user", "content": content }]);
        Ok(result::<GetPromptResult>(json!({ "messages": messages }))?.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let values: Vec<_> =
            NAMES.into_iter().filter(|name| name.starts_with(&request.argument.value)).collect();
        result(json!({ "completion": { "values": values } }))
    }

    async fn set_level(
        &self,
        _: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.accepted().push_back(self.touched.subscribe());
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let accepted = self.accepted().pop_front();
        let mut touched = accepted.unwrap_or_else(|| self.touched.subscribe());
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                news = touched.recv() => match news {
                    Ok(()) => drop(context.sink().notify_resource_updated(GREETING).await),
                    Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => return Ok(()),
                },
            }
        }
    }
}
