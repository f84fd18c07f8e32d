//! A host that a person drives: they are told what to do, and the Views report.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;

use crate::host::{DriverStep, HostDriver, probe};

/// How long a person has for one scene.
const SCENE_TIMEOUT: Duration = Duration::from_secs(300);
/// How long a person has for one thing that the View waits for.
const TIME_TO_ACT: Duration = Duration::from_secs(90);

/// Shows the person a line.
pub type TellPerson = Box<dyn Fn(&str) + Send + Sync>;

/// A host that a person drives.
pub struct ManualHost {
    tell: TellPerson,
    skip: SkipButton,
}

/// What the person presses when their host cannot do what it is asked for.
#[derive(Clone, Debug, Default)]
pub struct SkipButton(Arc<AtomicBool>);

impl SkipButton {
    /// Leaves out what is shown now.
    pub fn press(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl std::fmt::Debug for ManualHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ManualHost").field("skip", &self.skip).finish_non_exhaustive()
    }
}

impl ManualHost {
    /// `tell` shows the person what to do.
    pub fn new(tell: TellPerson) -> Self {
        Self { tell, skip: SkipButton::default() }
    }

    /// What the person presses to leave something out.
    pub fn skip_button(&self) -> SkipButton {
        self.skip.clone()
    }

    /// Tells the person what to do. The View waits until it has happened.
    fn ask<'a>(&'a self, what: &'static str) -> DriverStep<'a, ()> {
        (self.tell)(what);
        Box::pin(std::future::ready(Ok(())))
    }
}

impl HostDriver for ManualHost {
    fn description(&self) -> String {
        "a host that a person drove".to_owned()
    }

    fn patience(&self) -> Duration {
        SCENE_TIMEOUT
    }

    fn time_to_act(&self) -> Duration {
        TIME_TO_ACT
    }

    fn has_skipped(&self) -> bool {
        self.skip.0.load(Ordering::Relaxed)
    }

    fn show<'a>(&'a self, tool: &'a str, arguments: &'a Value) -> DriverStep<'a, ()> {
        self.skip.0.store(false, Ordering::Relaxed);
        let about = probe::scene_named(tool).map(|scene| scene.about).unwrap_or_default();
        (self.tell)(&format!("run the tool `{tool}` with {arguments}; its View {about}"));
        Box::pin(std::future::ready(Ok(())))
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

    fn allow_twice(&self) -> DriverStep<'_, ()> {
        self.ask(
            "now double-click where the first thing that the View asks for is allowed, and click no more",
        )
    }

    fn decide(&self, allow: bool) -> DriverStep<'_, ()> {
        self.ask(if allow { "now allow what the View asks for" } else { "now deny what the View asks for" })
    }
}
