//! How the browser is started.

use std::path::PathBuf;
use std::time::Duration;

use crate::process::{Pipes, Process};
use crate::profile::Profile;
use crate::{Error, find};

/// What keeps Chromium quiet, alone and the same everywhere.
const ARGS: [&str; 18] = [
    "--remote-debugging-pipe",
    "--no-startup-window",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-default-apps",
    "--disable-breakpad",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-background-timer-throttling",
    "--password-store=basic",
    "--hide-scrollbars",
    // The omnibox's own pages cost as much as ours.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,Translate,MediaRouter",
];

/// How a browser is to be started.
#[derive(Clone, Debug)]
pub struct Options {
    /// Without a window. On unless somebody wants to watch.
    pub headless: bool,
    /// Without Chromium's own sandbox, which it refuses to use as root. `None`: only where it must be so.
    pub no_sandbox: Option<bool>,
    /// More arguments for Chromium.
    pub args: Vec<String>,
    /// The program; `None`: the one that `YARDSTICK_BROWSER` names, else the first found in PATH.
    pub program: Option<PathBuf>,
    /// The longest wait for the browser to start, and for its answer to any single command.
    pub limit: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            headless: true,
            no_sandbox: None,
            args: Vec::new(),
            program: None,
            limit: Duration::from_secs(30),
        }
    }
}

impl Options {
    pub(crate) fn start(&self, profile: &Profile) -> Result<(Process, Pipes), Error> {
        let program = self.program.clone().map_or_else(find::browser, Ok)?;
        Process::start(&program, &self.arguments(profile))
    }

    fn arguments(&self, profile: &Profile) -> Vec<String> {
        let mut args: Vec<String> = ARGS.iter().map(|arg| (*arg).to_owned()).collect();
        args.push(format!("--user-data-dir={}", profile.path().display()));
        if self.headless {
            args.push("--headless".into());
        }
        if self.no_sandbox.unwrap_or_else(is_root) {
            args.push("--no-sandbox".into());
        }
        args.extend(self.args.iter().cloned());
        args
    }
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}
