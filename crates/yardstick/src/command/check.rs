//! `yardstick check`

use suite::{Options, Report, Selection};
use transport::client::Limits;

use super::plan;
use crate::args::{Check, Format};
use crate::calls;
use crate::exit::{Exit, Usage};
use crate::progress::Progress;
use crate::target::{self, Subject};

pub(crate) async fn run(arguments: Check) -> anyhow::Result<Exit> {
    let selection = Selection { only: arguments.only.clone(), skip: arguments.skip.clone() };
    if let Some(name) = selection.unknown() {
        return Err(Usage(format!("no check `{name}`; `yardstick list` shows them")).into());
    }
    let limits = Limits { request: arguments.timeout, start: arguments.start_timeout, ..Limits::default() };
    let calls = calls::of(&arguments)?;
    let protocols = arguments.protocol.clone();
    let options = Options { protocols, selection, limits, calls, ..Options::default() };
    let subjects = target::of(&arguments).await?;
    if arguments.plan {
        anstream::print!("{}", plan::show(&subjects, &options).await?);
        return Ok(Exit::Success);
    }
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
