//! Waits for a server that serves no requests at the moment: HTTP 429 and 503 say nothing about the request itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::{Failure, Head};

/// The longest single wait.
const MAX_WAIT: Duration = Duration::from_secs(2);
/// How long to wait where the server does not say.
const DEFAULT_WAIT: Duration = Duration::from_millis(500);
/// How long all requests of a run wait together.
const MAX_RUN_WAIT: Duration = Duration::from_secs(6);

/// Whether 429 and 503 are waited out, and how much time is left for that. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct RateLimitWaits(Option<Arc<AtomicU64>>);

impl RateLimitWaits {
    /// For a run that judges answers: 429 and 503 are waited out for a short time, and are a failure after that.
    pub fn bounded() -> Self {
        let left = u64::try_from(MAX_RUN_WAIT.as_millis()).unwrap_or(u64::MAX);
        Self(Some(Arc::new(AtomicU64::new(left))))
    }

    /// Whether `head` says that the server serves no requests now. Where that is not waited out, every answer is admitted.
    pub(crate) const fn refuses(&self, head: &Head) -> bool {
        self.0.is_some() && matches!(head.status, 429 | 503)
    }

    /// The failure that such a head and the begin of its body stand for.
    pub(crate) fn failure(head: &Head, said: String) -> Failure {
        // A date in its place is rare, and a wait until then is seldom short.
        let seconds = head.header("retry-after").map(|value| value.trim().parse().unwrap_or(u64::MAX));
        Failure::Unavailable { status: head.status, retry_after: seconds.map(Duration::from_secs), said }
    }

    /// Waits as `failure` asks, if the server is unavailable and the wait is short. False when there was no wait.
    pub(crate) async fn wait_out(&self, failure: &Failure) -> bool {
        let Failure::Unavailable { retry_after, .. } = failure else { return false };
        let wait = retry_after.unwrap_or(DEFAULT_WAIT);
        if wait > MAX_WAIT || !self.take(wait) {
            return false;
        }
        tokio::time::sleep(wait).await;
        true
    }

    fn take(&self, wait: Duration) -> bool {
        let Some(left) = &self.0 else { return false };
        let wait = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1);
        left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(wait)).is_ok()
    }
}

/// Limits with the same bounds are the same, whatever was used of them.
impl PartialEq for RateLimitWaits {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_some() == other.0.is_some()
    }
}

impl Eq for RateLimitWaits {}
