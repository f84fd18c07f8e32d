//! Which context an event belongs to; and targets as they come and go.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::Error;
use crate::connection::{Connection, Listener};
use crate::context::Context;
use crate::events::text;
use crate::log::Event;
use crate::target::{Kind, Target};

/// Leads every event to the context that it happened in.
#[derive(Debug)]
pub(crate) struct Router {
    connection: Connection,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    contexts: HashMap<String, Arc<Context>>,
    sessions: HashMap<String, Arc<Context>>,
    downloads: HashMap<String, Arc<Context>>,
}

impl Router {
    pub(crate) fn new(connection: Connection) -> Self {
        Self { connection, known: Mutex::default() }
    }

    pub(crate) fn add(&self, context: &Arc<Context>) {
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
            // None of ours, but it must not stay paused.
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

    /// Downloads are told by the browser itself, not by the page.
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

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for Router {
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

    fn gone(&self, why: &Error) {
        for context in self.known().contexts.values() {
            context.log.end(why);
        }
    }
}

impl Context {
    /// A target has come, and waits until it has been told all that it must know.
    fn attached(self: Arc<Self>, above: Option<&str>, session: &str, info: &Value) {
        let word = |key: &str| text(&info[key]).unwrap_or_default();
        let (id, kind) = (word("targetId"), Kind::named(&word("type")));
        let Some(first) = self.enlist(above, session, &id, kind, word("url")) else {
            drop(self.connection.send(Some(session), "Runtime.runIfWaitingForDebugger", json!({})));
            return;
        };
        let mut commands = kind.introduction();
        if kind.has_document() {
            commands.extend(self.state().emulation.commands(&self.agent));
        }
        commands.push(("Runtime.runIfWaitingForDebugger", json!({})));
        let send = |(method, params)| self.connection.send(Some(session), method, params);
        let replies: Vec<_> = commands.into_iter().map(send).collect();
        if kind.has_document() {
            self.frame_found(session, &id, text(&info["parentFrameId"]));
            if let Some(frame) = self.state().frames.get_mut(&id) {
                (frame.url, frame.isolated) = (word("url"), kind == Kind::Frame);
            }
        }
        if kind == Kind::Page && !first {
            self.note(session, Some(id.clone()), Event::Popup { opener: text(&info["openerId"]) });
        }
        self.note(session, kind.has_document().then_some(id), Event::Attached { kind });
        let (context, session) = (Arc::clone(&self), session.to_owned());
        tokio::spawn(async move {
            for reply in replies {
                // What a target does not know, it refuses; that is no harm.
                let _ = reply.within(context.limit).await;
            }
            if let Some(target) = context.state().target_mut(&session) {
                target.ready = true;
            }
            context.log.touch();
        });
    }

    /// Remembers a target; `None` when it is known already, else whether it is the first of the context.
    fn enlist(&self, above: Option<&str>, session: &str, id: &str, kind: Kind, url: String) -> Option<bool> {
        let mut state = self.state();
        if state.targets.iter().any(|it| it.id == id) {
            return None;
        }
        let around = above.and_then(|above| state.target(above)).or_else(|| state.pages().next());
        let around = around.filter(|_| kind != Kind::Page).map(|it| it.page.clone());
        let first = state.targets.is_empty();
        state.targets.push(Target {
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

    /// The whole context is closed: whoever waits for something in it is told.
    fn closed(&self) {
        let why = Error::Closed { what: "the page".into() };
        let over = std::mem::take(&mut *self.state());
        over.targets.iter().for_each(|it| self.connection.end_session(&it.session, &why));
        self.log.end(&why);
    }

    fn detached(&self, session: &str) {
        let Some(target) = self.state().target(session).cloned() else { return };
        let frame = target.kind.has_document().then(|| target.id.clone());
        self.note(session, frame, Event::Detached { kind: target.kind });
        {
            let mut state = self.state();
            state.targets.retain(|it| it.session != session);
            state.worlds.remove(session, None);
            if target.kind == Kind::Page {
                state.frames.remove(&target.id);
            } else if let (Some(frame), Some(above)) = (state.frames.get_mut(&target.id), &target.above) {
                // If it has not been removed, it goes on in the process around it.
                (frame.session, frame.isolated) = (above.clone(), false);
            }
        }
        let what = if target.url.is_empty() { "the page".into() } else { target.url };
        self.connection.end_session(session, &Error::Closed { what });
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
        self.note(session, frame, Event::Crashed);
        self.connection.end_session(session, &Error::Crashed { url });
    }
}
