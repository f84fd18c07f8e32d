//! A browser context: one page, its popups, and all that runs in them.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::connection::Connection;
use crate::dialog::Dialogs;
use crate::frames::{FrameInfo, Frames};
use crate::log::{Event, Log};
use crate::target::{Kind, Target};
use crate::worlds::Worlds;
use crate::{Emulation, Error};

/// A browser context.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) id: String,
    pub(crate) connection: Connection,
    pub(crate) log: Log,
    /// The longest wait for any command.
    pub(crate) limit: Duration,
    /// What the browser calls itself.
    pub(crate) agent: String,
    /// Where downloads go.
    pub(crate) downloads: PathBuf,
    state: Mutex<State>,
}

/// What is there at the moment.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) targets: Vec<Target>,
    pub(crate) frames: Frames,
    pub(crate) worlds: Worlds,
    pub(crate) emulation: Emulation,
    pub(crate) dialogs: Dialogs,
}

impl Context {
    pub(crate) fn new(
        id: String,
        connection: Connection,
        limit: Duration,
        agent: String,
        downloads: PathBuf,
    ) -> Self {
        Self { id, connection, log: Log::new(), limit, agent, downloads, state: Mutex::default() }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a command to a session and waits for its result.
    pub(crate) async fn call(
        &self,
        session: &str,
        method: &'static str,
        params: Value,
    ) -> Result<Value, Error> {
        self.connection.call(Some(session), method, params, self.limit).await
    }

    /// Waits until there is what the probe looks for.
    pub(crate) async fn when<T>(
        &self,
        what: &str,
        limit: Duration,
        mut probe: impl FnMut(&State) -> Result<Option<T>, Error>,
    ) -> Result<T, Error> {
        let (mut news, end) = (self.log.news(), Instant::now() + limit);
        loop {
            if let Some(found) = probe(&self.state())? {
                return Ok(found);
            }
            if let Some(why) = self.log.ended() {
                return Err(why.clone());
            }
            if timeout_at(end, news.changed()).await.is_err() {
                return Err(Error::never_came(what, limit));
            }
        }
    }

    /// The session that a page is spoken to in.
    pub(crate) fn session_of(&self, page: &str) -> Result<String, Error> {
        let state = self.state();
        let target = state.targets.iter().find(|it| it.id == page);
        let target = target.ok_or_else(|| Error::Closed { what: "the page".into() })?;
        Ok(target.session.clone())
    }

    pub(crate) fn frame(&self, id: &str) -> Option<FrameInfo> {
        self.state().frames.get(id).cloned()
    }

    /// Writes into the log what happened in a session, and in which of its frames.
    pub(crate) fn note(&self, session: &str, frame: Option<String>, event: Event) {
        let (page, url) = {
            let state = self.state();
            let Some(target) = state.target(session) else { return };
            // Frames learn their address before targets do.
            let shown = state.frames.get(frame.as_deref().unwrap_or(&target.id));
            (target.page.clone(), shown.map_or_else(|| target.url.clone(), |it| it.url.clone()))
        };
        self.log.push(page, frame, url, event);
    }
}

impl State {
    pub(crate) fn target(&self, session: &str) -> Option<&Target> {
        self.targets.iter().find(|it| it.session == session)
    }

    pub(crate) fn target_mut(&mut self, session: &str) -> Option<&mut Target> {
        self.targets.iter_mut().find(|it| it.session == session)
    }

    /// The pages there are, the first one first.
    pub(crate) fn pages(&self) -> impl Iterator<Item = &Target> {
        self.targets.iter().filter(|it| it.kind == Kind::Page)
    }
}
