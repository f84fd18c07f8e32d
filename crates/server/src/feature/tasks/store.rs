//! The tasks of a server: bounded in number, in bytes and in time.
//!
//! Each session has its own share, and all modern clients, which have no sessions, have one together. When a share is
//! used up, tasks are evicted in this order: those that have ended, oldest first; then, only in the modern share,
//! running ones that no client has polled. The same holds for all tasks together. So a client that polls its tasks
//! keeps them, and one that only creates tasks evicts its own.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use protocol::{Era, code};
use transport::serve::Reservation;

use super::task::{TASK_COST, Task};
use crate::peer::Peer;
use crate::rpc::RpcError;
use crate::seal;
use crate::server::Server;

/// The most tasks that are kept.
const MAX_TASKS: usize = 2048;
/// The most of one session.
const MAX_OF_SESSION: usize = 128;
/// The most of all clients without a session.
const MAX_OF_MODERN: usize = 512;
/// How long a task is kept by default.
pub(super) const DEFAULT_TTL: Duration = Duration::from_secs(600);
/// The longest that a task is kept.
pub(super) const MAX_TTL: Duration = Duration::from_secs(3600);

/// The tasks, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Tasks(Mutex<Vec<Arc<Task>>>);

impl Tasks {
    /// Creates a task for a call that takes `cost` bytes. It ends when its time has passed, or when room is needed.
    pub(super) fn create(
        &self,
        server: &Arc<Server>,
        era: Era,
        owner: &Arc<Peer>,
        ttl: Duration,
        cost: usize,
    ) -> Result<Arc<Task>, RpcError> {
        let id = seal::random_name()
            .ok_or_else(|| RpcError::new(code::INTERNAL_ERROR, "no randomness for a task id"))?;
        let mut tasks = self.lock();
        let mut gone = Vec::new();
        let room = make_room(&mut tasks, &mut gone, era, owner, TASK_COST + cost);
        let created = room.map(|room| {
            let task = Arc::new(Task::new(id, era, owner, ttl, room));
            tasks.push(task.clone());
            task
        });
        drop(tasks);
        // Notifying others takes their locks.
        for task in gone {
            task.cancel(server);
        }
        let task = created?;
        let expiry = tokio::spawn(expire(Arc::downgrade(server), Arc::downgrade(&task), ttl));
        task.expire_by(expiry.abort_handle());
        Ok(task)
    }

    /// The task of that id, if `peer` may see it.
    pub(super) fn find(&self, era: Era, peer: &Arc<Peer>, id: &str) -> Option<Arc<Task>> {
        let task = self.lock().iter().find(|task| task.id == id && task.is_visible(era, peer)).cloned()?;
        task.attend();
        Some(task)
    }

    /// Every task that `peer` may see, oldest first.
    pub(super) fn visible_to(&self, era: Era, peer: &Arc<Peer>) -> Vec<Arc<Task>> {
        self.lock().iter().filter(|task| task.is_visible(era, peer)).cloned().collect()
    }

    /// Removes the tasks of a session that has ended.
    pub(crate) fn abandon(&self, owner: &Arc<Peer>) {
        self.lock().retain(|task| {
            let gone = task.is_visible(Era::Legacy, owner);
            if gone {
                task.stop.cancel();
            }
            !gone
        });
    }

    fn remove(&self, id: &str) {
        self.lock().retain(|task| task.id != id);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Task>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes room for one more task, and reserves it. Evicted tasks are added to `gone`.
fn make_room(
    tasks: &mut Vec<Arc<Task>>,
    gone: &mut Vec<Arc<Task>>,
    era: Era,
    owner: &Arc<Peer>,
    bytes: usize,
) -> Result<Reservation, RpcError> {
    let share = match era {
        Era::Legacy => MAX_OF_SESSION,
        Era::Modern => MAX_OF_MODERN,
    };
    let is_own = |task: &Task| task.is_visible(era, owner);
    while tasks.iter().filter(|task| is_own(task)).count() >= share {
        let is_loose = |task: &Task| era == Era::Modern && is_own(task);
        let task = take_ended(tasks, is_own).or_else(|| take_unattended(tasks, is_loose));
        gone.push(task.ok_or_else(|| too_many(share))?);
    }
    while tasks.len() >= MAX_TASKS {
        let task = take_ended(tasks, |_| true).or_else(|| take_unattended(tasks, |_| true));
        gone.push(task.ok_or_else(|| too_many(MAX_TASKS))?);
    }
    loop {
        let why = match owner.kept.reserve(bytes) {
            Ok(room) => return Ok(room),
            Err(why) => why,
        };
        let task = take_ended(tasks, is_own).filter(|_| !why.is_too_large);
        // Its room is free once it is dropped.
        drop(task.ok_or_else(|| RpcError::over_budget(why))?);
    }
}

/// Removes the oldest task that has ended.
fn take_ended(tasks: &mut Vec<Arc<Task>>, which: impl Fn(&Task) -> bool) -> Option<Arc<Task>> {
    let at = tasks.iter().position(|task| which(task) && task.status().is_terminal())?;
    Some(tasks.remove(at))
}

/// Removes the oldest task that no client has polled.
fn take_unattended(tasks: &mut Vec<Arc<Task>>, which: impl Fn(&Task) -> bool) -> Option<Arc<Task>> {
    let at = tasks.iter().position(|task| which(task) && !task.is_attended())?;
    Some(tasks.remove(at))
}

fn too_many(most: usize) -> RpcError {
    let why = format!("{most} tasks are at work, which is as many as there may be; try again later");
    RpcError::new(code::INTERNAL_ERROR, why).at(429)
}

/// Removes a task when its time has passed. If it still runs, those who wait for it are notified.
async fn expire(server: Weak<Server>, task: Weak<Task>, ttl: Duration) {
    tokio::time::sleep(ttl).await;
    let (Some(server), Some(task)) = (server.upgrade(), task.upgrade()) else { return };
    task.stop.cancel();
    task.finish(&server, Err(RpcError::new(code::INTERNAL_ERROR, "the time of the task has passed")));
    server.tasks.remove(&task.id);
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use transport::Transport;
    use transport::serve::{Budget, Handler, Outbox};

    use super::*;

    fn connect(server: &Server, kept: &Budget) -> Arc<Peer> {
        Arc::new(server.connect(Transport::StreamableHttp, Outbox::closed(), kept.clone()))
    }

    #[tokio::test]
    async fn a_session_has_room_for_so_many_tasks_and_no_more() {
        let server = Server::new();
        let kept = Budget::new(10_000_000);
        let peer = connect(&server, &kept);
        let create = || server.tasks.create(&server, Era::Legacy, &peer, DEFAULT_TTL, 0);
        let tasks: Vec<_> = (0..MAX_OF_SESSION).map(|_| create().unwrap()).collect();
        assert_eq!(create().unwrap_err().status, Some(429));
        let other = connect(&server, &kept);
        assert!(
            server.tasks.create(&server, Era::Legacy, &other, DEFAULT_TTL, 0).is_ok(),
            "others are not affected"
        );
        tasks[3].cancel(&server);
        let another = create().unwrap();
        assert!(server.tasks.find(Era::Legacy, &peer, &tasks[3].id).is_none(), "it made room");
        assert!(server.tasks.find(Era::Legacy, &peer, &another.id).is_some());
        assert_eq!(server.tasks.visible_to(Era::Legacy, &peer).len(), MAX_OF_SESSION);
    }

    #[tokio::test]
    async fn tasks_that_nobody_asks_after_make_room_for_other_clients() {
        let server = Server::new();
        let peer = connect(&server, &Budget::new(10_000_000));
        let create = || server.tasks.create(&server, Era::Modern, &peer, DEFAULT_TTL, 0).unwrap();
        let looked_after = create();
        assert!(server.tasks.find(Era::Modern, &peer, &looked_after.id).is_some());
        let first = create();
        for _ in 0..MAX_OF_MODERN {
            create();
        }
        assert!(first.stop.is_cancelled() && !looked_after.stop.is_cancelled());
        assert!(server.tasks.find(Era::Modern, &peer, &looked_after.id).is_some());
        assert_eq!(server.tasks.visible_to(Era::Modern, &peer).len(), MAX_OF_MODERN);
    }

    #[tokio::test]
    async fn tasks_go_with_their_session_and_give_back_all() {
        let server = Server::new();
        let kept = Budget::new(10_000_000);
        let (one, two) = (connect(&server, &kept), connect(&server, &kept));
        let task = server.tasks.create(&server, Era::Legacy, &one, DEFAULT_TTL, 1_000_000).unwrap();
        server.tasks.create(&server, Era::Legacy, &two, DEFAULT_TTL, 0).unwrap();
        assert_eq!(kept.used(), 1_000_000 + 2 * TASK_COST);
        task.finish(&server, Ok(json!("x".repeat(2_000_000))));
        assert!((2_000_000..2_010_000).contains(&kept.used()), "what came of it, not what was asked");
        server.disconnect(&one);
        drop(task);
        assert_eq!(kept.used(), TASK_COST, "nothing waits for its time to pass");
        assert_eq!(
            (
                server.tasks.visible_to(Era::Legacy, &one).len(),
                server.tasks.visible_to(Era::Legacy, &two).len()
            ),
            (0, 1)
        );
    }

    #[tokio::test]
    async fn tasks_are_bounded_in_bytes() {
        let server = Server::new();
        let kept = Budget::new(1_000_000);
        let peer = connect(&server, &kept);
        let create = |cost| server.tasks.create(&server, Era::Legacy, &peer, DEFAULT_TTL, cost);
        let first = create(600_000).unwrap();
        assert_eq!(create(600_000).unwrap_err().status, Some(503));
        assert_eq!(create(2_000_000).unwrap_err().status, Some(413));
        first.finish(&server, Ok(json!("x".repeat(500_000))));
        drop(first);
        assert!(create(600_000).is_ok(), "what has ended makes room");
        assert_eq!(server.tasks.visible_to(Era::Legacy, &peer).len(), 1);
    }
}
