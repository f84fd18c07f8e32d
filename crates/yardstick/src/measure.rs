//! The suite from a Rust test.

use std::fmt;
use std::time::Duration;

use protocol::Version;
use suite::{Baseline, CaseReport, Conclusion, Options, Report};
use transport::client::{Failure, Target};

use crate::reproduction;
use crate::suggest::explain_unknown_check;
use crate::terminal;

/// A measurement that has not run yet; [`measure`] makes one.
#[derive(Clone, Debug)]
#[must_use = "nothing runs before `run` is called"]
pub struct Measure {
    target: Target,
    options: Options,
}

/// What a measurement found.
#[derive(Clone, Debug)]
pub struct Measured(Report);

/// Measures `target`: every check, in every revision that it speaks, unless told otherwise.
pub const fn measure_with(target: Target, options: Options) -> Measure {
    Measure { target, options }
}

/// Measures `target` with the usual options.
pub fn measure(target: Target) -> Measure {
    measure_with(target, Options::default())
}

impl Measure {
    /// Only in this revision; several calls name several.
    pub fn protocol(mut self, version: Version) -> Self {
        self.options.protocols.push(version);
        self
    }

    /// Only these checks: an id, the beginning of one, a section or an alias; several calls name several.
    pub fn only(mut self, check: impl Into<String>) -> Self {
        self.options.selection.only.push(check.into());
        self
    }

    /// Without these checks.
    pub fn skip(mut self, check: impl Into<String>) -> Self {
        self.options.selection.skip.push(check.into());
        self
    }

    /// How long the server has for one answer.
    pub const fn timeout(mut self, limit: Duration) -> Self {
        self.options.limits.request = limit;
        self
    }

    /// What is known to fail.
    pub fn baseline(mut self, baseline: Baseline) -> Self {
        self.options.baseline = baseline;
        self
    }

    /// Runs the measurement. It fails if the target cannot be reached, or if a name selects no check.
    pub async fn run(self) -> Result<Measured, Failure> {
        if let Some(name) = self.options.selection.unknown() {
            return Err(Failure::Unusable(explain_unknown_check(name)));
        }
        let arguments = reproduction::target_arguments(&self.target);
        suite::run(&self.target, &arguments, &self.options, |_| {}).await.map(Measured)
    }

    /// Runs it where there is no async runtime, as in a plain `#[test]`.
    pub fn run_blocking(self) -> Result<Measured, Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime =
            runtime.map_err(|error| Failure::Ours(format!("the runtime could not start: {error}")))?;
        let measured = runtime.block_on(self.run());
        runtime.shutdown_background();
        measured
    }
}

impl Measured {
    /// The report, as data.
    pub const fn report(&self) -> &Report {
        &self.0
    }

    /// Whether the target is conformant.
    pub fn verdict(&self) -> Conclusion {
        self.0.verdict()
    }

    /// The cases that need attention.
    pub fn findings(&self) -> impl Iterator<Item = &CaseReport> {
        self.0.cases.iter().filter(|case| case.outcome.is_finding())
    }

    /// Fails the test, with all findings, unless the target is conformant.
    ///
    /// # Panics
    ///
    /// When something is broken, or could not be tested.
    #[track_caller]
    pub fn assert_conformant(&self) {
        assert!(self.verdict() == Conclusion::Conformant, "\n{self}");
    }
}

/// The report for people, without colours.
impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = report::human::render(&self.0);
        f.write_str(&terminal::strip_styles(&text))
    }
}
