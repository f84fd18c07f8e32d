//! Downloads.

use std::path::PathBuf;

use serde_json::Value;

use crate::context::PageContext;
use crate::log::{LogEntry, LogEvent};

/// A download.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Download {
    /// The URL.
    pub url: String,
    /// The suggested file name.
    pub name: String,
    /// The id of the frame that started it.
    pub frame: Option<String>,
    /// The state of the download.
    pub progress: DownloadProgress,
    /// How many bytes have arrived.
    pub bytes: u64,
    /// The path of the file; it is removed with the browser.
    pub path: PathBuf,
}

/// The state of a download.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DownloadProgress {
    /// Not finished yet.
    Running,
    /// Complete.
    Done,
    /// Cancelled.
    Cancelled,
}

impl PageContext {
    /// Handles an event about a download.
    pub(crate) fn download(&self, name: &str, params: &Value) {
        let word = |key: &str| params[key].as_str().unwrap_or_default().to_owned();
        let frame = params["frameId"].as_str().and_then(|id| self.frame(id));
        let (id, url) = (word("guid"), frame.as_ref().map(|it| it.url.clone()).unwrap_or_default());
        let event = if name == "Browser.downloadWillBegin" {
            LogEvent::Download { id, url: word("url"), name: word("suggestedFilename") }
        } else {
            let bytes = params["receivedBytes"].as_f64().map_or(0, whole);
            LogEvent::DownloadProgress { id, progress: progress(&word("state")), bytes }
        };
        let (page, frame) = frame.map_or_else(Default::default, |it| (it.page, Some(it.id)));
        self.log.push(page, frame, url, event);
    }

    /// All downloads so far.
    pub(crate) fn all_downloads(&self) -> Vec<Download> {
        self.log.with_entries(0, |entries| fold(entries, &self.downloads))
    }
}

fn fold(entries: &[LogEntry], folder: &std::path::Path) -> Vec<Download> {
    let mut found: Vec<(&str, Download)> = Vec::new();
    for entry in entries {
        if let LogEvent::Download { id, url, name } = &entry.event {
            let download = Download {
                url: url.clone(),
                name: name.clone(),
                frame: entry.frame.clone(),
                progress: DownloadProgress::Running,
                bytes: 0,
                path: folder.join(id),
            };
            found.push((id, download));
        } else if let LogEvent::DownloadProgress { id, progress, bytes } = &entry.event
            && let Some((_, download)) = found.iter_mut().find(|(known, _)| known == id)
        {
            (download.progress, download.bytes) = (*progress, *bytes);
        }
    }
    found.into_iter().map(|(_, download)| download).collect()
}

fn progress(named: &str) -> DownloadProgress {
    match named {
        "completed" => DownloadProgress::Done,
        "canceled" => DownloadProgress::Cancelled,
        _ => DownloadProgress::Running,
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
