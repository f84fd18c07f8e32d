//! What moves while a run is under way, and leaves no trace.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use suite::Event;

/// A line on stderr, if that is a terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    revision: String,
}

impl Progress {
    /// Shown only if it is `wanted` and there is somebody to see it.
    pub(crate) fn new(wanted: bool) -> Self {
        let seen = wanted && std::io::stderr().is_terminal();
        let target = if seen { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        bar.set_message("finding out what the server speaks");
        bar.enable_steady_tick(std::time::Duration::from_millis(100));
        Self { bar, revision: String::new() }
    }

    /// Takes note of an event.
    pub(crate) fn event(&mut self, event: &Event) {
        match event {
            Event::Reached(target) => self.bar.set_message(target.description.clone()),
            Event::Began { version, cases } => {
                self.revision = version.to_string();
                self.bar.inc_length(u64::try_from(*cases).unwrap_or(0));
            }
            Event::Finished(case) => {
                self.bar.inc(1);
                self.bar.set_message(format!("{} {}", self.revision, case.check));
            }
            Event::Unreached { .. }
            | Event::Spoken { .. }
            | Event::Absent { .. }
            | Event::Unsettled { .. }
            | Event::Surveyed { .. }
            | Event::UnusedEntry { .. }
            | Event::Interrupted
            | Event::Ended { .. } => {}
        }
    }

    /// Gone without a trace.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
