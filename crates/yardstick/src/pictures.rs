//! Pictures of apps on the disk: those of a report, and those that others are compared with.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use suite::{Comparison, Report, ViewedApp, Viewing, picture_place};

use crate::exit::Usage;
use crate::files::{unwritable, write_whole};

/// The folder of the pictures, within the one of the reports.
const PICTURES: &str = "screenshots";
/// The largest reference picture, in bytes.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// How many entries of a folder are read at most.
const MOST_ENTRIES: usize = 10_000;

/// Writes one picture for each app and row, and what differs, and names them in the report.
pub(crate) fn write_all(folder: &Path, viewings: &[Viewing], report: &mut Report) -> anyhow::Result<()> {
    for viewing in viewings {
        let is_it = |app: &&mut ViewedApp| app.subject == viewing.tool && app.row == viewing.row.name;
        let Some(app) = report.viewed.iter_mut().find(is_it) else { continue };
        let write = |kind: &str, picture: &[u8]| {
            let name = format!("{}{kind}", viewing.row.name);
            let place = format!("{PICTURES}/{}", picture_place(&viewing.tool, &name));
            write_picture(&folder.join(&place), picture).map(|()| place)
        };
        if let Some(picture) = &viewing.screenshot {
            app.screenshot = Some(write("", picture)?);
        }
        if let (Some(Comparison::Different { expected, difference }), Some(told)) =
            (&viewing.comparison, &mut app.comparison)
        {
            told.files = Some([write(".expected", expected)?, write(".diff", &difference.picture)?]);
        }
    }
    Ok(())
}

/// Reads the reference pictures in `folder` by their places; none where it does not exist yet.
pub(crate) fn read_references(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, Usage> {
    let mut files = BTreeMap::new();
    for tool in entries(folder)?.iter().filter(|path| path.is_dir()) {
        for file in entries(tool)?.iter().filter(|path| path.extension().is_some_and(|it| it == "png")) {
            let place = file.strip_prefix(folder).unwrap_or(file);
            let parts: Vec<_> = place.iter().map(|part| part.to_string_lossy()).collect();
            files.insert(parts.join("/"), read_picture(file)?);
        }
    }
    Ok(files)
}

/// Writes the pictures that are the new references, and says how many.
pub(crate) fn update_references(folder: &Path, viewings: &[Viewing]) -> anyhow::Result<usize> {
    let mut count = 0;
    for viewing in viewings.iter().filter(|viewing| viewing.comparison == Some(Comparison::Updated)) {
        let Some(picture) = &viewing.screenshot else { continue };
        write_picture(&folder.join(picture_place(&viewing.tool, viewing.row.name)), picture)?;
        count += 1;
    }
    Ok(count)
}

fn write_picture(file: &Path, picture: &[u8]) -> anyhow::Result<()> {
    if let Some(parent) = file.parent() {
        fs::create_dir_all(parent).map_err(|error| unwritable(parent, &error))?;
    }
    write_whole(file, picture)
}

fn read_picture(file: &Path) -> Result<Vec<u8>, Usage> {
    let unreadable = |why: &dyn std::fmt::Display| Usage(format!("cannot read {}: {why}", file.display()));
    let size = fs::metadata(file).map_err(|why| unreadable(&why))?.len();
    if size > MOST_BYTES {
        return Err(unreadable(&format!("{size} bytes are too many for a picture")));
    }
    fs::read(file).map_err(|why| unreadable(&why))
}

/// What is in a folder; nothing where it does not exist.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Usage> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let unreadable = |why: std::io::Error| Usage(format!("cannot read {}: {why}", folder.display()));
    let listed = fs::read_dir(folder).map_err(unreadable)?.take(MOST_ENTRIES);
    listed.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>().map_err(unreadable)
}
