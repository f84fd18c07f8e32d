//! A request that this server answers with a stream of events, found once for all checks.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use serde_json::{Value, json};
use transport::client::Session;

use crate::expect::{Answer, Ask};
use crate::{Finding, ServerCx};

/// How many tools are tried.
const MOST: usize = 20;

/// How long a request may take that is good for this: all the checks of streams will send it.
const TRIAL: Duration = Duration::from_millis(400);

/// How many messages make a stream worth the name.
const ENOUGH: usize = 2;

/// Tells the calls of streaming requests apart.
static TOKENS: AtomicU64 = AtomicU64::new(1);

/// A request whose answer is a stream.
#[derive(Clone, Debug)]
pub struct Streamer {
    method: String,
    params: Value,
    schema: Value,
}

impl Streamer {
    /// The request, under a progress token of its own.
    pub fn ask<'c>(&self, cx: &'c ServerCx, session: &Session) -> (Ask<'c>, String) {
        let token = format!("yardstick-stream-{}", TOKENS.fetch_add(1, Ordering::Relaxed));
        let ask = cx.on(session, &self.method).params(self.params.clone());
        let ask = ask.with(|request| request.mirror(&self.schema).meta("progressToken", token.as_str()));
        (ask, token)
    }

    fn all(cx: &ServerCx, tools: &[&Value]) -> Vec<Self> {
        let plain = Self { method: cx.cheap().to_owned(), params: json!({}), schema: Value::Null };
        let calls = tools.iter().take(MOST).filter_map(|tool| Self::call(cx, tool));
        // A call says more than an empty result does.
        calls.chain([plain]).collect()
    }

    fn call(cx: &ServerCx, tool: &Value) -> Option<Self> {
        let arguments = cx.arguments_for(tool)?;
        let params = json!({ "name": tool["name"], "arguments": arguments });
        Some(Self { method: "tools/call".to_owned(), params, schema: tool["inputSchema"].clone() })
    }
}

impl ServerCx {
    /// A request that is answered with a stream; not applicable when there is none.
    pub async fn streamer(&self) -> Result<&Streamer, Finding> {
        let found = self.facts().streamer.get_or_init(|| self.find_streamer()).await;
        found.as_ref().map_err(Clone::clone)
    }

    /// One that takes its time, as far as there is such a request.
    pub async fn slow_streamer(&self) -> Result<Streamer, Finding> {
        let calls = self.calls().await.unwrap_or_default();
        let streaming = calls.iter().filter_map(|called| {
            let streams = called.answers.iter().flatten().filter(|answer| worth(answer) >= ENOUGH);
            Some((streams.map(|answer| answer.reply.elapsed).max()?, &called.tool))
        });
        let slowest = streaming.max_by_key(|(took, _)| *took);
        match slowest.and_then(|(_, tool)| Streamer::call(self, tool)) {
            Some(streamer) => Ok(streamer),
            None => self.streamer().await.cloned(),
        }
    }

    async fn find_streamer(&self) -> Result<Streamer, Finding> {
        let session = self.session().await?;
        let tools = self.harmless_tools().await.unwrap_or_default();
        let mut trials: FuturesUnordered<_> = Streamer::all(self, &tools)
            .into_iter()
            .map(|streamer| async move {
                let ask = streamer.ask(self, session).0;
                let answer = tokio::time::timeout(TRIAL, ask.send()).await;
                (streamer, answer.ok().and_then(Result::ok))
            })
            .collect();
        // One that says something before its end is worth more than one that does not, and enough.
        let mut best: Option<(usize, Streamer)> = None;
        let mut silent = true;
        while let Some((streamer, answer)) = trials.next().await {
            silent &= answer.is_none();
            let worth = answer.as_ref().map_or(0, worth);
            if worth > best.as_ref().map_or(0, |(worth, _)| *worth) {
                best = Some((worth, streamer));
            }
            if worth >= ENOUGH {
                break;
            }
        }
        match best {
            Some((_, streamer)) => Ok(streamer),
            None if silent => {
                Err(Finding::blocked("what may be answered with a stream is not answered at all"))
            }
            None => Err(Finding::not_applicable("no answer comes as a stream of events")),
        }
    }
}

/// How many messages came as a stream.
fn worth(answer: &Answer) -> usize {
    let streamed = answer.reply.media_type().as_deref() == Some("text/event-stream");
    if streamed { answer.reply.messages.len() } else { 0 }
}
