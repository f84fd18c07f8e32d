//! Files that a page sends to the disk.

use std::path::PathBuf;

use serde_json::Value;

use crate::context::Context;
use crate::log::{Entry, Event};

/// A download.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Download {
    /// Where from.
    pub url: String,
    /// The file name that was proposed.
    pub name: String,
    /// The id of the frame that asked for it.
    pub frame: Option<String>,
    /// Where it stands.
    pub progress: Progress,
    /// How much has come.
    pub bytes: u64,
    /// Where the file is; it vanishes with the browser.
    pub path: PathBuf,
}

/// Where a download stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// On its way.
    Running,
    /// Complete.
    Done,
    /// Given up.
    Cancelled,
}

impl Context {
    /// Takes in news of a download.
    pub(crate) fn download(&self, name: &str, params: &Value) {
        let word = |key: &str| params[key].as_str().unwrap_or_default().to_owned();
        let frame = params["frameId"].as_str().and_then(|id| self.frame(id));
        let (id, url) = (word("guid"), frame.as_ref().map(|it| it.url.clone()).unwrap_or_default());
        let event = if name == "Browser.downloadWillBegin" {
            Event::Download { id, url: word("url"), name: word("suggestedFilename") }
        } else {
            let bytes = params["receivedBytes"].as_f64().map_or(0, whole);
            Event::DownloadProgress { id, progress: progress(&word("state")), bytes }
        };
        let (page, frame) = frame.map_or_else(Default::default, |it| (it.page, Some(it.id)));
        self.log.push(page, frame, url, event);
    }

    /// All downloads so far.
    pub(crate) fn all_downloads(&self) -> Vec<Download> {
        self.log.read(0, |entries| fold(entries, &self.downloads))
    }
}

fn fold(entries: &[Entry], folder: &std::path::Path) -> Vec<Download> {
    let mut found: Vec<(&str, Download)> = Vec::new();
    for entry in entries {
        if let Event::Download { id, url, name } = &entry.event {
            let download = Download {
                url: url.clone(),
                name: name.clone(),
                frame: entry.frame.clone(),
                progress: Progress::Running,
                bytes: 0,
                path: folder.join(id),
            };
            found.push((id, download));
        } else if let Event::DownloadProgress { id, progress, bytes } = &entry.event
            && let Some((_, download)) = found.iter_mut().find(|(known, _)| known == id)
        {
            (download.progress, download.bytes) = (*progress, *bytes);
        }
    }
    found.into_iter().map(|(_, download)| download).collect()
}

fn progress(named: &str) -> Progress {
    match named {
        "completed" => Progress::Done,
        "canceled" => Progress::Cancelled,
        _ => Progress::Running,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a count of bytes, sent as a float"
)]
const fn whole(bytes: f64) -> u64 {
    bytes as u64
}
