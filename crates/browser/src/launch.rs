//! The options and arguments that the browser is started with.

use std::path::PathBuf;
use std::time::Duration;

use crate::process::{Pipes, Process};
use crate::profile::ProfileFolder;
use crate::{BrowserError, find};

/// Arguments that make Chromium quiet, isolated and the same on every machine.
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
    // The omnibox's own pages would take as much memory as ours.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,Translate,MediaRouter",
];

/// The options of a browser.
#[derive(Clone, Debug)]
pub struct LaunchOptions {
    /// Whether it runs without a window. Set it to `false` to watch the browser.
    pub headless: bool,
    /// Whether Chromium runs without its own sandbox, which it refuses to use as root. `None` disables the sandbox
    /// only where it must.
    pub no_sandbox: Option<bool>,
    /// More arguments for Chromium.
    pub args: Vec<String>,
    /// The program. `None` takes the one in `YARDSTICK_BROWSER`, or else the first found in PATH.
    pub program: Option<PathBuf>,
    /// The timeout for the start of the browser, and for every command.
    pub limit: Duration,
}

impl Default for LaunchOptions {
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

impl LaunchOptions {
    pub(crate) fn start(&self, profile: &ProfileFolder) -> Result<(Process, Pipes), BrowserError> {
        let program = self.program.clone().map_or_else(find::browser, Ok)?;
        Process::start(&program, &self.arguments(profile))
    }

    fn arguments(&self, profile: &ProfileFolder) -> Vec<String> {
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
