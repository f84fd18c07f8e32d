//! The execution contexts of all sessions.

use serde_json::Value;

/// An execution context.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) session: String,
    /// Its number within the session.
    pub(crate) number: i64,
    /// Its unique id, which is never used twice.
    pub(crate) unique: String,
    pub(crate) frame: Option<String>,
    pub(crate) origin: String,
    /// Whether it is the page's own, not that of an extension or debugger.
    pub(crate) own: bool,
}

/// All current execution contexts.
#[derive(Debug, Default)]
pub(crate) struct Worlds(Vec<World>);

impl Worlds {
    pub(crate) fn add(&mut self, session: &str, context: &Value) -> World {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let world = World {
            session: session.into(),
            number: context["id"].as_i64().unwrap_or_default(),
            unique: text(&context["uniqueId"]).unwrap_or_default(),
            frame: text(&context["auxData"]["frameId"]),
            origin: origin(context["origin"].as_str().unwrap_or_default()),
            own: context["auxData"]["isDefault"].as_bool().unwrap_or(true),
        };
        self.0.push(world.clone());
        world
    }

    pub(crate) fn remove(&mut self, session: &str, number: Option<i64>) {
        self.0.retain(|it| it.session != session || number.is_some_and(|number| it.number != number));
    }

    /// The world of a frame's own scripts, if it has a document.
    pub(crate) fn of_frame(&self, session: &str, frame: &str) -> Option<&World> {
        let of_frame = |it: &&World| it.session == session && it.own && it.frame.as_deref() == Some(frame);
        self.0.iter().rfind(of_frame)
    }

    /// The frame of a session's execution context.
    pub(crate) fn frame_of(&self, session: &str, number: &Value) -> Option<String> {
        let number = number.as_i64()?;
        self.0.iter().find(|it| it.session == session && it.number == number)?.frame.clone()
    }
}

/// Chromium writes opaque origins as `://`; scripts see `null`.
pub(crate) fn origin(written: &str) -> String {
    if written.is_empty() || written == "://" { "null".into() } else { written.trim_end_matches('/').into() }
}
