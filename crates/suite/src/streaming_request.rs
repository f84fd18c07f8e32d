//! A request that this server answers with a stream of events, found once for all checks.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use transport::client::Session;

use crate::expect::{Answer, Ask};
use crate::{CalledTool, Finding, ServerCx};

/// How many messages make a stream worth the name.
const MIN_MESSAGES: usize = 2;

/// Tells the calls of streaming requests apart.
static TOKENS: AtomicU64 = AtomicU64::new(1);

/// A request whose answer is a stream.
#[derive(Clone, Debug)]
pub struct StreamingRequest {
    method: String,
    params: Value,
    schema: Value,
}

impl StreamingRequest {
    /// The request, under a progress token of its own.
    pub fn ask<'c>(&self, cx: &'c ServerCx, session: &Session) -> (Ask<'c>, String) {
        let token = format!("yardstick-stream-{}", TOKENS.fetch_add(1, Ordering::Relaxed));
        let ask = cx.request_on(session, &self.method).params(self.params.clone());
        let ask = ask.with(|request| request.mirror(&self.schema).meta("progressToken", token.as_str()));
        (ask, token)
    }

    /// A request that costs nothing.
    fn plain(cx: &ServerCx) -> Self {
        Self { method: cx.cheap_method().to_owned(), params: json!({}), schema: Value::Null }
    }

    async fn call(cx: &ServerCx, tool: &Value) -> Option<Self> {
        let arguments = cx.arguments_for(tool).await?;
        let params = json!({ "name": tool["name"], "arguments": arguments });
        Some(Self { method: "tools/call".to_owned(), params, schema: tool["inputSchema"].clone() })
    }
}

impl ServerCx {
    /// A request that is answered with a stream; not applicable when there is none.
    pub async fn streaming_request(&self) -> Result<&StreamingRequest, Finding> {
        let found = self.known.facts().streaming_request.get_or_init(|| self.find_streaming_request()).await;
        found.as_ref().map_err(Clone::clone)
    }

    /// One that takes its time and asks nothing of the client, as far as there is such a request, and how long it took.
    pub async fn slow_streaming_request(&self) -> Result<(StreamingRequest, Duration), Finding> {
        let calls = self.calls().await.unwrap_or_default();
        let talkative =
            calls.iter().filter(|called| count_streamed(called).is_some_and(|count| count >= MIN_MESSAGES));
        let timed = talkative.filter_map(|called| {
            let answers = called.answers.iter().flatten();
            Some((answers.map(|answer| answer.reply.elapsed).max()?, &called.tool))
        });
        if let Some((took, tool)) = timed.max_by_key(|(took, _)| *took)
            && let Some(streaming_request) = StreamingRequest::call(self, tool).await
        {
            return Ok((streaming_request, took));
        }
        Ok((self.streaming_request().await?.clone(), Duration::ZERO))
    }

    /// Always the same one: the first tool that says something before its end and asks nothing of the client, else the first
    /// whose answer comes as a stream at all, else a request that costs nothing.
    async fn find_streaming_request(&self) -> Result<StreamingRequest, Finding> {
        let calls = self.calls().await.unwrap_or_default();
        let streaming: Vec<_> =
            calls.iter().filter_map(|called| Some((count_streamed(called)?, &called.tool))).collect();
        let talkative = streaming.iter().find(|(messages, _)| *messages >= MIN_MESSAGES);
        if let Some((_, tool)) = talkative.or(streaming.first())
            && let Some(streaming_request) = StreamingRequest::call(self, tool).await
        {
            return Ok(streaming_request);
        }
        let plain = StreamingRequest::plain(self);
        let answer = plain.ask(self, self.session().await?).0.send().await.map_err(Finding::into_obstacle)?;
        if count_messages(&answer) > 0 {
            Ok(plain)
        } else {
            Err(Finding::not_applicable("no answer comes as a stream of events"))
        }
    }
}

/// How many messages the answer to a call had, if it came as a stream and asked nothing of the client.
fn count_streamed(called: &CalledTool) -> Option<usize> {
    let [answer] = called.answers.as_ref().ok()?.as_slice() else { return None };
    Some(count_messages(answer)).filter(|messages| *messages > 0 && !called.has_server_request())
}

/// How many messages came as a stream.
fn count_messages(answer: &Answer) -> usize {
    let streamed = answer.reply.media_type().as_deref() == Some("text/event-stream");
    if streamed { answer.reply.messages.len() } else { 0 }
}
