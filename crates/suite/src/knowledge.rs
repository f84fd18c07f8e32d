//! What is known of a server in one revision, found out once for all checks.

use serde_json::Value;
use tokio::sync::OnceCell;
use transport::client::Message;

use crate::append_only_list::AppendOnlyList;
use crate::checks::Surface;
use crate::expect::Answer;
use crate::streaming_request::StreamingRequest;
use crate::sweep::{CalledTool, CompletedArgument, FetchedPrompt, ReadResource};
use crate::{Finding, Verdict};

/// What came on the streams of requests, and what came on the GET stream meanwhile.
pub(crate) type Overheard = (Vec<Message>, Vec<Message>);

/// What is known of the server. It opens no session and asks nothing itself.
#[derive(Debug, Default)]
pub(crate) struct Knowledge {
    learnt: AppendOnlyList<Facts>,
    /// The first answer on a session that a check has for itself: see [`crate::ServerCx::first_answer`].
    pub(crate) first_answer: OnceCell<Result<Answer, Finding>>,
}

/// What was learnt on one shared session.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) tools: Fact<Value>,
    pub(crate) resources: Fact<Value>,
    pub(crate) templates: Fact<Value>,
    pub(crate) prompts: Fact<Value>,
    pub(crate) callable: Fact<(Value, Option<Value>)>,
    pub(crate) calls: Fact<CalledTool>,
    pub(crate) reads: Fact<ReadResource>,
    pub(crate) prompt_gets: Fact<FetchedPrompt>,
    pub(crate) completions: Fact<CompletedArgument>,
    pub(crate) streaming_request: OnceCell<Result<StreamingRequest, Finding>>,
    /// What came on the streams of calls, and on the GET stream meanwhile.
    pub(crate) overheard: OnceCell<Result<Overheard, Finding>>,
    /// The outcome of messages that are not valid requests.
    pub(crate) invalid_requests: OnceCell<Result<InvalidRequests, Finding>>,
    /// The error for what is not JSON, if there was one.
    pub(crate) broken: OnceCell<Result<Option<Value>, Finding>>,
    /// What the server shows of MCP Apps.
    pub(crate) surface: OnceCell<Surface>,
}

/// The outcome of messages that are not valid requests.
#[derive(Clone, Debug)]
pub(crate) struct InvalidRequests {
    pub(crate) answers: Vec<Message>,
    /// Whether they were refused, even without a message.
    pub(crate) refused: bool,
    /// How the proper request after them went.
    pub(crate) after: Verdict,
}

/// Found out once, by the first who asks.
pub(crate) type Fact<T> = OnceCell<Result<Vec<T>, Finding>>;

impl Knowledge {
    /// What was learnt on the present shared session.
    pub(crate) fn facts(&self) -> &Facts {
        self.learnt.latest()
    }

    /// Everything that was not found out in full has to be learnt anew, because the shared session is another one.
    pub(crate) fn forget(&self) {
        self.learnt.replace_latest(Facts::default());
    }

    /// The result of `find_out`, which runs once, even if the server ends the shared session in between.
    pub(crate) async fn learn<'c, T: 'c>(
        &'c self,
        fact: impl Fn(&'c Facts) -> &'c Fact<T>,
        find_out: impl Future<Output = Result<Vec<T>, Finding>>,
    ) -> Result<&'c [T], Finding> {
        if let Some(items) = self.learnt.all().find_map(|facts| fact(facts).get()?.as_ref().ok()) {
            return Ok(items);
        }
        // On the heap: these nest, and a check should not have to carry all of them on its stack.
        match fact(self.facts()).get_or_init(|| Box::pin(find_out)).await {
            Ok(items) => Ok(items),
            // The check of the list itself reports the violation; for the others it is what stands in the way.
            Err(finding) => Err(finding.clone().into_obstacle()),
        }
    }
}
