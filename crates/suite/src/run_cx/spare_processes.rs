//! Processes that were started before they are needed.

use std::collections::HashMap;
use std::sync::Mutex;

use crate::lock::lock;
use protocol::Version;
use tokio::task::JoinSet;
use transport::client::{Failure, Session};

use super::Slot;

/// At most one process for each revision. Nothing has been said to it.
#[derive(Debug, Default)]
pub(super) struct SpareProcesses {
    starting: Mutex<HashMap<Version, Starting>>,
}

/// A process on its way to its first session. It ends when this is dropped.
type Starting = JoinSet<Result<(Session, Slot), Failure>>;

impl SpareProcesses {
    /// Starts a process in the background, for the next session of `version`.
    pub(super) fn start(
        &self,
        version: Version,
        connecting: impl Future<Output = Result<(Session, Slot), Failure>> + Send + 'static,
    ) {
        let mut starting = lock(&self.starting);
        starting.entry(version).or_default().spawn(connecting);
    }

    /// The process that was started for `version`, unless another caller has taken it. What stood in the way of a start is
    /// reported to the caller that tries again.
    pub(super) async fn take(&self, version: Version) -> Option<(Session, Slot)> {
        let starting = lock(&self.starting).remove(&version);
        starting?.join_next().await?.ok()?.ok()
    }
}

#[cfg(test)]
mod tests {
    use server::Faults;
    use server::fault::Faulty;
    use transport::client::{Limits, Profile};

    use super::*;

    #[tokio::test]
    async fn a_spare_process_is_for_its_revision_and_is_taken_once() {
        let target = transport::in_process(Faulty::new(Faults::new([])), "the reference");
        let spare = SpareProcesses::default();
        spare.start(Version::LATEST, async move {
            let session =
                Session::connect(&target, Version::LATEST, Profile::bare(), Limits::default()).await?;
            Ok((session, None))
        });
        assert!(spare.take(Version::V2024_11_05).await.is_none());
        assert!(spare.take(Version::LATEST).await.is_some());
        assert!(spare.take(Version::LATEST).await.is_none());
    }

    #[tokio::test]
    async fn a_start_that_fails_leaves_no_process() {
        let spare = SpareProcesses::default();
        spare.start(Version::LATEST, async { Err(Failure::Ours("no such program".to_owned())) });
        assert!(spare.take(Version::LATEST).await.is_none());
    }
}
