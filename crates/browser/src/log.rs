//! The ordered log of everything that happens in a page.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::{BrowserError, Console, Dialog, DownloadProgress, Exception, TargetKind, Violation};

/// One event in a page.
#[derive(Clone, Debug)]
pub struct LogEntry {
    /// The time since the start of the page.
    pub at: Duration,
    /// The id of the page or popup.
    pub page: String,
    /// The id of the frame, if there is one.
    pub frame: Option<String>,
    /// The URL of the frame or worker at that time.
    pub url: String,
    /// The event.
    pub event: LogEvent,
}

/// What can happen in a page.
#[derive(Clone, Debug)]
pub enum LogEvent {
    /// The crate attached to a page, out-of-process frame or worker, before any of its code ran.
    Attached {
        /// The kind of target.
        kind: TargetKind,
    },
    /// The target is gone.
    Detached {
        /// The kind of target.
        kind: TargetKind,
    },
    /// A frame was added.
    FrameAdded {
        /// The id of its parent frame.
        parent: Option<String>,
    },
    /// A frame was removed.
    FrameRemoved,
    /// A frame shows another document; the entry has the new URL.
    Navigated {
        /// The id of the page load; the request and the result of a navigation share it.
        loader: String,
    },
    /// A frame reached a stage of loading: `DOMContentLoaded`, `load`, `networkIdle` and others.
    Lifecycle {
        /// The stage as the browser names it.
        name: String,
        /// The id of the page load.
        loader: String,
    },
    /// A line on the console.
    Console(Console),
    /// An uncaught error.
    Exception(Exception),
    /// A line that the browser itself wrote, for example about a failed request.
    Notice {
        /// `error`, `warning`, `info` or `verbose`.
        level: String,
        /// The part of the browser that wrote it: `security`, `network` and others.
        source: String,
        /// The text.
        text: String,
    },
    /// A violation of a content security policy.
    Violation(Violation),
    /// A request was sent.
    Request {
        /// Its id.
        id: String,
        /// The URL.
        url: String,
        /// The method.
        method: String,
        /// The resource type: `Document`, `Fetch`, `Image`, `WebSocket` and others.
        kind: String,
    },
    /// The status and headers of a response arrived.
    Response {
        /// The id of the request.
        id: String,
        /// The status.
        status: u16,
    },
    /// A response is complete.
    RequestDone {
        /// The id of the request.
        id: String,
    },
    /// A request failed or was blocked.
    RequestFailed {
        /// The id of the request.
        id: String,
        /// The reason, for example `net::ERR_CONNECTION_REFUSED` or `csp`.
        why: String,
    },
    /// A page asked for a new window, whether or not it got one.
    WindowAsked {
        /// The URL for the window.
        url: String,
        /// Whether a person had just clicked or typed.
        gesture: bool,
    },
    /// A popup was opened; the entry's page is its id.
    Popup {
        /// The id of the page that opened it, unless the page hid that.
        opener: Option<String>,
    },
    /// A dialog was opened and answered.
    Dialog(Dialog),
    /// A download started.
    Download {
        /// Its id.
        id: String,
        /// The URL.
        url: String,
        /// The suggested file name.
        name: String,
    },
    /// A download progressed or ended.
    DownloadProgress {
        /// Its id.
        id: String,
        /// The state of the download.
        progress: DownloadProgress,
        /// How many bytes have arrived.
        bytes: u64,
    },
    /// A renderer process crashed.
    Crashed,
}

/// The log of one browser context.
#[derive(Debug)]
pub(crate) struct EventLog {
    start: Instant,
    entries: Mutex<Vec<LogEntry>>,
    news: watch::Sender<()>,
    ended: OnceLock<BrowserError>,
}

impl EventLog {
    pub(crate) fn new() -> Self {
        Self {
            start: Instant::now(),
            entries: Mutex::default(),
            news: watch::channel(()).0,
            ended: OnceLock::new(),
        }
    }

    pub(crate) fn push(&self, page: String, frame: Option<String>, url: String, event: LogEvent) {
        self.entries().push(LogEntry { at: self.start.elapsed(), page, frame, url, event });
        self.news.send_replace(());
    }

    /// Ends the log. Everybody who waits for an entry gets the error.
    pub(crate) fn end(&self, why: &BrowserError) {
        let _ = self.ended.set(why.clone());
        self.news.send_replace(());
    }

    /// Wakes those who wait for a change of state that is not an entry.
    pub(crate) fn touch(&self) {
        self.news.send_replace(());
    }

    pub(crate) fn ended(&self) -> Option<&BrowserError> {
        self.ended.get()
    }

    pub(crate) fn news(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }

    pub(crate) fn len(&self) -> usize {
        self.entries().len()
    }

    /// Passes the entries from index `from` on to `view`.
    pub(crate) fn with_entries<T>(&self, from: usize, view: impl FnOnce(&[LogEntry]) -> T) -> T {
        view(self.entries().get(from..).unwrap_or_default())
    }

    /// Waits for the first entry from index `from` on that matches.
    pub(crate) async fn until(
        &self,
        from: usize,
        mut wanted: impl FnMut(&LogEntry) -> bool,
        limit: Duration,
    ) -> Result<LogEntry, BrowserError> {
        let (mut news, end, mut seen) = (self.news(), Instant::now() + limit, from);
        loop {
            let found = self.with_entries(seen, |entries| {
                seen += entries.len();
                entries.iter().find(|entry| wanted(entry)).cloned()
            });
            if let Some(entry) = found {
                return Ok(entry);
            }
            if let Some(why) = self.ended() {
                return Err(why.clone());
            }
            if timeout_at(end, news.changed()).await.is_err() {
                let last =
                    self.with_entries(0, |entries| entries.last().map(|last| format!("{:?}", last.event)));
                let error = BrowserError::timed_out("the event", limit);
                return Err(match last {
                    Some(last) => error.instead(format!("the last one is {last}")),
                    None => error,
                });
            }
        }
    }

    fn entries(&self) -> MutexGuard<'_, Vec<LogEntry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
