//! Emulation of another screen, other preferences and another place.

use serde_json::{Value, json};

use crate::{BrowserError, Page};

/// The preferred colour scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Light colours.
    Light,
    /// Dark colours.
    Dark,
}

/// Settings to emulate; `None` leaves a setting as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Emulation {
    /// The preferred colour scheme.
    pub scheme: Option<Scheme>,
    /// Whether reduced motion is preferred.
    pub reduced_motion: Option<bool>,
    /// The language, for example `de-CH`.
    pub locale: Option<String>,
    /// The time zone, for example `Europe/Zurich`.
    pub timezone: Option<String>,
    /// Whether there is a touch screen.
    pub touch: Option<bool>,
    /// Whether every request over TLS fails, as it does without a network. Plain loopback addresses still work.
    pub offline: Option<bool>,
}

impl Page {
    /// Emulates the settings in all current and future frames. A `None` keeps its earlier value.
    pub async fn emulate(&self, emulation: Emulation) -> Result<(), BrowserError> {
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
                // Frames of one process share these settings; the first frame has set them for all.
                Err(BrowserError::Refused { message, .. }) if message.contains("already in effect") => {}
                Err(why) if *session == own || why.is_fatal() => return Err(why),
                Ok(_) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Sets the size of the viewport in CSS pixels, and the device scale factor.
    pub async fn set_viewport(&self, width: u32, height: u32, scale: f64) -> Result<(), BrowserError> {
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
        self.offline = newer.offline.or(self.offline);
    }

    /// The commands that every document must get.
    pub(crate) fn commands(&self, agent: &str) -> Vec<(&'static str, Value)> {
        let mut commands = Vec::new();
        let features = self.features();
        if !features.is_empty() {
            commands.push(("Emulation.setEmulatedMedia", json!({ "features": features })));
        }
        if let Some(locale) = &self.locale {
            commands.push(("Emulation.setLocaleOverride", json!({ "locale": locale })));
            // The locale override changes only dates and numbers. The languages that pages and servers see come with
            // the user agent.
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
        if let Some(offline) = self.offline {
            let urls: &[&str] = if offline { &["https://*", "wss://*"] } else { &[] };
            commands.push(("Network.setBlockedURLs", json!({ "urls": urls })));
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
