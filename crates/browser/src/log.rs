//! Everything that happens in a page, in order.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::{Console, Dialog, Error, Exception, Kind, Progress, Violation};

/// One thing that happened.
#[derive(Clone, Debug)]
pub struct Entry {
    /// When, counted from the start of the page.
    pub at: Duration,
    /// The id of the page or popup that it happened in.
    pub page: String,
    /// The id of the frame, where there is one.
    pub frame: Option<String>,
    /// What the frame or worker showed at that time.
    pub url: String,
    /// What happened.
    pub event: Event,
}

/// What can happen in a page.
#[derive(Clone, Debug)]
pub enum Event {
    /// A page, out-of-process frame or worker was attached to, before any of its code ran.
    Attached {
        /// What it is.
        kind: Kind,
    },
    /// It is gone.
    Detached {
        /// What it was.
        kind: Kind,
    },
    /// A frame was added.
    FrameAdded {
        /// The id of the frame that it is in.
        parent: Option<String>,
    },
    /// A frame was removed.
    FrameRemoved,
    /// A frame shows another document; the entry's address is the new one.
    Navigated {
        /// Names the visit: what was asked for and what came of it have the same.
        loader: String,
    },
    /// A frame has come this far: `DOMContentLoaded`, `load`, `networkIdle` and others.
    Lifecycle {
        /// The stage, as the browser names it.
        name: String,
        /// Names the visit.
        loader: String,
    },
    /// A line on the console.
    Console(Console),
    /// An error that nothing caught.
    Exception(Exception),
    /// A line that the browser itself wrote into its log, for example on failed requests.
    Notice {
        /// `error`, `warning`, `info` or `verbose`.
        level: String,
        /// Who speaks: `security`, `network` and others.
        source: String,
        /// What it says.
        text: String,
    },
    /// Something that a Content Security Policy forbids was tried.
    Violation(Violation),
    /// A request was made.
    Request {
        /// Its id.
        id: String,
        /// Where to.
        url: String,
        /// The method.
        method: String,
        /// What for: `Document`, `Fetch`, `Image`, `WebSocket` and others.
        kind: String,
    },
    /// The head of a response came.
    Response {
        /// The id of the request.
        id: String,
        /// The status.
        status: u16,
    },
    /// A response came to its end.
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
    /// A window was asked for, whether one came or not.
    WindowAsked {
        /// What it was to show.
        url: String,
        /// Whether a person had just clicked or typed.
        gesture: bool,
    },
    /// A popup was opened; its id is the entry's page.
    Popup {
        /// The id of the page that opened it, unless that was hidden.
        opener: Option<String>,
    },
    /// A dialog came up and was answered.
    Dialog(Dialog),
    /// A download began.
    Download {
        /// Its id.
        id: String,
        /// Where from.
        url: String,
        /// The file name that was proposed.
        name: String,
    },
    /// A download went on or ended.
    DownloadProgress {
        /// Its id.
        id: String,
        /// Where it stands.
        progress: Progress,
        /// How much has come.
        bytes: u64,
    },
    /// A renderer died.
    Crashed,
}

/// The log of one browser context.
#[derive(Debug)]
pub(crate) struct Log {
    start: Instant,
    entries: Mutex<Vec<Entry>>,
    news: watch::Sender<()>,
    ended: OnceLock<Error>,
}

impl Log {
    pub(crate) fn new() -> Self {
        Self {
            start: Instant::now(),
            entries: Mutex::default(),
            news: watch::channel(()).0,
            ended: OnceLock::new(),
        }
    }

    pub(crate) fn push(&self, page: String, frame: Option<String>, url: String, event: Event) {
        self.entries().push(Entry { at: self.start.elapsed(), page, frame, url, event });
        self.news.send_replace(());
    }

    /// Nothing will come any more; whoever waits is told why.
    pub(crate) fn end(&self, why: &Error) {
        let _ = self.ended.set(why.clone());
        self.news.send_replace(());
    }

    /// Wakes whoever waits for more than entries.
    pub(crate) fn touch(&self) {
        self.news.send_replace(());
    }

    pub(crate) fn ended(&self) -> Option<&Error> {
        self.ended.get()
    }

    pub(crate) fn news(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }

    pub(crate) fn len(&self) -> usize {
        self.entries().len()
    }

    /// A view of all that happened from an entry on.
    pub(crate) fn read<T>(&self, from: usize, view: impl FnOnce(&[Entry]) -> T) -> T {
        view(self.entries().get(from..).unwrap_or_default())
    }

    /// The first entry from one on that the test accepts, as soon as there is one.
    pub(crate) async fn until(
        &self,
        from: usize,
        mut wanted: impl FnMut(&Entry) -> bool,
        limit: Duration,
    ) -> Result<Entry, Error> {
        let (mut news, end, mut seen) = (self.news(), Instant::now() + limit, from);
        loop {
            let found = self.read(seen, |entries| {
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
                let last = self.read(0, |entries| entries.last().map(|last| format!("{:?}", last.event)));
                let error = Error::never_came("the event that was waited for", limit);
                return Err(match last {
                    Some(last) => error.but(format!("the last one is {last}")),
                    None => error,
                });
            }
        }
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
