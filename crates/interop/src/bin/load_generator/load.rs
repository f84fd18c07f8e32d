//! One round: every connection calls as often as it can until the time is up.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::task::JoinSet;

use crate::call::Caller;
use crate::options::Options;
use crate::subject::Subject;

/// What was measured in a round.
#[derive(Debug, Clone)]
pub(crate) struct Round {
    pub(crate) per_second: f64,
    /// How long each call took, sorted.
    pub(crate) latencies: Vec<Duration>,
    /// The processor time that the server used, where that can be known.
    pub(crate) cpu: Option<Duration>,
}

/// Drives one server for some time.
pub(crate) async fn round(subject: &Arc<Subject>, options: &Options, length: Duration) -> Result<Round> {
    let mut callers = Vec::new();
    for _ in 0..options.connections {
        callers.push(Caller::connect(Arc::clone(subject), options.protocol.clone()).await?);
    }
    let cpu = subject.cpu();
    let began = Instant::now();
    let mut drives: JoinSet<_> = callers.into_iter().map(|caller| drive(caller, began + length)).collect();
    let mut latencies = Vec::new();
    while let Some(driven) = drives.join_next().await {
        latencies.extend(driven??);
    }
    let elapsed = began.elapsed().as_secs_f64();
    latencies.sort_unstable();
    #[expect(clippy::cast_precision_loss, reason = "no run makes so many calls")]
    let per_second = latencies.len() as f64 / elapsed;
    let cpu = cpu.and_then(|before| Some(subject.cpu()?.saturating_sub(before)));
    Ok(Round { per_second, latencies, cpu })
}

async fn drive(mut caller: Caller, end: Instant) -> Result<Vec<Duration>> {
    let mut latencies = Vec::new();
    let mut began = Instant::now();
    while began < end {
        caller.echo().await?;
        let done = Instant::now();
        latencies.push(done - began);
        began = done;
    }
    Ok(latencies)
}
