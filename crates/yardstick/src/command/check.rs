//! `yardstick check`

use std::cell::RefCell;
use std::path::Path;

use futures_util::future::join_all;
use suite::{Baseline, Keep, Options, Report, Selection};
use transport::client::Limits;

use super::plan;
use super::serve::told_to_stop;
use crate::args::Check;
use crate::calls;
use crate::exit::{Exit, Usage};
use crate::format::{self, Format, Wanted};
use crate::progress::Progress;
use crate::record::Record;
use crate::stream::Streams;
use crate::target::{self, Subject};
use crate::tools_listed::ToolsListed;

pub(crate) async fn run(arguments: Check) -> anyhow::Result<Exit> {
    let selection = Selection { only: arguments.only.clone(), skip: arguments.skip.clone() };
    if let Some(name) = selection.unknown() {
        return Err(Usage(format!("no check `{name}`; `yardstick list` shows them")).into());
    }
    if arguments.url.as_deref() == Some(super::wire::WORD) {
        return super::wire::run(&arguments, selection);
    }
    if let Some(file) = arguments.files.first() {
        return Err(Usage(format!("one URL at a time; what is `{}`?", file.display())).into());
    }
    let limits = Limits { request: arguments.timeout, start: arguments.start_timeout, ..Limits::default() };
    let baseline = arguments.baseline.as_deref().map(known).transpose()?.unwrap_or_default();
    let calls = calls::of(&arguments)?;
    let protocols = arguments.protocol.clone();
    let silence = Options::default().silence.max(arguments.timeout);
    let options = Options { protocols, selection, limits, silence, baseline, calls, ..Options::default() };
    let wanted = format::wanted(&arguments.output.format, arguments.output.output.as_deref())?;
    let subjects = target::of(&arguments).await?;
    if arguments.plan {
        anstream::print!("{}", plan::show(&subjects, &options).await?);
        return Ok(Exit::Success);
    }
    let record = arguments.record.as_deref().map(|file| Record::create(file, &subjects)).transpose()?;
    let mut streams = Streams::open(&wanted)?;
    let listed = ToolsListed::default();
    let report = measure(&subjects, &options, record.as_ref(), &listed, &wanted, &mut streams).await?;
    format::write(&report, &wanted, arguments.output.detail(), |place| place.format == Format::Ndjson)?;
    streams.end()?;
    keep_baseline(&arguments, &report)?;
    listed.verify_names(&options.calls)?;
    Ok(report.verdict().into())
}

/// All of them at once: each has a server of its own, and a run is mostly waiting.
async fn measure(
    subjects: &[Subject],
    options: &Options,
    record: Option<&Record>,
    listed: &ToolsListed,
    wanted: &[Wanted],
    streams: &mut Streams,
) -> anyhow::Result<Report> {
    let human = wanted.iter().any(|place| place.format == Format::Human && place.file.is_none());
    let seen = RefCell::new((Progress::new(human), streams));
    let runs = subjects.iter().enumerate().map(async |(number, subject)| {
        let (save, listed) = (record.map(|record| record.saver(&subject.target)), listed.clone());
        let keep = Keep::new(move |session| {
            listed.read_session(&session);
            if let Some(save) = &save {
                save(session);
            }
        });
        let options = Options { keep: Some(keep), ..options.clone() };
        suite::run(&subject.target, &subject.arguments, &options, |event| {
            let (progress, streams) = &mut *seen.borrow_mut();
            streams.event(number, event);
            progress.event(event);
        })
        .await
    });
    // Who is dropped ends what it has started; a process that is ended from outside would not.
    let reports = tokio::select! {
        reports = join_all(runs) => Ok(reports),
        _ = told_to_stop() => Err(anyhow::anyhow!("interrupted")),
    };
    seen.borrow().0.clear();
    let reports = reports?;
    Ok(Report::merge(reports.into_iter().collect::<Result<Vec<_>, _>>()?))
}

/// Writes what fell short, if that was asked for.
pub(super) fn keep_baseline(arguments: &Check, report: &Report) -> anyhow::Result<()> {
    if let Some(file) = &arguments.write_baseline {
        let written = std::fs::write(file, Baseline::write(report));
        written.map_err(|error| Usage(format!("`{}` cannot be written: {error}", file.display())))?;
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
        anstream::eprintln!(
            "note: `{name}` names what no check here answers, and it was left aside: {aside}"
        );
    }
    Ok(baseline)
}
