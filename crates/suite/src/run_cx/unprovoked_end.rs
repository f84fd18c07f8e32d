//! Servers whose processes end by themselves, whatever they are asked: most often something that they need is not there. No
//! page forbids it, and nothing can be tested then.

use protocol::Version;
use tokio::sync::OnceCell;
use tokio::time::Instant;
use transport::client::{Profile, Settled, settle};

use super::RunCx;
use crate::Finding;
use crate::pace::MARGIN;

/// Whether a session ends on which nothing is asked, and how. That is tried once in a run.
#[derive(Debug, Default)]
pub(crate) struct UnprovokedEnd(OnceCell<Option<String>>);

impl UnprovokedEnd {
    /// What stands in the way of everything, if that was found out before.
    pub(crate) fn obstacle(&self) -> Option<Finding> {
        self.0.get()?.clone().map(Finding::blocked)
    }
}

impl RunCx {
    /// What stands in the way of everything, if a session ends on which nothing is asked after its handshake.
    pub(crate) async fn find_unprovoked_end(&self, version: Version) -> Option<Finding> {
        self.unprovoked_end.0.get_or_init(|| Box::pin(self.idle_until_end(version))).await;
        self.unprovoked_end.obstacle()
    }

    async fn idle_until_end(&self, version: Version) -> Option<String> {
        let _slot = self.slots.acquire_second().await;
        let settled = settle(&self.target, version, Profile::default(), self.limits.clone()).await;
        let Settled::Spoken(session) = settled else { return None };
        let deadline = Instant::now() + self.pace.longest() * MARGIN;
        // What the server sends meanwhile is of no interest here.
        while let Ok(Some(_)) = session.incoming(deadline.saturating_duration_since(Instant::now())).await {}
        let end = session.ended();
        let last_words = session.stderr();
        session.close().await;
        end.map(|end| format!("the server ends by itself, although nothing was asked: {end}{last_words}"))
    }
}
