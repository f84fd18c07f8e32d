//! The formats of a report, and where each goes.

use std::fs::{self, File};
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::ValueEnum;
use report::Collection;
use report::human::{Detail, Look};

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
    /// The reports in this format.
    pub(crate) fn render(self, collection: &Collection, look: &Look) -> String {
        match self {
            Self::Human => report::human::render_all(collection, look),
            Self::Json => report::json::render_all(collection),
            Self::Ndjson => report::ndjson::render_all(collection),
            Self::Junit => report::junit::render_all(collection),
            Self::Sarif => report::sarif::render_all(collection),
            Self::Markdown => report::markdown::render_all(collection),
            Self::Html => report::html::render_all(collection),
            Self::Mcpjam => report::mcpjam::render_all(collection),
            Self::McpValidator => report::validator::render_all(collection),
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

/// Writes the reports of several targets to all places but those that `done` says have them already.
pub(crate) fn write(
    collection: &Collection,
    wanted: &[Wanted],
    detail: Detail,
    done: impl Fn(&Wanted) -> bool,
) -> anyhow::Result<()> {
    for place in wanted.iter().filter(|place| !done(place)) {
        match &place.file {
            Some(file) => {
                let look = Look { width: None, detail };
                let text = place.format.render(collection, &look);
                let text = anstream::adapter::strip_str(&text).to_string();
                fs::write(file, text).map_err(|error| unwritable(file, &error))?;
            }
            None => print(&place.format.render(collection, &Look { width: width(), detail }), place.format)?,
        }
    }
    Ok(())
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
