//! `yardstick report`

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use report::Collection;

use crate::args;
use crate::exit::{Exit, Usage};
use crate::format::Places;

pub(crate) fn run(arguments: &args::ReportArguments) -> anyhow::Result<Exit> {
    let output = &arguments.output;
    let places = Places::open(output)?;
    let mut reports = Vec::new();
    for file in &arguments.from {
        let name = file.display();
        let bytes = bytes(file).map_err(|error| Usage(format!("`{name}` cannot be read: {error}")))?;
        let text = String::from_utf8(bytes).map_err(|_| Usage(format!("`{name}` is not text in UTF-8")))?;
        let read = report::parse_saved(&text).map_err(|error| Usage(format!("`{name}`: {error}")))?;
        reports.extend(read.into_reports());
    }
    let collection = Collection::new(reports);
    places.write(&collection, output.detail(), |_| false)?;
    Ok(collection.verdict().into())
}

/// What is in the file; `-` is stdin.
fn bytes(file: &Path) -> io::Result<Vec<u8>> {
    if file == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    fs::read(file)
}
