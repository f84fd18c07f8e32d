//! Waits for a server that is still starting.

use std::time::Duration;

use tokio::time::Instant;

use super::Connector;
use crate::client::{Endpoint, Failure, Limits};

/// How long to wait between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// Waits until `endpoint` accepts a connection, for no longer than `limit`. Only errors that may pass are waited for:
/// an untrusted certificate is reported at once.
pub async fn await_connection(endpoint: &Endpoint, limit: Duration) -> Result<(), Failure> {
    let end = Instant::now() + limit;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let patience = left.clamp(RETRY_INTERVAL, Limits::default().connect);
        let failure = match Connector::new(endpoint, patience)?.connect().await {
            Ok(_) => return Ok(()),
            Err(failure) => failure,
        };
        let may_pass = matches!(failure, Failure::Unreachable { .. });
        if !may_pass || Instant::now() + RETRY_INTERVAL >= end {
            return Err(failure);
        }
        tokio::time::sleep(RETRY_INTERVAL).await;
    }
}
