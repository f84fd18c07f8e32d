//! The progress line, which is removed when the run ends.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use protocol::Version;
use suite::{Event, Options, Plan, Selection, TargetReport};
use transport::Transport;
use transport::client::Target;

use crate::terminal;

/// The templates of the line, before and after the cases can be counted.
const WAITING_TEMPLATE: &str = "{spinner} {msg}{waited}";
const COUNTING_TEMPLATE: &str = "{spinner} {pos}/{len} {msg}";

/// The line shows how long a wait has lasted once it is longer than this.
const SHOW_WAIT_AFTER: Duration = Duration::from_secs(3);

/// A line on stderr, if that is a terminal.
///
/// Its total is planned ahead for all revisions, so that it does not grow; it shrinks where a revision has fewer checks
/// than could be known.
#[derive(Debug)]
pub(crate) struct ProgressLine {
    bar: ProgressBar,
    protocols: Vec<Version>,
    selection: Selection,
    /// How many cases are planned, by the number of the run and the revision.
    planned: HashMap<(usize, Version), u64>,
    /// Whether a run goes over HTTP, which has checks of its own.
    over_http: bool,
    revision: String,
}

impl ProgressLine {
    /// Shown only if it is `wanted` and stderr is a terminal.
    pub(crate) fn new(wanted: bool, options: &Options) -> Self {
        let seen = wanted && terminal::is_stderr_terminal();
        let target = if seen { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        set_style(&bar, WAITING_TEMPLATE);
        bar.enable_steady_tick(Duration::from_millis(100));
        Self {
            bar,
            protocols: options.protocols.clone(),
            selection: options.selection.clone(),
            planned: HashMap::new(),
            over_http: false,
            revision: String::new(),
        }
    }

    /// Says that the run waits for an HTTP server.
    pub(crate) fn wait_for_connection(&self, target: &Target) {
        let name = terminal::one_line(&target.name_on_command_line());
        self.bar.reset_elapsed();
        self.bar.set_message(format!("waiting for {name} to accept connections"));
    }

    /// Says what the run waits for in the beginning.
    pub(crate) fn wait_for_first_answer(&self, target: &Target) {
        let name = terminal::one_line(&target.name_on_command_line());
        self.bar.reset_elapsed();
        self.bar.set_message(format!("waiting for the first answer of `{name}`"));
    }

    /// Updates the line for an event of one of the runs.
    pub(crate) fn event(&mut self, run: usize, event: &Event) {
        match event {
            Event::Reached(target) => {
                self.plan(run, target);
                self.bar.set_message(terminal::one_line(&target.description));
                set_style(&self.bar, COUNTING_TEMPLATE);
            }
            Event::Began { version, cases } => {
                self.revision = version.to_string();
                self.planned.insert((run, *version), u64::try_from(*cases).unwrap_or(0));
                self.show_total();
            }
            Event::Finished(case) => {
                self.bar.inc(1);
                self.bar.set_message(format!("{} {}", self.revision, case.check));
            }
            Event::Spoken { version, .. } => self.plan_revision(run, *version),
            Event::Absent { version, .. } | Event::Unsettled { version, .. } => {
                self.planned.remove(&(run, *version));
                self.show_total();
            }
            Event::Unreached { .. }
            | Event::Viewed(_)
            | Event::Surveyed { .. }
            | Event::UnusedEntry { .. }
            | Event::Interrupted
            | Event::Ended { .. } => {}
        }
    }

    /// Removes the line.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Counts the cases of all revisions that will be measured; of every revision if that is not known yet.
    fn plan(&mut self, run: usize, target: &TargetReport) {
        self.over_http |= matches!(target.transport.as_str(), "http" | "http+sse");
        let versions = match (&self.protocols[..], &target.speaks[..]) {
            ([], []) => Version::ALL.to_vec(),
            ([], speaks) => speaks.to_vec(),
            (named, _) => named.to_vec(),
        };
        versions.into_iter().for_each(|version| self.plan_revision(run, version));
    }

    /// Counts the cases of a revision, unless they are counted already.
    fn plan_revision(&mut self, run: usize, version: Version) {
        let count = |transport| Plan::new(&[version], transport, &self.selection).cases.len();
        let most = if self.over_http {
            count(Transport::StreamableHttp).max(count(Transport::HttpSse))
        } else {
            count(Transport::Stdio)
        };
        self.planned.entry((run, version)).or_insert(u64::try_from(most).unwrap_or(0));
        self.show_total();
    }

    /// Shows how many cases there are in all.
    fn show_total(&self) {
        self.bar.set_length(self.planned.values().sum());
    }
}

/// A line on stderr that says which app is shown in which row, if stderr is a terminal.
#[derive(Debug)]
pub(crate) struct ViewingLine(ProgressBar);

impl ViewingLine {
    /// Shown only if it is `wanted` and stderr is a terminal.
    pub(crate) fn new(wanted: bool) -> Self {
        let seen = wanted && terminal::is_stderr_terminal();
        let target = if seen { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        set_style(&bar, "{spinner} {pos} shown {msg}");
        bar.set_message("starting the browser");
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(bar)
    }

    /// An app has been shown in a row.
    pub(crate) fn show(&self, tool: &str, row: &str) {
        self.0.inc(1);
        self.0.set_message(terminal::one_line(&format!("{tool} in the row {row}")));
    }

    /// Removes the line.
    pub(crate) fn clear(&self) {
        self.0.finish_and_clear();
    }
}

fn set_style(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.with_key("waited", |state: &ProgressState, out: &mut dyn fmt::Write| {
            // Writing to the line cannot fail.
            let _ = out.write_str(&time_waited(state.elapsed()));
        }));
    }
}

/// How long the wait has lasted; empty while it is short.
fn time_waited(elapsed: Duration) -> String {
    if elapsed < SHOW_WAIT_AFTER { String::new() } else { format!(" for {} s", elapsed.as_secs()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_longer_than_a_moment_is_told_how_long() {
        assert_eq!(time_waited(Duration::from_secs(1)), "");
        assert_eq!(time_waited(Duration::from_millis(12_700)), " for 12 s");
    }

    #[tokio::test]
    async fn the_total_never_grows_and_the_start_says_what_it_waits_for() {
        for target in [crate::reference(), Target::command("no-such-program", ["x.js"])] {
            let mut progress = ProgressLine::new(false, &Options::default());
            progress.wait_for_connection(&target);
            assert!(progress.bar.message().ends_with("to accept connections"), "{}", progress.bar.message());
            progress.wait_for_first_answer(&target);
            let name = target.name_on_command_line();
            assert_eq!(progress.bar.message(), format!("waiting for the first answer of `{name}`"));
            let selection = Selection { only: vec!["server/tools".into()], skip: Vec::new() };
            let options = Options { selection: selection.clone(), ..Options::default() };
            progress.selection = selection;
            let mut totals = Vec::new();
            let mut last = (0, 0);
            let ended = suite::run(&target, "", &options, |event| {
                progress.event(0, event);
                let total = progress.bar.length().unwrap();
                if !matches!(event, Event::Unreached { .. }) {
                    totals.push(total);
                }
                last = (progress.bar.position(), total);
            });
            if ended.await.is_ok() {
                assert!(totals[0] > 0 && totals.is_sorted_by(|one, next| one >= next), "{totals:?}");
                assert_eq!(last.0, last.1, "all that was planned has run");
            }
        }
    }
}
