//! A browser context: one page, its popups, and everything that runs in them.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::connection::DevtoolsConnection;
use crate::dialog::Dialogs;
use crate::frames::{FrameInfo, Frames};
use crate::log::{EventLog, LogEvent};
use crate::target::{AttachedTarget, TargetKind};
use crate::worlds::Worlds;
use crate::{BrowserError, Emulation};

/// A browser context.
#[derive(Debug)]
pub(crate) struct PageContext {
    pub(crate) id: String,
    pub(crate) connection: DevtoolsConnection,
    pub(crate) log: EventLog,
    /// The timeout of every command.
    pub(crate) limit: Duration,
    /// The browser's user agent.
    pub(crate) agent: String,
    /// Where downloads go.
    pub(crate) downloads: PathBuf,
    state: Mutex<ContextState>,
}

/// The current targets, frames and worlds.
#[derive(Debug, Default)]
pub(crate) struct ContextState {
    pub(crate) targets: Vec<AttachedTarget>,
    pub(crate) frames: Frames,
    pub(crate) worlds: Worlds,
    pub(crate) emulation: Emulation,
    pub(crate) dialogs: Dialogs,
    /// What runs in new frames of other processes, before their own scripts.
    pub(crate) frame_scripts: Vec<String>,
}

impl PageContext {
    pub(crate) fn new(
        id: String,
        connection: DevtoolsConnection,
        limit: Duration,
        agent: String,
        downloads: PathBuf,
    ) -> Self {
        Self { id, connection, log: EventLog::new(), limit, agent, downloads, state: Mutex::default() }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, ContextState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a command to a session and waits for its result.
    pub(crate) async fn call(
        &self,
        session: &str,
        method: &'static str,
        params: Value,
    ) -> Result<Value, BrowserError> {
        self.connection.call(Some(session), method, params, self.limit).await
    }

    /// Waits until `probe` finds something.
    pub(crate) async fn when<T>(
        &self,
        what: &str,
        limit: Duration,
        mut probe: impl FnMut(&ContextState) -> Result<Option<T>, BrowserError>,
    ) -> Result<T, BrowserError> {
        let (mut news, end) = (self.log.news(), Instant::now() + limit);
        loop {
            if let Some(found) = probe(&self.state())? {
                return Ok(found);
            }
            if let Some(why) = self.log.ended() {
                return Err(why.clone());
            }
            if timeout_at(end, news.changed()).await.is_err() {
                return Err(BrowserError::timed_out(what, limit));
            }
        }
    }

    /// The session of a page.
    pub(crate) fn session_of(&self, page: &str) -> Result<String, BrowserError> {
        let state = self.state();
        let target = state.targets.iter().find(|it| it.id == page);
        let target = target.ok_or_else(|| BrowserError::Closed { what: "the page".into() })?;
        Ok(target.session.clone())
    }

    pub(crate) fn frame(&self, id: &str) -> Option<FrameInfo> {
        self.state().frames.get(id).cloned()
    }

    /// Logs an event of a session, with the frame that it happened in.
    pub(crate) fn note(&self, session: &str, frame: Option<String>, event: LogEvent) {
        let (page, url) = {
            let state = self.state();
            let Some(target) = state.target(session) else { return };
            // A frame learns its URL before its target does.
            let shown = state.frames.get(frame.as_deref().unwrap_or(&target.id));
            (target.page.clone(), shown.map_or_else(|| target.url.clone(), |it| it.url.clone()))
        };
        self.log.push(page, frame, url, event);
    }
}

impl ContextState {
    pub(crate) fn target(&self, session: &str) -> Option<&AttachedTarget> {
        self.targets.iter().find(|it| it.session == session)
    }

    pub(crate) fn target_mut(&mut self, session: &str) -> Option<&mut AttachedTarget> {
        self.targets.iter_mut().find(|it| it.session == session)
    }

    /// The open pages; the first one is first.
    pub(crate) fn pages(&self) -> impl Iterator<Item = &AttachedTarget> {
        self.targets.iter().filter(|it| it.kind == TargetKind::Page)
    }
}
