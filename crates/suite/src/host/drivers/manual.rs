//! A host that a person drives: they are told what to do, and the Views report.

use std::time::Duration;

use serde_json::Value;

use crate::host::{DriverStep, HostDriver, probe};

/// How long a person has for one scene.
const PATIENCE: Duration = Duration::from_secs(180);
/// How long a person has for one thing that the View waits for.
const ACT_TIME: Duration = Duration::from_secs(10);

/// A host that a person drives.
#[derive(Debug)]
pub struct ManualHost {
    platform: String,
    tell: fn(&str),
}

impl ManualHost {
    /// A host on `platform`; `tell` shows the person what to do.
    pub fn new(platform: Option<&str>, tell: fn(&str)) -> Self {
        Self { platform: platform.unwrap_or("an unnamed platform").to_owned(), tell }
    }

    /// Tells the person what to do, and gives them time for it.
    fn ask<'a>(&'a self, what: &'static str) -> DriverStep<'a, ()> {
        Box::pin(async move {
            (self.tell)(what);
            tokio::time::sleep(ACT_TIME).await;
            Ok(())
        })
    }
}

impl HostDriver for ManualHost {
    fn description(&self) -> String {
        format!("a host that a person drove on {}", self.platform)
    }

    fn patience(&self) -> Duration {
        PATIENCE
    }

    fn show<'a>(&'a self, tool: &'a str, arguments: &'a Value) -> DriverStep<'a, ()> {
        Box::pin(async move {
            let about = probe::scene_named(tool).map(|scene| scene.about).unwrap_or_default();
            (self.tell)(&format!("run the tool `{tool}` with {arguments}; its View {about}"));
            Ok(())
        })
    }

    fn cancel(&self) -> DriverStep<'_, ()> {
        self.ask("now cancel the call")
    }

    fn close(&self) -> DriverStep<'_, ()> {
        self.ask("now close the View")
    }

    fn switch_theme(&self) -> DriverStep<'_, ()> {
        self.ask("now switch between the light and the dark theme")
    }

    fn decide(&self, allow: bool) -> DriverStep<'_, ()> {
        self.ask(if allow { "now allow what the View asks for" } else { "now deny what the View asks for" })
    }
}
