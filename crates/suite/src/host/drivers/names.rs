//! Which names a browser looked up, by its own log of the network. No name server sees them all: names below `localhost` reach none.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use browser::{Browser, LaunchOptions};
use serde_json::{Value, json};

use crate::host::ActFailure;

/// How long the log may take to show a name that was looked up.
const LOG_TIMEOUT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The name whose lookup proves that the log works.
const CONTROL: &str = "control";

/// The log of a browser, in a file that goes with it.
#[derive(Debug)]
pub(super) struct NameLog(PathBuf);

impl NameLog {
    pub(super) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        Self(std::env::temp_dir().join(format!("yardstick-names-{}-{number}.json", std::process::id())))
    }

    /// How to start a browser that writes it.
    pub(super) fn launch_options(&self) -> LaunchOptions {
        let args = vec![format!("--log-net-log={}", self.0.display())];
        LaunchOptions { args, ..LaunchOptions::default() }
    }

    /// The names below `zone` that were looked up. A lookup of our own shows first that the log works.
    pub(super) async fn read_names(&self, browser: &Browser, zone: &str) -> Result<Value, ActFailure> {
        // Nothing listens there: it is the lookup that counts.
        drop(browser.page(&format!("http://{CONTROL}.{zone}:9/")).await);
        let end = Instant::now() + LOG_TIMEOUT;
        while Instant::now() < end {
            let log = std::fs::read(&self.0).unwrap_or_default();
            let mut names = names_below(zone, &String::from_utf8_lossy(&log));
            if names.remove(CONTROL) {
                return Ok(json!(names));
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        Err(ActFailure::Failed("the browser's log of the network shows no names".to_owned()))
    }
}

/// The labels right before `zone` in a text.
fn names_below(zone: &str, text: &str) -> BTreeSet<String> {
    let is_label = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let end = format!(".{zone}");
    let before = text.match_indices(&end).filter_map(|(at, _)| text.get(..at));
    let label = |before: &str| {
        let start = before.trim_end_matches(is_label).len();
        before.get(start..).map(str::to_owned)
    };
    before.filter_map(label).filter(|label| !label.is_empty()).collect()
}

impl Drop for NameLog {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_before_a_zone_are_names() {
        let text =
            r#"{"host":"http://a-1.zone.localhost:80"},"b.zone.localhost" .zone.localhost c.other.localhost"#;
        let names: Vec<_> = names_below("zone.localhost", text).into_iter().collect();
        assert_eq!(names, ["a-1", "b"]);
    }
}
