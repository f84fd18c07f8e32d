//! The formats of a report, and where each goes.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use report::Collection;
use report::human::{Detail, Layout};

use crate::args::OutputArguments;
use crate::exit::Usage;
use crate::files::{FolderLock, unwritable, write_whole};
use crate::suggest::did_you_mean;
use crate::terminal;

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
    /// The results of the public catalogue of host requirements
    HostCatalogue,
}

/// A format, and the file that it goes to; stdout when there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestedReport {
    pub(crate) format: Format,
    pub(crate) file: Option<PathBuf>,
}

/// What is written into a folder.
const FOLDER_FILES: [(Format, &str); 6] = [
    (Format::Json, "report.json"),
    (Format::Ndjson, "report.ndjson"),
    (Format::Junit, "report.junit.xml"),
    (Format::Sarif, "report.sarif"),
    (Format::Markdown, "report.md"),
    (Format::Html, "report.html"),
];

impl Format {
    /// The reports in this format.
    pub(crate) fn render(self, collection: &Collection, look: &Layout) -> String {
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
            Self::HostCatalogue => report::host_catalogue::render_all(collection),
        }
    }
}

/// Reads `FORMAT` or `FORMAT:FILE`.
pub(crate) fn parse(text: &str) -> Result<RequestedReport, String> {
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
    Ok(RequestedReport { format, file })
}

/// Where the reports go. The folder, if there is one, is locked against other runs.
#[derive(Debug)]
pub(crate) struct Places {
    pub(crate) wanted: Vec<RequestedReport>,
    _lock: Option<FolderLock>,
}

impl Places {
    /// Reads what the user asked for, and fails before the run if a place cannot be written to.
    pub(crate) fn open(output: &OutputArguments) -> Result<Self, Usage> {
        let folder = output.output.as_deref();
        let wanted = wanted(&output.format, folder)?;
        Ok(Self { wanted, _lock: folder.map(FolderLock::take).transpose()?.flatten() })
    }

    /// Writes the reports to all places except those that are `done` already. An error in one place does not stop the
    /// others.
    pub(crate) fn write(
        &self,
        collection: &Collection,
        detail: Detail,
        done: impl Fn(&RequestedReport) -> bool,
    ) -> anyhow::Result<()> {
        let places = self.wanted.iter().filter(|place| !done(place));
        let written: Vec<_> = places.map(|place| place.write(collection, detail)).collect();
        written.into_iter().collect()
    }
}

impl RequestedReport {
    fn write(&self, collection: &Collection, detail: Detail) -> anyhow::Result<()> {
        let width = if self.file.is_some() { None } else { width() };
        let text = self.format.render(collection, &Layout { width, detail });
        match (&self.file, self.format) {
            (Some(file), _) => write_whole(file, terminal::strip_styles(&text).as_bytes()),
            // Only the human report has colours of its own; in any other an escape is data, and data stays as it is.
            (None, Format::Human) => terminal::print_styled(&text),
            (None, _) => terminal::print_data(&text),
        }
    }
}

fn wanted(formats: &[RequestedReport], folder: Option<&Path>) -> Result<Vec<RequestedReport>, Usage> {
    let mut wanted = formats.to_vec();
    let on_stdout = wanted.iter().filter(|it| it.file.is_none()).count();
    if on_stdout > 1 {
        let text = "only one format can go to stdout; give the others a file: --format junit:report.xml";
        return Err(Usage(text.to_owned()));
    }
    if on_stdout == 0 {
        wanted.insert(0, RequestedReport { format: Format::Human, file: None });
    }
    if let Some(folder) = folder {
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        wanted.extend(
            FOLDER_FILES.map(|(format, name)| RequestedReport { format, file: Some(folder.join(name)) }),
        );
    }
    for file in wanted.iter().filter_map(|it| it.file.as_deref()) {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        if folder.is_some_and(|folder| !folder.is_dir()) || file.is_dir() {
            return Err(Usage(format!("`{}` is a folder, or its folder does not exist", file.display())));
        }
    }
    Ok(wanted)
}

/// How wide the terminal is, if there is one.
fn width() -> Option<usize> {
    if !terminal::is_stdout_terminal() {
        return None;
    }
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)).filter(|width| *width >= 20)
}
