//! Turns the browser's events into state and log entries.

use serde_json::{Value, json};

use crate::context::PageContext;
use crate::log::LogEvent;
use crate::{Console, Dialog, Exception, Violation, network};

impl PageContext {
    /// Handles one event of a session.
    pub(crate) fn event(&self, session: &str, method: &str, params: &Value) {
        match method.split_once('.') {
            Some(("Page", name)) => self.page_event(session, name, params),
            Some(("Runtime", name)) => self.runtime_event(session, name, params),
            Some(("Network", name)) => {
                for event in network::events(name, params) {
                    self.note(session, text(&params["frameId"]), event);
                }
            }
            Some(("Log", "entryAdded")) => self.note(session, None, notice(&params["entry"])),
            Some(("Audits", "issueAdded")) => self.issue(session, &params["issue"]),
            Some(("Inspector", "targetCrashed")) => self.crashed(session),
            Some(("Target", "targetInfoChanged")) => self.renamed(&params["targetInfo"]),
            _ => {}
        }
        self.log.touch();
    }

    fn page_event(&self, session: &str, name: &str, params: &Value) {
        let frame = text(&params["frameId"]);
        match name {
            "frameAttached" => {
                let (id, parent) = (frame.unwrap_or_default(), text(&params["parentFrameId"]));
                self.frame_found(session, &id, parent);
            }
            "frameNavigated" => self.navigated(session, &params["frame"]),
            "navigatedWithinDocument" => {
                let id = frame.unwrap_or_default();
                if let Some(known) = self.state().frames.get_mut(&id) {
                    known.url = text(&params["url"]).unwrap_or_default();
                }
                self.note(session, Some(id), LogEvent::Navigated { loader: String::new() });
            }
            // A frame that is swapped out continues in another process.
            "frameDetached" if params["reason"] == "remove" => {
                self.note(session, frame.clone(), LogEvent::FrameRemoved);
                self.state().frames.remove(&frame.unwrap_or_default());
            }
            "lifecycleEvent" => {
                let word = |key: &str| text(&params[key]).unwrap_or_default();
                let event = LogEvent::Lifecycle { name: word("name"), loader: word("loaderId") };
                self.note(session, frame, event);
            }
            "windowOpen" => {
                let url = text(&params["url"]).unwrap_or_default();
                let gesture = params["userGesture"].as_bool().unwrap_or_default();
                self.note(session, None, LogEvent::WindowAsked { url, gesture });
            }
            "javascriptDialogOpening" => self.dialog(session, params),
            _ => {}
        }
    }

    fn runtime_event(&self, session: &str, name: &str, params: &Value) {
        match name {
            "executionContextCreated" => {
                let mut state = self.state();
                let world = state.worlds.add(session, &params["context"]);
                let frame = world.frame.as_deref().and_then(|id| state.frames.get_mut(id));
                // The world's origin is the only source for the origin of a `srcdoc` document.
                if let Some(frame) = frame.filter(|frame| world.own && frame.session == session) {
                    frame.origin = world.origin;
                }
            }
            "executionContextDestroyed" => {
                self.state().worlds.remove(session, params["executionContextId"].as_i64());
            }
            "executionContextsCleared" => self.state().worlds.remove(session, None),
            "consoleAPICalled" => {
                let frame = self.state().worlds.frame_of(session, &params["executionContextId"]);
                self.note(session, frame, LogEvent::Console(Console::parse(params)));
            }
            "exceptionThrown" => {
                let details = &params["exceptionDetails"];
                let frame = self.state().worlds.frame_of(session, &details["executionContextId"]);
                self.note(session, frame, LogEvent::Exception(Exception::parse(details)));
            }
            _ => {}
        }
    }

    pub(crate) fn frame_found(&self, session: &str, id: &str, parent: Option<String>) {
        let new = {
            let mut state = self.state();
            let Some(page) = state.target(session).map(|it| it.page.clone()) else { return };
            state.frames.add_frame(session, &page, id, parent.as_deref())
        };
        if new {
            self.note(session, Some(id.into()), LogEvent::FrameAdded { parent });
        }
    }

    fn navigated(&self, session: &str, frame: &Value) {
        {
            let mut state = self.state();
            let Some(target) = state.target_mut(session) else { return };
            target.crashed = false;
            let page = target.page.clone();
            state.frames.navigated(session, &page, frame);
        }
        let loader = text(&frame["loaderId"]).unwrap_or_default();
        self.note(session, text(&frame["id"]), LogEvent::Navigated { loader });
    }

    fn dialog(&self, session: &str, params: &Value) {
        let dialog = Dialog::parse(params, self.state().dialogs);
        let answer = json!({ "accept": dialog.accepted });
        drop(self.connection.send(Some(session), "Page.handleJavaScriptDialog", answer));
        self.note(session, text(&params["frameId"]), LogEvent::Dialog(dialog));
    }

    fn issue(&self, session: &str, issue: &Value) {
        if let Some(mut violation) = Violation::parse(issue) {
            let frame = self.blamed(session, &violation);
            let shown = frame.as_deref().and_then(|id| self.frame(id)).map(|it| it.url);
            violation.document = shown.unwrap_or_else(|| violation.source.clone());
            self.note(session, frame, LogEvent::Violation(violation));
        }
    }

    /// The browser does not name the frame that violated a policy. This is the frame whose document is at the place of
    /// the violation, or else the first frame of the process.
    fn blamed(&self, session: &str, violation: &Violation) -> Option<String> {
        let state = self.state();
        let mut frames = state.frames.of_session(session);
        let first = frames.next()?;
        let all = std::iter::once(first).chain(frames);
        let blamed = { all }.find(|it| !violation.source.is_empty() && it.url == violation.source);
        Some(blamed.unwrap_or(first).id.clone())
    }

    /// A target learns its URL late. For a `srcdoc` document this event is the only source.
    fn renamed(&self, info: &Value) {
        let mut state = self.state();
        let (Some(id), Some(url)) = (info["targetId"].as_str(), text(&info["url"])) else { return };
        if let Some(frame) = state.frames.get_mut(id).filter(|frame| frame.url.is_empty()) {
            frame.url.clone_from(&url);
        }
        if let Some(target) = state.targets.iter_mut().find(|it| it.id == id) {
            target.url = url;
        }
    }
}

fn notice(entry: &Value) -> LogEvent {
    let word = |key: &str| text(&entry[key]).unwrap_or_default();
    LogEvent::Notice { level: word("level"), source: word("source"), text: word("text") }
}

pub(crate) fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}
