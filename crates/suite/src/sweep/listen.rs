//! 2026-07-28: subscriptions that are open while tools are called, so that the passive checks see what comes on them.

use std::time::Duration;

use protocol::Era;
use serde_json::{Value, json};
use transport::client::PendingRequest;

use super::CalledTool;
use crate::ServerCx;
use crate::policy::is_fixture;

/// How many resources are watched at most.
const MAX_WATCHED: usize = 16;
/// What takes longer is not called again.
const QUICK_ANSWER: Duration = Duration::from_millis(500);

impl ServerCx {
    /// Calls the server's own tools while one subscription asks for a single list and another one for resources. What comes
    /// on them, and what should not, is for the passive checks to judge.
    pub(crate) async fn listen_while_calling(&self) {
        if self.version.era() == Era::Legacy {
            return;
        }
        let Ok(session) = self.exclusive_session().await else { return };
        let mut open = Vec::new();
        for filter in self.filters().await {
            let ask =
                self.request_on(&session, "subscriptions/listen").params(json!({ "notifications": filter }));
            // Who refuses has nothing to tell; that is another check's business.
            let Ok(mut pending) = ask.start().await else { continue };
            let _ = pending.next_within(self.pace().limit()).await;
            open.push(pending);
        }
        if !open.is_empty() {
            let fed = self.own_tools().await;
            self.call_all(&session, &fed.iter().collect::<Vec<_>>(), false).await;
        }
        for mut pending in open {
            drain(&mut pending, self.pace().benefit_of_doubt()).await;
            let _ = pending.cancel("what comes on the subscription was measured").await;
        }
    }

    async fn filters(&self) -> Vec<Value> {
        let mut filters = vec![json!({ "promptsListChanged": true })];
        let declared = self.capabilities().await.unwrap_or_default();
        if declared["resources"]["subscribe"] == true {
            let listed = self.resources().await.unwrap_or_default().iter();
            let uris: Vec<_> = listed.map(|one| one["uri"].clone()).take(MAX_WATCHED).collect();
            filters.push(json!({ "resourceSubscriptions": uris }));
        }
        filters
    }

    /// The tools that are not fixtures and were quick when they were called before, with arguments that fit.
    pub(crate) async fn own_tools(&self) -> Vec<(&Value, Value)> {
        let (Ok(tools), Ok(calls)) = (self.tools().await, self.calls().await) else { return Vec::new() };
        let mut fed = Vec::new();
        for called in calls.iter().filter(|called| is_quick(called) && !is_fixture(&called.tool, tools)) {
            fed.extend(self.arguments_for(&called.tool).await.map(|good| (&called.tool, good)));
        }
        fed
    }
}

fn is_quick(called: &CalledTool) -> bool {
    called.answers.as_ref().is_ok_and(|rounds| rounds.iter().all(|round| round.reply.elapsed < QUICK_ANSWER))
}

/// Reads what comes until nothing does, for so long at most.
async fn drain(pending: &mut PendingRequest, limit: Duration) {
    let all = async { while let Ok(Some(_)) = pending.next_within(limit).await {} };
    let _ = tokio::time::timeout(limit, all).await;
}
