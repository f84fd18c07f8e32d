//! `yardstick check`

use suite::{Options, Report, Selection};
use transport::client::Limits;

use crate::args::{Check, Format};
use crate::exit::{Exit, Usage};
use crate::progress::Progress;
use crate::target::{self, Subject};

pub(crate) async fn run(arguments: Check) -> anyhow::Result<Exit> {
    let selection = Selection { only: arguments.only.clone(), skip: arguments.skip.clone() };
    if let Some(name) = selection.unknown() {
        return Err(Usage(format!("no check `{name}`; `yardstick list` shows them")).into());
    }
    let limits = Limits { request: arguments.timeout, start: arguments.start_timeout, ..Limits::default() };
    let silence = Options::default().silence.max(arguments.timeout);
    let options =
        Options { protocols: arguments.protocol.clone(), selection, limits, silence, ..Options::default() };
    let subjects = target::of(&arguments).await?;
    let mut reports = Vec::new();
    for subject in &subjects {
        reports.push(measure(subject, &options, arguments.format).await?);
    }
    let report = Report::merge(reports);
    match arguments.format {
        Format::Human => anstream::print!("{}", report::human::render(&report)),
        Format::Json => anstream::print!("{}", report::json::render(&report)),
    }
    Ok(report.verdict().into())
}

async fn measure(subject: &Subject, options: &Options, format: Format) -> anyhow::Result<Report> {
    let mut progress = Progress::new(format == Format::Human);
    let run = suite::run(&subject.target, &subject.arguments, options, |event| progress.event(event)).await;
    progress.clear();
    Ok(run?)
}
