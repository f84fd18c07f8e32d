//! What a server has, all of it looked at once: every tool that may be called, every resource, every prompt, every
//! completion. The checks judge what came back; the passive ones see all of it.

mod ask;
mod call;
mod complete;
mod get;
mod listen;
mod read;
mod slow;
mod unusual;

use futures_util::StreamExt as _;
use futures_util::stream;
use serde_json::Value;

use crate::expect::{Answer, Ask};
use crate::{Finding, ServerCx};

pub(crate) use ask::logs;
pub use call::CalledTool;
pub use complete::CompletedArgument;
pub use get::FetchedPrompt;
pub use read::ReadResource;
pub(crate) use slow::SlowCall;

/// How many requests are under way at a time.
const MAX_CONCURRENT_REQUESTS: usize = 8;

/// What came back on a request and on those that took it further.
pub type Answers = Result<Vec<Answer>, Finding>;

impl ServerCx {
    /// Looks at everything, so that there is something to read for those who only read.
    pub(crate) async fn run_sweep(&self) {
        // Each says for itself what stood in its way; here it is enough to have tried.
        let _ = tokio::join!(
            Box::pin(self.calls()),
            Box::pin(self.reads()),
            Box::pin(self.prompt_gets()),
            Box::pin(self.completions()),
            Box::pin(self.apps()),
        );
    }
}

/// Sends all of `asks` a few at a time. One that is not answered in time is left alone: it need not be the server's
/// fault, for tools may take as long as they like.
async fn send_all<T>(asks: Vec<(T, Ask<'_>)>) -> Vec<(T, Answers)> {
    let sent = asks.into_iter().map(|(what, ask)| async move { (what, ask.through().await) });
    // On the heap, and a list first: a stream of futures that borrow is not general enough.
    let sent: Vec<_> = sent.collect();
    stream::iter(sent).buffered(MAX_CONCURRENT_REQUESTS).collect().await
}

/// The answer that ended it, and its result if it has one that is complete.
pub(crate) fn last(answers: &Answers) -> Option<(&Answer, Value)> {
    let answer = answers.as_ref().ok()?.last()?;
    let interim = answer.reply.result_type().is_some_and(|kind| kind != "complete");
    let result = answer.reply.result().filter(|_| !interim)?;
    Some((answer, result))
}
