//! Watches the servers' files and restarts the servers when one changes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::Shared;

/// How often the files are checked.
const POLL_INTERVAL: Duration = Duration::from_millis(300);
/// How many files are watched at most.
const MAX_WATCHED_FILES: usize = 5_000;
/// Folders that are not watched, because nobody edits files there.
const SKIPPED_FOLDERS: [&str; 4] = ["node_modules", "target", "__pycache__", ".git"];

/// Watches the files in the options until `stop` is cancelled.
pub(crate) fn start(shared: &Arc<Shared>, stop: &CancellationToken) {
    if shared.options.watch.is_empty() {
        return;
    }
    let (shared, stop) = (shared.clone(), stop.clone());
    tokio::spawn(async move {
        let mut before = look(shared.options.watch.clone()).await;
        loop {
            tokio::select! {
                () = tokio::time::sleep(POLL_INTERVAL) => {}
                () = stop.cancelled() => return,
            }
            let now = look(shared.options.watch.clone()).await;
            if let Some(path) = changed(&before, &now) {
                let why = format!("{} has changed", path.display());
                shared.servers.restart();
                shared.feed.publish(&json!({ "kind": "reload", "server": null, "why": why }));
            }
            before = now;
        }
    });
}

type Times = HashMap<PathBuf, SystemTime>;

async fn look(paths: Vec<PathBuf>) -> Times {
    let looked = tokio::task::spawn_blocking(move || {
        let mut times = Times::new();
        for path in &paths {
            gather(path, &mut times);
        }
        times
    });
    looked.await.unwrap_or_default()
}

fn gather(path: &Path, times: &mut Times) {
    let Ok(about) = path.metadata() else { return };
    if times.len() >= MAX_WATCHED_FILES {
        return;
    }
    if !about.is_dir() {
        times.extend(about.modified().ok().map(|time| (path.to_owned(), time)));
        return;
    }
    let Ok(entries) = path.read_dir() else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let hidden = name.to_string_lossy().starts_with('.');
        if !hidden && !SKIPPED_FOLDERS.iter().any(|skipped| name == *skipped) {
            gather(&entry.path(), times);
        }
    }
}

/// A file that was created, deleted or written between the two checks.
fn changed<'t>(before: &'t Times, now: &'t Times) -> Option<&'t Path> {
    let touched = now.iter().find(|(path, time)| before.get(*path) != Some(time));
    let gone = || before.keys().find(|path| !now.contains_key(*path));
    touched.map(|(path, _)| path).or_else(gone).map(PathBuf::as_path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_written_new_or_gone_is_a_change() {
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let times = |list: &[(&str, u64)]| -> Times {
            list.iter().map(|(name, seconds)| (PathBuf::from(name), at(*seconds))).collect()
        };
        let before = times(&[("a", 1), ("b", 1)]);
        assert_eq!(changed(&before, &before), None);
        assert_eq!(changed(&before, &times(&[("a", 1), ("b", 2)])), Some(Path::new("b")));
        assert_eq!(changed(&before, &times(&[("a", 1)])), Some(Path::new("b")));
        assert_eq!(changed(&before, &times(&[("a", 1), ("b", 1), ("c", 1)])), Some(Path::new("c")));
    }
}
