//! `yardstick check`

mod interrupted;
mod measure;

use std::collections::BTreeSet;
use std::path::Path;

use suite::{Baseline, Options, Report, Selection};
use transport::client::{Limits, adopt_orphans};

use self::measure::{Ending, Outcome, measure_all};
use super::plan;
use crate::args::Check;
use crate::calls;
use crate::exit::{Exit, Usage};
use crate::files::write_whole;
use crate::format::{Format, Places, Wanted};
use crate::record::Record;
use crate::signals::{First, listen};
use crate::stream::Streams;
use crate::suggest::explain_unknown_check;
use crate::target::{self, MeasuredServer};
use crate::terminal;
use crate::tools_listed::ToolsListed;

pub(crate) async fn run(arguments: Check) -> anyhow::Result<Exit> {
    let selection = Selection { only: arguments.only.clone(), skip: arguments.skip.clone() };
    if let Some(name) = selection.unknown() {
        return Err(Usage(explain_unknown_check(name)).into());
    }
    let is_recording = arguments.url.as_deref() == Some(super::wire::WORD);
    listen(if is_recording || arguments.plan { First::Ends } else { First::Asks });
    if is_recording {
        return super::wire::run(&arguments, selection);
    }
    if let Some(file) = arguments.files.first() {
        return Err(Usage(format!("one URL at a time; what is `{}`?", file.display())).into());
    }
    adopt_orphans();
    let options = read_options(&arguments, selection)?;
    let places = Places::open(&arguments.output)?;
    let servers = target::read_targets(&arguments).await?;
    if arguments.plan {
        terminal::print(&plan::show(&servers, &options).await?)?;
        return Ok(Exit::Success);
    }
    let record = arguments.record.as_deref().map(|file| Record::create(file, &servers)).transpose()?;
    let run = Run { options, record, listed: ToolsListed::default(), arguments };
    run.measure_and_report(&servers, &places).await
}

/// What a run needs besides its targets.
struct Run {
    options: Options,
    record: Option<Record>,
    listed: ToolsListed,
    arguments: Check,
}

impl Run {
    async fn measure_and_report(&self, servers: &[MeasuredServer], places: &Places) -> anyhow::Result<Exit> {
        let mut streams = Streams::open(&places.wanted)?;
        let measured = measure_all(self, servers, &places.wanted, &mut streams).await;
        let Outcome { reports, ending, failures } = measured;
        let done = |place: &Wanted| match place.format {
            Format::Ndjson => true,
            // The error on stderr says it all.
            Format::Human => {
                place.file.is_none() && reports.reports().iter().all(|report| report.cases.is_empty())
            }
            _ => false,
        };
        // What cannot be written in one place is written in the others all the same.
        let written = [
            streams.finish(),
            self.record.as_ref().map_or(Ok(()), Record::finish),
            places.write(&reports, self.arguments.output.detail(), done),
            keep_baseline(&self.arguments, reports.reports().iter()),
        ];
        for failure in &failures {
            terminal::warn(&format!("error: {failure}"));
        }
        written.into_iter().collect::<anyhow::Result<()>>()?;
        match ending {
            Ending::Interrupted => {
                terminal::warn("interrupted: what did not run is not in the verdict");
                Ok(Exit::Interrupted)
            }
            Ending::Complete => {
                self.listed.verify_names(&self.options.calls)?;
                Ok(reports.verdict().into())
            }
        }
    }
}

fn read_options(arguments: &Check, selection: Selection) -> anyhow::Result<Options> {
    let usual = Options::default();
    let protocols: BTreeSet<_> = arguments.protocol.iter().copied().collect();
    Ok(Options {
        protocols: protocols.into_iter().collect(),
        selection,
        limits: Limits { request: arguments.timeout, start: arguments.start_timeout, ..Limits::default() },
        jobs: arguments.jobs.unwrap_or(usual.jobs),
        baseline: arguments.baseline.as_deref().map(known).transpose()?.unwrap_or_default(),
        calls: calls::of(arguments)?,
        ..usual
    })
}

/// Writes what fell short, if that was asked for.
pub(super) fn keep_baseline<'r>(
    arguments: &Check,
    reports: impl Iterator<Item = &'r Report>,
) -> anyhow::Result<()> {
    if let Some(file) = &arguments.write_baseline {
        let text: String = reports.map(Baseline::write).collect();
        write_whole(file, text.as_bytes())?;
    }
    Ok(())
}

/// The baseline in `file`, with a word about what in it is not understood.
pub(super) fn known(file: &Path) -> anyhow::Result<Baseline> {
    let name = file.display();
    let text =
        std::fs::read_to_string(file).map_err(|error| Usage(format!("`{name}` cannot be read: {error}")))?;
    let baseline = Baseline::parse(&text).map_err(|error| Usage(format!("`{name}`, {error}")))?;
    if !baseline.aside.is_empty() {
        let aside = baseline.aside.join(", ");
        terminal::warn(&format!(
            "note: `{name}` names what no check here answers, and it was left aside: {aside}"
        ));
    }
    Ok(baseline)
}
