//! The attacks and their outcomes.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;

use anyhow::Result;
use tokio::task::JoinSet;

use crate::wire::{self, Answer};
use crate::{bodies, connections, retained, streams};

/// One attack.
pub(crate) struct Attack {
    pub(crate) name: &'static str,
    pub(crate) run: fn(SocketAddr) -> Attacking,
}

pub(crate) type Attacking = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// What the attackers were answered.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// How many answers had which status; 0 for none at all.
    statuses: BTreeMap<u16, usize>,
    /// What went wrong.
    pub(crate) broken: Option<String>,
}

pub(crate) const ALL: &[Attack] = &[
    Attack { name: "single-bytes", run: |at| Box::pin(bodies::single_bytes(at)) },
    Attack { name: "large-calls", run: |at| Box::pin(bodies::large_calls(at)) },
    Attack { name: "numbers", run: |at| Box::pin(bodies::numbers(at)) },
    Attack { name: "unread-answers", run: |at| Box::pin(bodies::unread_answers(at)) },
    Attack { name: "batches", run: |at| Box::pin(bodies::batches(at)) },
    Attack { name: "subscriptions", run: |at| Box::pin(retained::subscriptions(at)) },
    Attack { name: "finished-tasks", run: |at| Box::pin(retained::finished_tasks(at)) },
    Attack { name: "tasks-at-work", run: |at| Box::pin(retained::tasks_at_work(at)) },
    Attack { name: "sessions", run: |at| Box::pin(retained::sessions(at)) },
    Attack { name: "large-sessions", run: |at| Box::pin(retained::large_sessions(at)) },
    Attack { name: "unread-streams", run: |at| Box::pin(streams::unread_streams(at)) },
    Attack { name: "unread-sse", run: |at| Box::pin(streams::unread_sse(at)) },
    Attack { name: "abandoned-calls", run: |at| Box::pin(streams::abandoned_calls(at)) },
    Attack { name: "outboxes", run: |at| Box::pin(streams::outboxes(at)) },
    Attack { name: "stalled-bodies", run: |at| Box::pin(connections::stalled_bodies(at)) },
    Attack { name: "stalled-heads", run: |at| Box::pin(connections::stalled_heads(at)) },
    Attack { name: "idle-connections", run: |at| Box::pin(connections::idle(at)) },
    Attack { name: "long-heads", run: |at| Box::pin(connections::long_heads(at)) },
    Attack { name: "hosts", run: |at| Box::pin(connections::hosts(at)) },
];

impl Outcome {
    /// An attack that did not come to its end in time has shown nothing.
    pub(crate) fn cut_short() -> Self {
        Self { broken: Some("the attack did not end in time".to_owned()), ..Self::default() }
    }

    pub(crate) fn count(&mut self, answer: &Result<Answer>) {
        let status = answer.as_ref().map_or(0, |answer| answer.status);
        *self.statuses.entry(status).or_default() += 1;
        let must_say_when = matches!(status, 429 | 503);
        if must_say_when && answer.as_ref().is_ok_and(|answer| answer.header("retry-after").is_none()) {
            self.fail(format!("{status} without Retry-After"));
        }
    }

    pub(crate) fn fail(&mut self, why: impl Into<String>) {
        self.broken.get_or_insert_with(|| why.into());
    }

    /// Fails unless `answer` has that status.
    pub(crate) fn expect(&mut self, what: &str, status: u16, answer: &Result<Answer>) {
        self.count(answer);
        match answer {
            Ok(answer) if answer.status == status => {}
            Ok(answer) => self.fail(format!(
                "{what}: {} instead of {status}: {}",
                answer.status,
                String::from_utf8_lossy(&answer.body[..answer.body.len().min(200)])
            )),
            Err(error) => self.fail(format!("{what}: {error:#}")),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = self.statuses.iter().map(|(status, times)| match status {
            0 => format!("none {times}"),
            status => format!("{status}: {times}"),
        });
        f.write_str(&told.collect::<Vec<_>>().join(", "))
    }
}

/// Posts each of `bodies`, `at_once` at a time, and counts the answers.
pub(crate) async fn post_all(
    address: SocketAddr,
    at_once: usize,
    outcome: &mut Outcome,
    bodies: impl Iterator<Item = (String, Vec<u8>)>,
) {
    let mut posting = JoinSet::new();
    for (headers, body) in bodies {
        if posting.len() >= at_once
            && let Some(Ok(answer)) = posting.join_next().await
        {
            outcome.count(&answer);
        }
        posting.spawn(async move { wire::post(address, &headers, &body).await });
    }
    while let Some(answer) = posting.join_next().await {
        if let Ok(answer) = answer {
            outcome.count(&answer);
        }
    }
}
