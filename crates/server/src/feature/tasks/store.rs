//! The tasks of a server: bounded in number and in time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use protocol::{Era, code};

use super::task::Task;
use crate::peer::Peer;
use crate::rpc::RpcError;
use crate::seal;
use crate::server::Server;

/// The most tasks that are kept.
const MOST: usize = 512;
/// How long a task is kept when its client has no wish.
pub(super) const TTL: Duration = Duration::from_secs(600);
/// The longest that a task is kept, whatever its client wishes.
pub(super) const LONGEST: Duration = Duration::from_secs(3600);

/// The tasks, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Tasks(Mutex<Vec<Arc<Task>>>);

impl Tasks {
    /// A new task. It goes when its time has passed, or when room is needed and it has come to its end.
    pub(super) fn create(
        &self,
        server: &Arc<Server>,
        era: Era,
        owner: &Arc<Peer>,
        ttl: Duration,
    ) -> Result<Arc<Task>, RpcError> {
        let id = seal::unguessable()
            .ok_or_else(|| RpcError::new(code::INTERNAL_ERROR, "no randomness for a task id"))?;
        let task = Arc::new(Task::new(id, era, owner, ttl));
        let mut tasks = self.lock();
        if tasks.len() >= MOST {
            let ended = tasks.iter().position(|task| task.status().is_terminal());
            let Some(ended) = ended else {
                let why =
                    format!("{MOST} tasks are at work, which is as many as there may be; try again later");
                return Err(RpcError::new(code::INTERNAL_ERROR, why));
            };
            tasks.remove(ended);
        }
        tasks.push(task.clone());
        drop(tasks);
        tokio::spawn(expire(Arc::downgrade(server), task.clone()));
        Ok(task)
    }

    /// The task of that id, if `peer` may know of it.
    pub(super) fn find(&self, era: Era, peer: &Arc<Peer>, id: &str) -> Option<Arc<Task>> {
        self.lock().iter().find(|task| task.id == id && task.is_visible(era, peer)).cloned()
    }

    /// Every task that `peer` may know of, oldest first.
    pub(super) fn of(&self, era: Era, peer: &Arc<Peer>) -> Vec<Arc<Task>> {
        self.lock().iter().filter(|task| task.is_visible(era, peer)).cloned().collect()
    }

    /// Forgets the tasks of a session that is gone.
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

/// Forgets a task when its time has passed. If it is still at work, those who wait for it are told.
async fn expire(server: Weak<Server>, task: Arc<Task>) {
    tokio::time::sleep(task.ttl).await;
    task.stop.cancel();
    if let Some(server) = server.upgrade() {
        task.finish(&server, Err(RpcError::new(code::INTERNAL_ERROR, "the time of the task has passed")));
        server.tasks.remove(&task.id);
    }
}

#[cfg(test)]
mod tests {
    use transport::serve::{Handler, Outbox, Via};

    use super::*;

    #[tokio::test]
    async fn there_is_room_for_so_many_tasks_and_no_more() {
        let server = Server::new();
        let peer = Arc::new(server.connect(Via::Pipe, Outbox::closed()));
        let create = || server.tasks.create(&server, Era::Legacy, &peer, TTL);
        let tasks: Vec<_> = (0..MOST).map(|_| create().unwrap()).collect();
        assert!(create().is_err());
        tasks[3].cancel(&server);
        let another = create().unwrap();
        assert!(server.tasks.find(Era::Legacy, &peer, &tasks[3].id).is_none(), "it made room");
        assert!(server.tasks.find(Era::Legacy, &peer, &another.id).is_some());
        assert_eq!(server.tasks.of(Era::Legacy, &peer).len(), MOST);
    }

    #[tokio::test]
    async fn tasks_go_with_their_session() {
        let server = Server::new();
        let connect = || Arc::new(server.connect(Via::Pipe, Outbox::closed()));
        let (one, two) = (connect(), connect());
        let task = server.tasks.create(&server, Era::Legacy, &one, TTL).unwrap();
        server.tasks.create(&server, Era::Legacy, &two, TTL).unwrap();
        server.disconnect(&one);
        assert!(task.stop.is_cancelled());
        assert_eq!(
            (server.tasks.of(Era::Legacy, &one).len(), server.tasks.of(Era::Legacy, &two).len()),
            (0, 1)
        );
    }
}
