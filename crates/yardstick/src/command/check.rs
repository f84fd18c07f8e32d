//! `yardstick check`

use suite::{Options, Report, Selection};
use transport::client::Limits;

use crate::args::{Check, Format};
use crate::exit::{Exit, Usage};
use crate::progress::Progress;
use crate::record::Record;
use crate::target::{self, Subject};

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
    let options = Options { protocols: arguments.protocol.clone(), selection, limits, ..Options::default() };
    let subjects = target::of(&arguments).await?;
    let record = arguments.record.as_deref().map(|file| Record::create(file, &subjects)).transpose()?;
    let mut reports = Vec::new();
    for subject in &subjects {
        let keep = record.as_ref().map(|record| record.keep(&subject.target));
        let options = Options { keep, ..options.clone() };
        reports.push(measure(subject, &options, arguments.format).await?);
    }
    let report = Report::merge(reports);
    show(&report, arguments.format);
    Ok(report.verdict().into())
}

/// Prints a report.
pub(super) fn show(report: &Report, format: Format) {
    match format {
        Format::Human => anstream::print!("{}", report::human::render(report)),
        Format::Json => anstream::print!("{}", report::json::render(report)),
    }
}

async fn measure(subject: &Subject, options: &Options, format: Format) -> anyhow::Result<Report> {
    let mut progress = Progress::new(format == Format::Human);
    let run = suite::run(&subject.target, &subject.arguments, options, |event| progress.event(event)).await;
    progress.clear();
    Ok(run?)
}
