//! The relation of a tool to apps: which one shows its results, and who may call it.

use protocol::apps::openai::{INVOKED, INVOKING, tool_meta};
use protocol::apps::{ToolUi, Visibility};
use serde_json::{Map, Value, json};

use super::app::App;
use super::{are_shown, openai};
use crate::call::Call;

/// The relation of a tool to an app.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// The app that shows the tool's results.
    app: Option<&'static App>,
    /// Who may call the tool, if that is declared.
    visibility: Option<Visibility>,
    /// What OpenAI's host shows while the tool runs, and afterwards.
    status: Option<(&'static str, &'static str)>,
}

/// The model and the apps of this server may call it, which is also the default.
pub(super) const EVERYBODY: Visibility = Visibility { model: true, app: true };
/// Only the model may call it.
pub(super) const MODEL_ONLY: Visibility = Visibility { model: true, app: false };
/// Only the apps of this server may call it.
pub(super) const APP_ONLY: Visibility = Visibility { model: false, app: true };

impl Link {
    /// A tool whose results `app` shows.
    pub(super) const fn to(app: &'static App, running: &'static str, done: &'static str) -> Self {
        Self { app: Some(app), visibility: None, status: Some((running, done)) }
    }

    /// A tool without an app of its own, for these callers.
    pub(super) const fn only_for(visibility: Visibility) -> Self {
        Self { app: None, visibility: Some(visibility), status: None }
    }

    /// The same, with a declaration of who may call it.
    pub(super) const fn visible_to(mut self, visibility: Visibility) -> Self {
        self.visibility = Some(visibility);
        self
    }

    /// Whether an app shows the results.
    pub(crate) const fn has_app(&self) -> bool {
        self.app.is_some()
    }

    /// Whether this client is offered the tool. A tool for apps alone is useless without apps. The host filters the
    /// list for the model, so a host that shows apps gets every tool.
    pub(crate) fn is_offered(&self, call: &Call) -> bool {
        self.visibility.is_none_or(|visibility| visibility.model) || are_shown(call)
    }

    /// Whether only apps may call it.
    pub(crate) fn is_for_apps_alone(&self) -> bool {
        self.visibility == Some(APP_ONLY)
    }

    /// Adds to a tool's definition what this client may know.
    pub(crate) fn describe(&self, call: &Call, definition: &mut Value) {
        if !are_shown(call) {
            return;
        }
        let meta = &mut definition["_meta"];
        meta["ui"] = self.ui();
        if let (true, Some(members)) = (openai::is_wanted(&call.client), meta.as_object_mut()) {
            members.extend(self.openai());
        }
    }

    fn ui(&self) -> Value {
        let mut ui = json!({});
        if let Some(app) = self.app {
            ui["resourceUri"] = app.uri.into();
        }
        if let Some(visibility) = self.visibility {
            ui["visibility"] = visibility.names().into();
        }
        ui
    }

    fn openai(&self) -> Map<String, Value> {
        let resource_uri = self.app.map(|app| app.uri.to_owned());
        let mut meta = tool_meta(&ToolUi { resource_uri, visibility: self.visibility.unwrap_or_default() });
        if let Some((running, done)) = self.status {
            meta.insert(INVOKING.to_owned(), running.into());
            meta.insert(INVOKED.to_owned(), done.into());
        }
        meta
    }
}
