//! Another screen, another taste, another place.

use serde_json::{Value, json};

use crate::{Error, Page};

/// What the person prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Light colours.
    Light,
    /// Dark colours.
    Dark,
}

/// What the browser pretends; `None` leaves it as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Emulation {
    /// The colours that the person prefers.
    pub scheme: Option<Scheme>,
    /// Whether the person prefers less motion.
    pub reduced_motion: Option<bool>,
    /// The language, as in `de-CH`.
    pub locale: Option<String>,
    /// The time zone, as in `Europe/Zurich`.
    pub timezone: Option<String>,
    /// Whether there is a touch screen.
    pub touch: Option<bool>,
}

impl Page {
    /// Pretends, in all frames there are and will be. What is `None` stays as it was.
    pub async fn emulate(&self, emulation: Emulation) -> Result<(), Error> {
        let (commands, sessions) = {
            let mut state = self.context.state();
            state.emulation.take_over(emulation);
            let documents = state.targets.iter().filter(|it| it.kind.has_document());
            let sessions: Vec<_> = documents.map(|it| it.session.clone()).collect();
            (state.emulation.commands(&self.context.agent), sessions)
        };
        let own = self.context.session_of(&self.id)?;
        let mut replies = Vec::new();
        for session in &sessions {
            for (method, params) in commands.clone() {
                replies.push((session, self.context.connection.send(Some(session), method, params)));
            }
        }
        for (session, reply) in replies {
            match reply.within(self.context.limit).await {
                // Frames of one process share these; the first to hear of them has set them for all.
                Err(Error::Refused { message, .. }) if message.contains("already in effect") => {}
                Err(why) if *session == own || why.is_fatal() => return Err(why),
                Ok(_) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Sets the size of the viewport in CSS pixels, and how many pixels of the screen make one of them.
    pub async fn set_viewport(&self, width: u32, height: u32, scale: f64) -> Result<(), Error> {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": scale, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size).await.map(drop)
    }
}

impl Emulation {
    fn take_over(&mut self, newer: Self) {
        self.scheme = newer.scheme.or(self.scheme);
        self.reduced_motion = newer.reduced_motion.or(self.reduced_motion);
        self.locale = newer.locale.or(self.locale.take());
        self.timezone = newer.timezone.or(self.timezone.take());
        self.touch = newer.touch.or(self.touch);
    }

    /// The commands that every document must hear.
    pub(crate) fn commands(&self, agent: &str) -> Vec<(&'static str, Value)> {
        let mut commands = Vec::new();
        let features = self.features();
        if !features.is_empty() {
            commands.push(("Emulation.setEmulatedMedia", json!({ "features": features })));
        }
        if let Some(locale) = &self.locale {
            commands.push(("Emulation.setLocaleOverride", json!({ "locale": locale })));
            // The override changes dates and numbers alone; the languages that pages and servers see come with the agent.
            let agent = json!({ "userAgent": agent, "acceptLanguage": locale });
            commands.push(("Emulation.setUserAgentOverride", agent));
        }
        if let Some(zone) = &self.timezone {
            commands.push(("Emulation.setTimezoneOverride", json!({ "timezoneId": zone })));
        }
        if let Some(touch) = self.touch {
            commands.push((
                "Emulation.setTouchEmulationEnabled",
                json!({ "enabled": touch, "maxTouchPoints": 5 }),
            ));
        }
        commands
    }

    fn features(&self) -> Vec<Value> {
        let scheme = self.scheme.map(|scheme| match scheme {
            Scheme::Light => "light",
            Scheme::Dark => "dark",
        });
        let motion = self.reduced_motion.map(|less| if less { "reduce" } else { "no-preference" });
        let feature = |name: &str, value: Option<&str>| value.map(|it| json!({ "name": name, "value": it }));
        [feature("prefers-color-scheme", scheme), feature("prefers-reduced-motion", motion)]
            .into_iter()
            .flatten()
            .collect()
    }
}
