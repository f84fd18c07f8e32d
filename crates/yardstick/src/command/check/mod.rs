//! `yardstick check`

mod interrupted;
mod measure;

use std::collections::BTreeSet;

use suite::{Baseline, Options, Report, Selection};
use transport::client::{Limits, adopt_orphans};

use self::measure::{MeasuredRun, RunEnding, measure_all};
use super::plan;
use crate::args::{CheckArguments, CheckSubject, JudgingArguments};
use crate::calls::read_calls;
use crate::event_files::EventFiles;
use crate::exit::{Exit, Usage};
use crate::files::write_whole;
use crate::format::{Format, Places, RequestedReport};
use crate::run_recording::RunRecording;
use crate::signals::{FirstSignal, listen_for_signals};
use crate::suggest::explain_unknown_check;
use crate::target::{self, ServerUnderTest};
use crate::terminal;
use crate::tools_listed::ToolsListed;

pub(crate) async fn run(mut arguments: CheckArguments) -> anyhow::Result<Exit> {
    match arguments.subject.take() {
        None => check_servers(arguments).await,
        Some(CheckSubject::App(app)) => {
            if let Some(target) = arguments.target_given() {
                let text =
                    format!("`{target}` stands before `app`; write it after: yardstick check app {target}");
                return Err(Usage(text).into());
            }
            listen_for_signals(FirstSignal::Stops);
            // Orphans are not adopted, because the browser is a child of this process and not of a target.
            super::app::run(app.with_earlier(arguments.judging)).await
        }
        Some(CheckSubject::Wire(wire)) => {
            if let Some(target) = arguments.target_given() {
                let text = format!(
                    "`wire` judges recorded sessions, and `{target}` names a server; leave out one of them"
                );
                return Err(Usage(text).into());
            }
            listen_for_signals(FirstSignal::Ends);
            super::wire::run(&wire.with_earlier(arguments.side, arguments.judging))
        }
        Some(CheckSubject::Host(mut host)) => {
            if let Some(target) = arguments.target_given() {
                let text =
                    format!("`host` measures a host, and `{target}` names a server; leave out one of them");
                return Err(Usage(text).into());
            }
            listen_for_signals(FirstSignal::Ends);
            host.judging.add_earlier(arguments.judging);
            super::check_host::run(&host).await
        }
    }
}

async fn check_servers(arguments: CheckArguments) -> anyhow::Result<Exit> {
    let selection = read_selection(&arguments.judging)?;
    listen_for_signals(if arguments.plan { FirstSignal::Ends } else { FirstSignal::Stops });
    adopt_orphans();
    let options = read_options(&arguments, selection)?;
    let places = Places::open(&arguments.judging.output)?;
    let servers = target::read_targets(&arguments).await?;
    if arguments.plan {
        terminal::print(&plan::show(&servers, &options).await?)?;
        return Ok(Exit::Success);
    }
    let record = arguments.record.as_deref().map(|file| RunRecording::create(file, &servers)).transpose()?;
    let run = CheckRun { options, record, listed: ToolsListed::default(), arguments };
    run.measure_and_report(&servers, &places).await
}

/// What a run needs besides its targets.
struct CheckRun {
    options: Options,
    record: Option<RunRecording>,
    listed: ToolsListed,
    arguments: CheckArguments,
}

impl CheckRun {
    async fn measure_and_report(&self, servers: &[ServerUnderTest], places: &Places) -> anyhow::Result<Exit> {
        let mut streams = EventFiles::open(&places.wanted)?;
        let measured = measure_all(self, servers, &places.wanted, &mut streams).await;
        let MeasuredRun { reports, ending, failures } = measured;
        let done = |place: &RequestedReport| match place.format {
            Format::Ndjson => true,
            // The error on stderr is the whole report.
            Format::Human => {
                place.file.is_none() && reports.reports().iter().all(|report| report.cases.is_empty())
            }
            _ => false,
        };
        // An error in one place does not stop the others.
        let written = [
            streams.finish(),
            self.record.as_ref().map_or(Ok(()), RunRecording::finish),
            places.write(&reports, self.arguments.judging.output.detail(), done),
            write_baseline(&self.arguments.judging, reports.reports().iter()),
        ];
        for failure in &failures {
            terminal::warn(&format!("error: {failure}"));
        }
        written.into_iter().collect::<anyhow::Result<()>>()?;
        match ending {
            RunEnding::Interrupted => {
                terminal::warn("interrupted: what did not run is not in the verdict");
                Ok(Exit::Interrupted)
            }
            RunEnding::Complete => {
                self.listed.verify_names(&self.options.calls)?;
                Ok(reports.verdict().into())
            }
        }
    }
}

/// The checks that the user chose; an error names one that does not exist.
pub(super) fn read_selection(given: &JudgingArguments) -> Result<Selection, Usage> {
    let selection = Selection { only: given.only.clone(), skip: given.skip.clone() };
    match selection.unknown() {
        Some(name) => Err(Usage(explain_unknown_check(name))),
        None => Ok(selection),
    }
}

fn read_options(arguments: &CheckArguments, selection: Selection) -> anyhow::Result<Options> {
    let usual = Options::default();
    let protocols: BTreeSet<_> = arguments.judging.protocol.iter().copied().collect();
    Ok(Options {
        protocols: protocols.into_iter().collect(),
        selection,
        limits: Limits { request: arguments.timeout, start: arguments.start_timeout, ..Limits::default() },
        jobs: arguments.jobs.unwrap_or(usual.jobs),
        baseline: read_baseline(&arguments.judging)?,
        calls: read_calls(arguments.allow_calls, &arguments.tool, &arguments.args)?,
        ..usual
    })
}

/// Writes what fell short as a baseline, if the user asked for one.
pub(super) fn write_baseline<'r>(
    given: &JudgingArguments,
    reports: impl Iterator<Item = &'r Report>,
) -> anyhow::Result<()> {
    if let Some(file) = &given.write_baseline {
        let text: String = reports.map(Baseline::write).collect();
        write_whole(file, text.as_bytes())?;
    }
    Ok(())
}

/// The baseline that the user names; empty without one. Warns about the entries that no check here answers.
pub(super) fn read_baseline(given: &JudgingArguments) -> anyhow::Result<Baseline> {
    let Some(file) = &given.baseline else { return Ok(Baseline::default()) };
    let name = file.display();
    let text =
        std::fs::read_to_string(file).map_err(|error| Usage(format!("`{name}` cannot be read: {error}")))?;
    let baseline = Baseline::parse(&text).map_err(|error| Usage(format!("`{name}`, {error}")))?;
    if !baseline.aside.is_empty() {
        let aside = baseline.aside.join(", ");
        terminal::warn(&format!(
            "note: `{name}` has entries that no check here answers, and they were ignored: {aside}"
        ));
    }
    Ok(baseline)
}
