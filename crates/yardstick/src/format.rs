//! The formats of a report, and where each goes.

use std::fs::{self, File};
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::ValueEnum;
use report::human::{Detail, Look};
use suite::Report;

use crate::exit::Usage;
use crate::suggest::did_you_mean;

/// How a report is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Human,
    /// All of it, for machines
    Json,
    /// Events as they happen, one a line
    Ndjson,
    /// Test results, for CI
    Junit,
    /// Findings, for code scanning
    Sarif,
    /// For a pull request
    Markdown,
    /// A page that stands on its own
    Html,
    /// The shape of MCPJam's apps conformance
    Mcpjam,
    /// The shape of mcp-validator's report
    McpValidator,
}

/// A format, and the file that it goes to; stdout when there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) format: Format,
    pub(crate) file: Option<PathBuf>,
}

/// A report, with the name that a configuration gives to its server.
#[derive(Debug)]
pub(crate) struct NamedReport {
    pub(crate) name: Option<String>,
    pub(crate) report: Report,
}

impl From<Report> for NamedReport {
    fn from(report: Report) -> Self {
        Self { name: None, report }
    }
}

/// What is written into a folder.
const FOLDER: [(Format, &str); 6] = [
    (Format::Json, "report.json"),
    (Format::Ndjson, "report.ndjson"),
    (Format::Junit, "report.junit.xml"),
    (Format::Sarif, "report.sarif"),
    (Format::Markdown, "report.md"),
    (Format::Html, "report.html"),
];

impl Format {
    /// The report in this format.
    pub(crate) fn render(self, report: &Report, look: &Look) -> String {
        match self {
            Self::Human => report::human::render_as(report, look),
            Self::Json => report::json::render(report),
            Self::Ndjson => report::ndjson::render(report),
            Self::Junit => report::junit::render(report),
            Self::Sarif => report::sarif::render(report),
            Self::Markdown => report::markdown::render(report),
            Self::Html => report::html::render(report),
            Self::Mcpjam => report::mcpjam::render(report),
            Self::McpValidator => report::validator::render(report),
        }
    }
}

/// Reads `FORMAT` or `FORMAT:FILE`.
pub(crate) fn parse(text: &str) -> Result<Wanted, String> {
    let (name, file) = match text.split_once(':') {
        Some((_, "")) => return Err("a file has to follow the colon".to_owned()),
        Some((name, file)) => (name, Some(PathBuf::from(file))),
        None => (text, None),
    };
    let format = Format::from_str(name, false).map_err(|_| {
        let values = Format::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let names: Vec<_> = values.map(|value| value.get_name().to_owned()).collect();
        let near = did_you_mean(name, names.iter().map(String::as_str));
        format!("no format `{name}`; there are {}{near}", names.join(", "))
    })?;
    Ok(Wanted { format, file })
}

/// Every place that a report goes to. What cannot be written is found out before the run, as far as possible.
pub(crate) fn wanted(formats: &[Wanted], folder: Option<&Path>) -> anyhow::Result<Vec<Wanted>> {
    let mut wanted = formats.to_vec();
    let on_stdout = wanted.iter().filter(|it| it.file.is_none()).count();
    if on_stdout > 1 {
        let text = "only one format can go to stdout; give the others a file: --format junit:report.xml";
        return Err(Usage(text.to_owned()).into());
    }
    if on_stdout == 0 {
        wanted.insert(0, Wanted { format: Format::Human, file: None });
    }
    if let Some(folder) = folder {
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        wanted.extend(FOLDER.map(|(format, name)| Wanted { format, file: Some(folder.join(name)) }));
    }
    for file in wanted.iter().filter_map(|it| it.file.as_deref()) {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        if folder.is_some_and(|folder| !folder.is_dir()) || file.is_dir() {
            return Err(Usage(format!("`{}` is in no folder, or is one itself", file.display())).into());
        }
    }
    Ok(wanted)
}

/// Takes away what an earlier run left in the places that get a report now: a run that does not come to its end must not
/// leave an older report as if it were its own.
pub(crate) fn remove_older(wanted: &[Wanted]) -> Result<(), Usage> {
    let files = wanted.iter().filter_map(|it| it.file.as_deref());
    // Devices and pipes are written to, not replaced.
    for file in files.filter(|file| file.symlink_metadata().is_ok_and(|about| about.is_file())) {
        fs::remove_file(file).map_err(|error| unwritable(file, &error))?;
    }
    Ok(())
}

/// Writes the reports to all places but those that `done` says have them already.
pub(crate) fn write(
    reports: &[NamedReport],
    wanted: &[Wanted],
    detail: Detail,
    done: impl Fn(&Wanted) -> bool,
) -> anyhow::Result<()> {
    for place in wanted.iter().filter(|place| !done(place)) {
        match &place.file {
            Some(file) => {
                for (file, text) in files_of(reports, place.format, file, detail) {
                    fs::write(&file, text).map_err(|error| unwritable(&file, &error))?;
                }
            }
            None => {
                let look = Look { width: width(), detail };
                print(&render_all(reports, place.format, &look), place.format)?;
            }
        }
    }
    Ok(())
}

/// One text for all servers: one report after the other.
fn render_all(reports: &[NamedReport], format: Format, look: &Look) -> String {
    let texts: Vec<_> = reports.iter().map(|it| format.render(&it.report, look)).collect();
    texts.join("\n")
}

/// The files of one format. What a program reads is one document a file, so each of several servers has a file of its own.
fn files_of(reports: &[NamedReport], format: Format, file: &Path, detail: Detail) -> Vec<(PathBuf, String)> {
    let look = Look { width: None, detail };
    let plain = |text: &str| anstream::adapter::strip_str(text).to_string();
    match (format, reports) {
        (Format::Human | Format::Markdown | Format::Ndjson, _) | (_, [_]) => {
            vec![(file.to_owned(), plain(&render_all(reports, format, &look)))]
        }
        _ => {
            let of_server = |it: &NamedReport| {
                (file_of_server(file, it.name.as_deref()), plain(&format.render(&it.report, &look)))
            };
            reports.iter().map(of_server).collect()
        }
    }
}

/// `report.junit.xml` of the server `files` is `report.files.junit.xml`.
fn file_of_server(file: &Path, server: Option<&str>) -> PathBuf {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let server: String = server
        .unwrap_or_default()
        .chars()
        .map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' })
        .collect();
    let (stem, ending) = name.split_once('.').unwrap_or((&name, ""));
    let name =
        if ending.is_empty() { format!("{stem}.{server}") } else { format!("{stem}.{server}.{ending}") };
    file.with_file_name(name)
}

/// Opens a file for a stream of events.
pub(crate) fn create(file: &Path) -> anyhow::Result<File> {
    Ok(File::create(file).map_err(|error| unwritable(file, &error))?)
}

/// Prints text that is not a report.
pub(crate) fn print_text(text: &str) -> anyhow::Result<()> {
    print(text, Format::Ndjson)
}

fn print(text: &str, format: Format) -> anyhow::Result<()> {
    // Only the human report has colours of its own; in any other an escape is data, and data stays as it is.
    let written = match format {
        Format::Human => {
            let mut out = anstream::stdout().lock();
            out.write_all(text.as_bytes()).and_then(|()| out.flush())
        }
        _ => {
            let mut out = std::io::stdout().lock();
            out.write_all(text.as_bytes()).and_then(|()| out.flush())
        }
    };
    match written {
        // Whoever closes the pipe, like `head`, has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("stdout cannot be written to"),
    }
}

/// How wide the terminal is, if there is one.
fn width() -> Option<usize> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)).filter(|width| *width >= 20)
}

fn unwritable(path: &Path, error: &std::io::Error) -> Usage {
    Usage(format!("`{}` cannot be written: {error}", path.display()))
}
