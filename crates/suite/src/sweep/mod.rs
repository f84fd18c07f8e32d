//! What a server has, all of it looked at once: every tool that may be called, every resource, every prompt, every
//! completion. The checks judge what came back; the passive ones see all of it.

mod ask;
mod call;
mod complete;
mod get;
mod read;

use std::time::Duration;

use futures_util::stream;
use futures_util::{Stream, StreamExt as _};
use serde_json::Value;
use tokio::time::Instant;

use crate::expect::{Answer, Ask};
use crate::{Finding, ServerCx};

pub use call::Called;
pub use complete::Completed;
pub use get::Got;
pub use read::Read;

/// How many requests are under way at a time.
const ABREAST: usize = 8;
/// How long all requests of one kind may take together.
const BUDGET: Duration = Duration::from_secs(3);
/// How long the rest is waited for when others have been answered: so long, or twice as long as the slowest of them took.
const REST: Duration = Duration::from_millis(300);
/// How soon a server that is not busy answers a request that costs nothing.
const CALM: Duration = Duration::from_millis(50);

/// What came back on a request and on those that took it further.
pub type Answers = Result<Vec<Answer>, Finding>;

impl ServerCx {
    /// Looks at everything, so that there is something to read for those who only read.
    pub(crate) async fn explore(&self) {
        // Each says for itself what stood in its way; here it is enough to have tried.
        let _ = tokio::join!(
            Box::pin(self.calls()),
            Box::pin(self.reads()),
            Box::pin(self.gets()),
            Box::pin(self.completions()),
            Box::pin(self.asked()),
        );
    }
}

/// Sends all of `asks` a few at a time. One that is not answered in time is left alone: it need not be the server's
/// fault, for tools may take as long as they like.
async fn send_all<T>(asks: Vec<(T, Ask<'_>)>) -> Vec<(T, Answers)> {
    send_within(BUDGET, asks).await
}

/// The same, with so much time.
async fn send_within<T>(budget: Duration, asks: Vec<(T, Ask<'_>)>) -> Vec<(T, Answers)> {
    let Some((_, first)) = asks.first() else { return Vec::new() };
    let (cx, method) = (first.cx(), first.method().to_owned());
    let budget = budget.min(cx.patience.limit(&method));
    let (whats, asks): (Vec<T>, Vec<Ask<'_>>) = asks.into_iter().unzip();
    let mut answers: Vec<Answers> =
        whats.iter().map(|_| Err(Finding::blocked("there was no answer in time"))).collect();
    let mut sent = Vec::new();
    for (at, ask) in asks.into_iter().enumerate() {
        sent.push(async move {
            let start = Instant::now();
            (at, ask.through().await, start.elapsed())
        });
    }
    let mut running = stream::iter(sent).buffer_unordered(ABREAST);
    let (mut end, last) = (Instant::now() + budget, Instant::now() + budget * 2);
    let mut slowest = REST;
    let mut silent = true;
    loop {
        let next = tokio::time::timeout_at(end, running.next()).await;
        let done = match next {
            Ok(Some(done)) => vec![done],
            Ok(None) => break,
            Err(_) if silent || Instant::now() >= last => break,
            // The rest takes long, unless it is the server, or the machine, that is busy just now.
            Err(_) => {
                let (pulse, done) = gathered(cx, &mut running).await;
                if pulse < CALM && done.is_empty() {
                    break;
                }
                end = (Instant::now() + pulse * 2).min(last);
                done
            }
        };
        for (at, answer, took) in done {
            silent = false;
            answers[at] = answer;
            slowest = slowest.max(took * 2).min(budget);
            end = (Instant::now() + slowest).min(last);
        }
    }
    if silent {
        cx.patience.unanswered(&method, budget);
    }
    whats.into_iter().zip(answers).collect()
}

/// How long a request that costs nothing takes, and what came of the others meanwhile. They go on: a request that is not
/// polled may stand in the way of the one that is.
async fn gathered<T>(cx: &ServerCx, running: &mut (impl Stream<Item = T> + Unpin)) -> (Duration, Vec<T>) {
    let mut done = Vec::new();
    let gather = async {
        while let Some(one) = running.next().await {
            done.push(one);
        }
        std::future::pending::<()>().await;
    };
    let pulse = tokio::select! {
        pulse = cx.pulse() => pulse,
        () = gather => Duration::ZERO,
    };
    (pulse, done)
}

/// The answer that ended it, and its result if it has one that is complete.
pub(crate) fn last(answers: &Answers) -> Option<(&Answer, Value)> {
    let answer = answers.as_ref().ok()?.last()?;
    let interim = answer.reply.result_type().is_some_and(|kind| kind != "complete");
    let result = answer.reply.result().filter(|_| !interim)?;
    Some((answer, result))
}
