//! What the client does with a server: the same as the TypeScript clients, step by step.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientRequest, CompleteRequestParams, GetPromptRequestParams,
    LoggingLevel, PingRequest, ReadResourceRequestParams, RequestMetaObject, ServerNotification,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use serde_json::{Value, json};

use crate::answers::Log;
use crate::connect::{Client, connect, modern};
use crate::plan::{Call, Manner, Plan, Step};
use crate::steps::{Steps, until};

const CANCEL_AFTER: Duration = Duration::from_millis(300);

/// Connects, looks around, runs the steps of the command line and leaves.
pub(crate) async fn run(plan: &Plan, steps: &mut Steps) -> Result<()> {
    let mut connected = None;
    let connecting = async {
        let client = connected.insert(connect(plan).await?);
        let info = client.peer_info().context("the server said nothing about itself")?;
        let capabilities = json!(info.capabilities);
        let names: Vec<_> = capabilities.as_object().into_iter().flat_map(|it| it.keys()).collect();
        Ok(json!({ "protocol": info.protocol_version, "server": info.server_info, "capabilities": names }))
    };
    steps.run("connect", connecting).await?;
    let Some(client) = connected else { return Ok(()) };
    survey(&client, steps).await?;
    for step in &plan.steps {
        steps.run(&step.title(), perform(&client, step)).await?;
    }
    let closing = async {
        client.cancel().await?;
        Ok(Value::Null)
    };
    steps.run("close", closing).await?;
    Ok(())
}

/// The steps that every server gets, according to the capabilities that it declared.
async fn survey(client: &Client, steps: &mut Steps) -> Result<()> {
    let offers = client.peer_info().map(|info| info.capabilities.clone()).unwrap_or_default();
    if modern(client) {
        let discovering = async {
            let found = client.discover(RequestMetaObject::default()).await?;
            Ok(json!(found.supported_versions))
        };
        steps.run("discover", discovering).await?;
    } else {
        let pinging = async {
            client.send_request(ClientRequest::PingRequest(PingRequest::default())).await?;
            Ok(json!({}))
        };
        steps.run("ping", pinging).await?;
    }
    if offers.tools.is_some() {
        steps.run("tools", async { Ok(column(&json!(client.list_all_tools().await?), "name")) }).await?;
    }
    if offers.resources.is_some() {
        let listing = async { Ok(column(&json!(client.list_all_resources().await?), "uri")) };
        steps.run("resources", listing).await?;
        let listing =
            async { Ok(column(&json!(client.list_all_resource_templates().await?), "uriTemplate")) };
        steps.run("templates", listing).await?;
    }
    if offers.prompts.is_some() {
        steps.run("prompts", async { Ok(column(&json!(client.list_all_prompts().await?), "name")) }).await?;
    }
    Ok(())
}

async fn perform(client: &Client, step: &Step) -> Result<Value> {
    match step {
        Step::Tool { manner, call } => tool(client, *manner, call).await,
        Step::Read { uri } => {
            let read = client.read_resource(ReadResourceRequestParams::new(uri)).await?;
            Ok(json!(read.contents))
        }
        Step::Prompt(call) => {
            let request = GetPromptRequestParams::new(&call.name).with_arguments(call.arguments.clone());
            Ok(json!(client.get_prompt(request).await?.messages))
        }
        Step::Complete(text) => complete(client, text).await,
        Step::Subscribe { uri, call } if modern(client) => listen(client, uri, call).await,
        Step::Subscribe { uri, call } => subscribe(client, uri, call).await,
    }
}

async fn tool(client: &Client, manner: Manner, call: &Call) -> Result<Value> {
    let seen = &client.service().seen;
    match manner {
        Manner::Call => Ok(shown(&succeeded(client.call_tool(request(call)).await?)?)),
        Manner::Fail => match client.call_tool(request(call)).await {
            Ok(result) => {
                ensure!(result.is_error == Some(true), "{} succeeded", call.name);
                let mut detail = shown(&result);
                detail["isError"] = json!(true);
                Ok(detail)
            }
            Err(error) => Ok(json!({ "message": error.to_string() })),
        },
        Manner::Progress => progress(client, call).await,
        Manner::Cancel => cancel(client, call).await,
        Manner::Sample => asked(client, call, &seen.samples).await,
        Manner::Elicit => asked(client, call, &seen.elicitations).await,
        Manner::Roots => asked(client, call, &seen.roots).await,
        Manner::Log => log(client, call).await,
    }
}

async fn progress(client: &Client, call: &Call) -> Result<Value> {
    let seen = &client.service().seen.progress;
    let before = seen.len();
    let mut detail = shown(&succeeded(client.call_tool(request(call)).await?)?);
    until(|| seen.len() > before, "progress").await?;
    let values = seen.since(before);
    let rising = values.windows(2).all(|pair| pair[0].as_f64() < pair[1].as_f64());
    ensure!(rising, "progress did not increase: {values:?}");
    detail["values"] = json!(values);
    Ok(detail)
}

/// rmcp tells the server that a request is cancelled when its future is dropped.
async fn cancel(client: &Client, call: &Call) -> Result<Value> {
    let outcome = tokio::time::timeout(CANCEL_AFTER, client.call_tool(request(call))).await;
    ensure!(outcome.is_err(), "{} answered before it could be cancelled", call.name);
    let tools = client.list_all_tools().await?;
    ensure!(!tools.is_empty(), "the server lists no tools after a cancellation");
    Ok(json!({ "message": "dropped" }))
}

/// Calls a tool that has to come back to us for input, and reports what it asked.
async fn asked(client: &Client, call: &Call, questions: &Log) -> Result<Value> {
    let before = questions.len();
    let mut detail = shown(&succeeded(client.call_tool(request(call)).await?)?);
    ensure!(questions.len() > before, "{} succeeded without asking", call.name);
    detail["asked"] = json!(questions.since(before));
    Ok(detail)
}

async fn log(client: &Client, call: &Call) -> Result<Value> {
    let seen = &client.service().seen.logs;
    let before = seen.len();
    let mut params = request(call);
    if modern(client) {
        let mut meta = RequestMetaObject::default();
        meta.set_log_level(LoggingLevel::Debug);
        params.meta = Some(meta);
    } else {
        client.set_level(SetLevelRequestParams::new(LoggingLevel::Debug)).await?;
    }
    succeeded(client.call_tool(params).await?)?;
    until(|| seen.len() > before, "a log message").await?;
    Ok(json!(seen.since(before)))
}

async fn complete(client: &Client, text: &str) -> Result<Value> {
    let words: Vec<_> = text.split(' ').collect();
    let [kind, name, argument, value] = words[..] else {
        anyhow::bail!("--complete needs `prompt|resource NAME ARGUMENT VALUE`");
    };
    let reference = match kind {
        "prompt" => json!({ "type": "ref/prompt", "name": name }),
        _ => json!({ "type": "ref/resource", "uri": name }),
    };
    let params = json!({ "ref": reference, "argument": { "name": argument, "value": value } });
    let params: CompleteRequestParams = serde_json::from_value(params)?;
    Ok(json!(client.complete(params).await?.completion.values))
}

async fn subscribe(client: &Client, uri: &str, call: &Call) -> Result<Value> {
    let seen = &client.service().seen.updates;
    let before = seen.len();
    client.subscribe(SubscribeRequestParams::new(uri)).await?;
    succeeded(client.call_tool(request(call)).await?)?;
    until(|| seen.len() > before, "an update").await?;
    client.unsubscribe(UnsubscribeRequestParams::new(uri)).await?;
    Ok(json!(seen.since(before)))
}

async fn listen(client: &Client, uri: &str, call: &Call) -> Result<Value> {
    let filter: SubscriptionFilter = serde_json::from_value(json!({ "resourceSubscriptions": [uri] }))?;
    let mut subscription = client.listen(filter).await?;
    succeeded(client.call_tool(request(call)).await?)?;
    let news = subscription.next().await?.context("the subscription ended before an update arrived")?;
    let ServerNotification::ResourceUpdatedNotification(update) = news else {
        anyhow::bail!("expected an update of {uri}, and another notification arrived");
    };
    subscription.cancel().await?;
    Ok(json!([update.params.uri]))
}

fn request(call: &Call) -> CallToolRequestParams {
    CallToolRequestParams::new(call.name.clone()).with_arguments(call.arguments.clone())
}

fn succeeded(result: CallToolResult) -> Result<CallToolResult> {
    ensure!(result.is_error != Some(true), "the tool failed: {}", json!(result.content));
    Ok(result)
}

/// The part of a tool result that tests look at.
fn shown(result: &CallToolResult) -> Value {
    let texts = column(&json!(result.content), "text");
    let texts: Vec<_> = texts.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut detail = json!({ "text": texts.join("\n") });
    if let Some(structured) = &result.structured_content {
        detail["structured"] = structured.clone();
    }
    detail
}

/// One field of every row.
fn column(rows: &Value, field: &str) -> Value {
    rows.as_array().into_iter().flatten().map(|row| row[field].clone()).collect()
}
