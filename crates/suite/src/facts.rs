//! What has been learnt about a server, once for all checks.

use serde_json::Value;
use tokio::sync::OnceCell;
use transport::client::{Message, Reply};

use crate::streaming_request::StreamingRequest;
use crate::sweep::{Called, Completed, Got, Read};
use crate::{Finding, Verdict};

/// What has been learnt about the server, once for all checks.
#[derive(Debug, Default)]
pub struct Facts {
    pub(crate) tools: Fact<Value>,
    pub(crate) resources: Fact<Value>,
    pub(crate) templates: Fact<Value>,
    pub(crate) prompts: Fact<Value>,
    pub(crate) fed: Fact<(Value, Option<Value>)>,
    pub(crate) calls: Fact<Called>,
    pub(crate) reads: Fact<Read>,
    pub(crate) gets: Fact<Got>,
    pub(crate) completions: Fact<Completed>,
    pub(crate) streaming_request: OnceCell<Result<StreamingRequest, Finding>>,
    /// The reply to a call, and what came on the GET stream meanwhile.
    pub(crate) overheard: OnceCell<Result<(Reply, Vec<Message>), Finding>>,
    /// What came of messages that are no proper requests.
    pub(crate) improper: OnceCell<Result<Improper, Finding>>,
    /// The error for what is not JSON, if there was one.
    pub(crate) broken: OnceCell<Result<Option<Value>, Finding>>,
}

/// What came of messages that are no proper requests.
#[derive(Clone, Debug)]
pub(crate) struct Improper {
    pub(crate) answers: Vec<Message>,
    /// Whether they were refused, be it without a message.
    pub(crate) refused: bool,
    /// How the proper request after them went.
    pub(crate) after: Verdict,
}

/// Found out once, by the first who asks.
pub(crate) type Fact<T> = OnceCell<Result<Vec<T>, Finding>>;

/// What `find_out` finds, or found when somebody asked before.
pub(crate) async fn learn<T>(
    cell: &Fact<T>,
    find_out: impl Future<Output = Result<Vec<T>, Finding>>,
) -> Result<&[T], Finding> {
    // On the heap: these nest, and a check should not have to carry all of them on its stack.
    match cell.get_or_init(|| Box::pin(find_out)).await {
        Ok(items) => Ok(items),
        // The check of the list itself reports the violation; for the others it is what stands in the way.
        Err(finding) => Err(finding.clone().into_obstacle()),
    }
}
