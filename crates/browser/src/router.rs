//! Routes events to their contexts, and tracks targets that appear and disappear.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::BrowserError;
use crate::connection::{DevtoolsConnection, EventListener};
use crate::context::PageContext;
use crate::events::text;
use crate::log::LogEvent;
use crate::target::{AttachedTarget, TargetKind};

/// Routes every event to the context that it happened in.
#[derive(Debug)]
pub(crate) struct EventRouter {
    connection: DevtoolsConnection,
    known: Mutex<KnownContexts>,
}

#[derive(Debug, Default)]
struct KnownContexts {
    contexts: HashMap<String, Arc<PageContext>>,
    sessions: HashMap<String, Arc<PageContext>>,
    downloads: HashMap<String, Arc<PageContext>>,
}

impl EventRouter {
    pub(crate) fn new(connection: DevtoolsConnection) -> Self {
        Self { connection, known: Mutex::default() }
    }

    pub(crate) fn add(&self, context: &Arc<PageContext>) {
        self.known().contexts.insert(context.id.clone(), Arc::clone(context));
    }

    pub(crate) fn remove(&self, context: &str) {
        let removed = {
            let mut known = self.known();
            known.sessions.retain(|_, it| it.id != context);
            known.downloads.retain(|_, it| it.id != context);
            known.contexts.remove(context)
        };
        if let Some(context) = removed {
            context.closed();
        }
    }

    fn attached(&self, above: Option<&str>, params: &Value) {
        let Some(session) = params["sessionId"].as_str() else { return };
        let context = {
            let mut known = self.known();
            let named = params["targetInfo"]["browserContextId"].as_str();
            let context = named.and_then(|id| known.contexts.get(id));
            let context = context.or_else(|| above.and_then(|above| known.sessions.get(above))).cloned();
            if let Some(context) = &context {
                known.sessions.insert(session.into(), Arc::clone(context));
            }
            context
        };
        match context {
            Some(context) => context.attached(above, session, &params["targetInfo"]),
            // The target does not belong to a context of ours, but it must not stay paused.
            None => drop(self.connection.send(Some(session), "Runtime.runIfWaitingForDebugger", json!({}))),
        }
    }

    fn detached(&self, params: &Value) {
        let Some(session) = params["sessionId"].as_str() else { return };
        let context = self.known().sessions.remove(session);
        if let Some(context) = context {
            context.detached(session);
        }
    }

    /// The browser reports downloads, not the page.
    fn download(&self, name: &str, params: &Value) {
        let id = params["guid"].as_str().unwrap_or_default();
        let context = {
            let mut known = self.known();
            let frame = params["frameId"].as_str().unwrap_or_default();
            let by_frame = known.contexts.values().find(|it| it.frame(frame).is_some()).cloned();
            let context = known.downloads.get(id).cloned().or(by_frame);
            if let Some(context) = &context {
                known.downloads.insert(id.into(), Arc::clone(context));
            }
            context
        };
        if let Some(context) = context {
            context.download(name, params);
        }
    }

    fn known(&self) -> MutexGuard<'_, KnownContexts> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventListener for EventRouter {
    fn event(&self, session: Option<&str>, method: &str, params: &Value) {
        match method {
            "Target.attachedToTarget" => self.attached(session, params),
            "Target.detachedFromTarget" => self.detached(params),
            "Browser.downloadWillBegin" | "Browser.downloadProgress" => self.download(method, params),
            _ => {
                let context = session.and_then(|session| self.known().sessions.get(session).cloned());
                if let (Some(session), Some(context)) = (session, context) {
                    context.event(session, method, params);
                }
            }
        }
    }

    fn connection_lost(&self, why: &BrowserError) {
        for context in self.known().contexts.values() {
            context.log.end(why);
        }
    }
}

impl PageContext {
    /// Sets up a new target, which stays paused until then.
    fn attached(self: Arc<Self>, above: Option<&str>, session: &str, info: &Value) {
        let word = |key: &str| text(&info[key]).unwrap_or_default();
        let (id, kind) = (word("targetId"), TargetKind::named(&word("type")));
        let Some(first) = self.enlist(above, session, &id, kind, word("url")) else {
            drop(self.connection.send(Some(session), "Runtime.runIfWaitingForDebugger", json!({})));
            return;
        };
        let mut commands = kind.introduction();
        if kind.has_document() {
            commands.extend(self.state().emulation.commands(&self.agent));
        }
        if kind == TargetKind::Frame {
            let script =
                |source: &String| ("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source }));
            commands.extend(self.state().frame_scripts.iter().map(script));
        }
        commands.push(("Runtime.runIfWaitingForDebugger", json!({})));
        let send = |(method, params)| self.connection.send(Some(session), method, params);
        let replies: Vec<_> = commands.into_iter().map(send).collect();
        if kind.has_document() {
            self.frame_found(session, &id, text(&info["parentFrameId"]));
            if let Some(frame) = self.state().frames.get_mut(&id) {
                (frame.url, frame.isolated) = (word("url"), kind == TargetKind::Frame);
            }
        }
        if kind == TargetKind::Page && !first {
            self.note(session, Some(id.clone()), LogEvent::Popup { opener: text(&info["openerId"]) });
        }
        self.note(session, kind.has_document().then_some(id), LogEvent::Attached { kind });
        let (context, session) = (Arc::clone(&self), session.to_owned());
        tokio::spawn(async move {
            for reply in replies {
                // A target refuses commands that it does not support; that does not matter.
                let _ = reply.within(context.limit).await;
            }
            if let Some(target) = context.state().target_mut(&session) {
                target.ready = true;
            }
            context.log.touch();
        });
    }

    /// Adds a target. Returns `None` if it is already known, otherwise whether it is the first of its context.
    fn enlist(
        &self,
        above: Option<&str>,
        session: &str,
        id: &str,
        kind: TargetKind,
        url: String,
    ) -> Option<bool> {
        let mut state = self.state();
        if state.targets.iter().any(|it| it.id == id) {
            return None;
        }
        let around = above.and_then(|above| state.target(above)).or_else(|| state.pages().next());
        let around = around.filter(|_| kind != TargetKind::Page).map(|it| it.page.clone());
        let first = state.targets.is_empty();
        state.targets.push(AttachedTarget {
            id: id.into(),
            session: session.into(),
            above: above.map(str::to_owned),
            page: around.unwrap_or_else(|| id.into()),
            kind,
            url,
            ready: false,
            crashed: false,
        });
        Some(first)
    }

    /// Ends the log when the whole context is closed, which fails all waits.
    fn closed(&self) {
        let why = BrowserError::Closed { what: "the page".into() };
        let over = std::mem::take(&mut *self.state());
        over.targets.iter().for_each(|it| self.connection.end_session(&it.session, &why));
        self.log.end(&why);
    }

    fn detached(&self, session: &str) {
        let Some(target) = self.state().target(session).cloned() else { return };
        let frame = target.kind.has_document().then(|| target.id.clone());
        self.note(session, frame, LogEvent::Detached { kind: target.kind });
        {
            let mut state = self.state();
            state.targets.retain(|it| it.session != session);
            state.worlds.remove(session, None);
            if target.kind == TargetKind::Page {
                state.frames.remove(&target.id);
            } else if let (Some(frame), Some(above)) = (state.frames.get_mut(&target.id), &target.above) {
                // A frame that was not removed continues in its parent's process.
                (frame.session, frame.isolated) = (above.clone(), false);
            }
        }
        let what = if target.url.is_empty() { "the page".into() } else { target.url };
        self.connection.end_session(session, &BrowserError::Closed { what });
        self.log.touch();
    }

    pub(crate) fn crashed(&self, session: &str) {
        let url = {
            let mut state = self.state();
            let Some(target) = state.target_mut(session) else { return };
            target.crashed = true;
            let (id, url) = (target.id.clone(), target.url.clone());
            state.worlds.remove(session, None);
            state.frames.get(&id).map_or(url, |frame| frame.url.clone())
        };
        let frame = self.state().target(session).map(|it| it.id.clone());
        self.note(session, frame, LogEvent::Crashed);
        self.connection.end_session(session, &BrowserError::Crashed { url });
    }
}
