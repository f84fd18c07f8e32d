//! `yardstick check app`: apps in a browser, shown by hosts that differ.

use std::fmt::Write as _;

use suite::{AppFailure, AppOptions, HostRow, ROWS, ReferencePictures, Viewing, row_named};

use super::check::{read_baseline, read_selection, write_baseline};
use crate::args::AppArguments;
use crate::calls::read_calls;
use crate::exit::{Exit, Usage};
use crate::fixture::Fixture;
use crate::format::{Format, Places};
use crate::pictures;
use crate::progress::ViewingLine;
use crate::signals::stop_requested;
use crate::suggest::did_you_mean;
use crate::target::{self, read_target};
use crate::{reproduction, terminal};

pub(super) async fn run(arguments: AppArguments) -> anyhow::Result<Exit> {
    if arguments.row.iter().any(|row| row == "list") {
        terminal::print(&list_rows())?;
        return Ok(Exit::Success);
    }
    let mut options = read_options(&arguments)?;
    let target = match &arguments.html {
        Some(html) => {
            let fixture = Fixture::read(arguments.fixture.as_deref())?;
            options.calls.arguments.insert(fixture.tool().to_owned(), fixture.arguments.clone().into());
            fixture.into_target(html)?
        }
        None => {
            let named = read_target(&arguments.target, &arguments.connection, "check app")?;
            named.unwrap_or_else(target::reference).with_secrets(arguments.with_secrets)
        }
    };
    terminal::hide_secrets(&target.secrets());
    let output = &arguments.judging.output;
    let places = Places::open(output)?;
    let human = places.wanted.iter().any(|place| place.format == Format::Human && place.file.is_none());
    let line = ViewingLine::new(human);
    let again = reproduction::app_arguments(&arguments, &target);
    let measured =
        suite::check_apps(&target, &again, &options, |tool, row| line.show(tool, row.name), |_| {});
    let measured = tokio::select! {
        measured = Box::pin(measured) => measured,
        () = stop_requested() => {
            line.clear();
            terminal::warn("interrupted: nothing was judged");
            return Ok(Exit::Interrupted);
        }
    };
    line.clear();
    let (mut report, viewings) = measured.map_err(explain_failure)?;
    if let Some(folder) = &output.output {
        pictures::write_all(folder, &viewings, &mut report)?;
    }
    if let Some(folder) = arguments.screenshots.as_deref().filter(|_| arguments.update_screenshots) {
        let count = pictures::update_references(folder, &viewings)?;
        terminal::warn(&format!("note: {count} reference pictures were written to {}", folder.display()));
    }
    places.write(&report.clone().into(), output.detail(), |_| false)?;
    write_baseline(&arguments.judging, std::iter::once(&report))?;
    explain_calls(&viewings);
    Ok(report.verdict().into())
}

/// Distinguishes a mistake on the command line from a problem of the target.
fn explain_failure(failure: AppFailure) -> anyhow::Error {
    match failure {
        AppFailure::NoSuchApp { .. } => Usage(failure.to_string()).into(),
        AppFailure::Browser(_)
        | AppFailure::Host(_)
        | AppFailure::Server(_)
        | AppFailure::NoList(_)
        | AppFailure::NoApps => failure.into(),
    }
}

fn read_options(arguments: &AppArguments) -> anyhow::Result<AppOptions> {
    let usual = AppOptions::default();
    let judging = &arguments.judging;
    let rows = arguments.row.iter().map(|name| read_row(name)).collect::<Result<Vec<_>, _>>()?;
    Ok(AppOptions {
        rows: if rows.is_empty() { usual.rows } else { rows },
        selection: read_selection(judging)?,
        calls: read_calls(arguments.allow_calls, &arguments.tool, &arguments.args)?,
        baseline: read_baseline(judging)?,
        jobs: arguments.jobs.unwrap_or(usual.jobs),
        references: read_references(arguments)?,
        ..usual
    })
}

/// The reference pictures that were asked for.
fn read_references(arguments: &AppArguments) -> Result<Option<ReferencePictures>, Usage> {
    let Some(folder) = &arguments.screenshots else { return Ok(None) };
    let is_update = arguments.update_screenshots;
    if !is_update && !folder.is_dir() {
        let text = format!("`{}` is not a folder; --update-screenshots makes it", folder.display());
        return Err(Usage(text));
    }
    let files = pictures::read_references(folder)?;
    let tolerance = arguments.tolerance.unwrap_or_default();
    Ok(Some(ReferencePictures { files, tolerance, is_update }))
}

fn read_row(name: &str) -> Result<&'static HostRow, Usage> {
    row_named(name).ok_or_else(|| {
        let near = did_you_mean(name, ROWS.iter().map(|row| row.name));
        let names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
        Usage(format!("no row `{name}`; there are {}{near}", names.join(", ")))
    })
}

/// Every row, one a line.
fn list_rows() -> String {
    let mut text = String::new();
    for row in ROWS {
        let _ = writeln!(text, "{:<12} {}", row.name, row.about);
    }
    text
}

/// Says which tools were not called, and how to have them called.
fn explain_calls(viewings: &[Viewing]) {
    let mut told = Vec::new();
    for viewing in viewings {
        let tool = report::visible(&viewing.tool);
        if let Some(why) = viewing.uncalled {
            told.push(format!(
                "note: `{tool}` was not called: {why}; its app learnt that the call was cancelled. \
                 `--tool {tool} --args JSON` calls it"
            ));
        }
        for name in &viewing.denied {
            let name = report::visible(name);
            told.push(format!(
                "note: the app of `{tool}` wanted to call `{name}`, which does not say that it is read-only; \
                 `--allow-calls all` lets it"
            ));
        }
    }
    told.sort();
    told.dedup();
    for note in told {
        terminal::warn(&note);
    }
}
