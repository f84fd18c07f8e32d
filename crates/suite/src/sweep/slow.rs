//! Which tools take long, and which report progress: found out by calling each of them once.

use std::time::Duration;

use serde_json::{Value, json};

use super::CalledTool;
use crate::policy::is_fixture;
use crate::{Finding, ServerCx};

/// A call that takes at least this long can be interrupted.
const INTERRUPTIBLE_TIME: Duration = Duration::from_millis(600);
/// A call that takes this long does so every time.
const ALWAYS_SLOW_TIME: Duration = Duration::from_millis(2500);
/// How often a call is tried again to see how long it takes.
const CONFIRMATIONS: usize = 2;
/// The tool of the official suite that takes a while and says how far it is.
const FIXTURE: &str = "test_tool_with_progress";
/// How long that one may take.
const FIXTURE_TAKES: Duration = Duration::from_millis(400);

/// A call that takes long enough to be interrupted.
#[derive(Clone, Debug)]
pub(crate) struct SlowCall {
    pub(crate) tool: Value,
    pub(crate) arguments: Value,
    /// How long it took when it was called before.
    pub(crate) took: Duration,
    /// Whether it reports progress.
    pub(crate) reports: bool,
}

impl ServerCx {
    /// A call that takes long; not applicable when no tool that may be called does.
    pub(crate) async fn slow_call(&self) -> Result<SlowCall, Finding> {
        if let Some(fixture) = self.progress_fixture().await? {
            let (tool, arguments) = (fixture.clone(), json!({}));
            return Ok(SlowCall { tool, arguments, took: FIXTURE_TAKES, reports: true });
        }
        let calls = self.calls().await?;
        let slowest =
            calls.iter().filter_map(|called| Some((took(called)?, called))).max_by_key(|(took, _)| *took);
        match slowest {
            Some((took, called)) => {
                let arguments = self.arguments_for(&called.tool).await.unwrap_or_else(|| json!({}));
                let took = self.confirmed(&called.tool, &arguments, took).await?;
                let needed = INTERRUPTIBLE_TIME.max(self.pace().benefit_of_doubt());
                if took >= needed {
                    return Ok(SlowCall {
                        tool: called.tool.clone(),
                        arguments,
                        took,
                        reports: reports(called),
                    });
                }
                let name = called.tool["name"].as_str().unwrap_or_default();
                let (needed, took) = (needed.as_millis(), took.as_millis());
                let does = format!(
                    "takes long enough to be interrupted for certain: that needs {needed} ms at the pace of this \
                     server, and the slowest, {name}, took {took} ms"
                );
                Err(self.no_tool(does).await)
            }
            None => Err(Finding::not_applicable("no call was answered")),
        }
    }

    /// How long a call takes. Many take long only the first time or on a busy machine, so what is neither short nor very long is
    /// tried a few times more, and the shortest time counts.
    async fn confirmed(&self, tool: &Value, arguments: &Value, took: Duration) -> Result<Duration, Finding> {
        let mut shortest = took;
        for _ in 0..CONFIRMATIONS {
            if shortest < INTERRUPTIBLE_TIME || shortest >= ALWAYS_SLOW_TIME {
                break;
            }
            let session = self.exclusive_session().await?;
            let again =
                self.call_on(&session, tool, arguments).send().await.map_err(Finding::into_obstacle)?;
            shortest = shortest.min(again.reply.elapsed);
        }
        Ok(shortest)
    }

    /// A tool that reports progress, with arguments; not applicable when no tool that may be called does.
    pub(crate) async fn progressing_call(&self) -> Result<(Value, Value), Finding> {
        if let Some(fixture) = self.progress_fixture().await? {
            return Ok((fixture.clone(), json!({})));
        }
        let reporting = self.calls().await?.iter().find(|called| reports(called));
        let Some(called) = reporting else { return Err(self.no_tool("reports progress").await) };
        let arguments = self.arguments_for(&called.tool).await;
        Ok((called.tool.clone(), arguments.unwrap_or_else(|| json!({}))))
    }

    async fn progress_fixture(&self) -> Result<Option<&Value>, Finding> {
        let tools = self.tools().await?;
        let callable = |tool: &&Value| is_fixture(tool, tools) && self.rules().decide(tool, tools).is_call();
        Ok(tools.iter().filter(|tool| tool["name"] == FIXTURE).find(callable))
    }
}

/// How long a call took that was answered at once, and not by asking for something.
fn took(called: &CalledTool) -> Option<Duration> {
    match called.answers.as_ref().ok()?.as_slice() {
        [answer] => Some(answer.reply.elapsed),
        _ => None,
    }
}

fn reports(called: &CalledTool) -> bool {
    let mut answers = called.answers.iter().flatten();
    answers.any(|answer| answer.reply.notifications("notifications/progress").next().is_some())
}
