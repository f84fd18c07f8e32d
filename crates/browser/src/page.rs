//! A page or popup.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::context::PageContext;
use crate::log::{LogEntry, LogEvent};
use crate::network::{self, NetworkRequest};
use crate::router::EventRouter;
use crate::{
    BrowserError, Console, Dialog, Dialogs, Download, Exception, Frame, FrameInfo, TargetKind, Violation,
};

/// How long after an aborted navigation the browser may report the crash that caused it.
const CRASH_REPORT_DELAY: Duration = Duration::from_secs(1);

/// A page or popup. Dropping a page closes it with its popups and its context. Dropping a popup closes nothing.
#[derive(Debug)]
pub struct Page {
    pub(crate) context: Arc<PageContext>,
    pub(crate) id: String,
    /// Removes the context when the page is dropped; popups have none.
    router: Option<Arc<EventRouter>>,
}

impl Page {
    pub(crate) const fn owner(context: Arc<PageContext>, router: Arc<EventRouter>, id: String) -> Self {
        Self { context, id, router: Some(router) }
    }

    /// A page that is not closed when this value is dropped.
    pub(crate) const fn view(context: Arc<PageContext>, id: String) -> Self {
        Self { context, id, router: None }
    }

    pub(crate) fn with_id(mut self, id: String) -> Self {
        self.id = id;
        self
    }

    /// Waits until the page is attached and set up.
    pub(crate) async fn is_ready(&self) -> Result<(), BrowserError> {
        let ready = |it: &&crate::target::AttachedTarget| it.id == self.id && it.ready;
        let context = &self.context;
        context.when("the page", context.limit, |it| Ok(it.targets.iter().find(ready).map(|_| ()))).await
    }

    /// The id, which is also the id of its main frame.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The URL of its main frame.
    pub fn url(&self) -> String {
        self.context.frame(&self.id).map(|it| it.url).unwrap_or_default()
    }

    /// Loads a URL and waits until the page and its frames have loaded.
    pub async fn goto(&self, url: &str) -> Result<(), BrowserError> {
        let from = self.mark();
        let gone = self.call("Page.navigate", json!({ "url": url })).await?;
        if let Some(why) = gone["errorText"].as_str() {
            let crashed = |it: &LogEntry| it.page == self.id && matches!(it.event, LogEvent::Crashed);
            // A crash of the renderer first shows only as an aborted navigation.
            if why == "net::ERR_ABORTED"
                && self.context.log.until(from, crashed, CRASH_REPORT_DELAY).await.is_ok()
            {
                return Err(BrowserError::Crashed { url: url.into() });
            }
            return Err(BrowserError::NotLoaded { url: url.into(), why: why.into() });
        }
        let Some(loader) = gone["loaderId"].as_str() else { return Ok(()) };
        self.loaded(from, url, loader).await
    }

    async fn loaded(&self, from: usize, url: &str, loader: &str) -> Result<(), BrowserError> {
        let over = |it: &LogEntry| {
            let loaded = matches!(&it.event, LogEvent::Lifecycle { name, loader: of } if name == "load" && of == loader);
            let crashed = matches!(it.event, LogEvent::Crashed) && it.frame.as_deref() == Some(&self.id);
            let closed =
                matches!(it.event, LogEvent::Detached { kind: TargetKind::Page }) && it.page == self.id;
            loaded || crashed || closed
        };
        match self.context.log.until(from, over, self.context.limit).await {
            Ok(LogEntry { event: LogEvent::Crashed, .. }) => Err(BrowserError::Crashed { url: url.into() }),
            Ok(LogEntry { event: LogEvent::Detached { .. }, .. }) => {
                Err(BrowserError::Closed { what: url.into() })
            }
            Ok(_) => Ok(()),
            Err(BrowserError::NeverCame { after, .. }) => {
                Err(BrowserError::timed_out(format!("the end of loading {url}"), after))
            }
            Err(other) => Err(other),
        }
    }

    /// Runs a script in every document that the page loads from now on, before the scripts of the document. Frames in
    /// other processes do not run it.
    pub async fn add_script(&self, source: &str) -> Result<(), BrowserError> {
        self.call("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source })).await.map(drop)
    }

    /// The same for frames in other processes, in those that appear from now on.
    pub fn add_frame_script(&self, source: &str) {
        self.context.state().frame_scripts.push(source.to_owned());
    }

    /// The main frame.
    pub fn main(&self) -> Frame {
        Frame::new(Arc::clone(&self.context), self.id.clone())
    }

    /// All frames; parents come before their children.
    pub fn frames(&self) -> Vec<FrameInfo> {
        self.context.state().frames.tree(&self.id)
    }

    /// Waits for the first frame that matches.
    pub async fn frame(
        &self,
        wanted: impl Fn(&FrameInfo) -> bool,
        limit: Duration,
    ) -> Result<Frame, BrowserError> {
        let find = |frames: Vec<FrameInfo>| frames.into_iter().find(|it| wanted(it)).map(|it| it.id);
        let found = self.context.when("the frame", limit, |it| Ok(find(it.frames.tree(&self.id)))).await;
        let shown = || self.frames().into_iter().map(|it| it.url).collect::<Vec<_>>().join(", ");
        let id = found.map_err(|why| why.instead(format!("the frames are {}", shown())))?;
        Ok(Frame::new(Arc::clone(&self.context), id))
    }

    /// Waits for the first frame whose URL contains `part`.
    pub async fn frame_at(&self, part: &str, limit: Duration) -> Result<Frame, BrowserError> {
        self.frame(|it| it.url.contains(part), limit).await
    }

    /// Evaluates in the main frame; see [`Frame::eval`].
    pub async fn eval(&self, script: &str) -> Result<Value, BrowserError> {
        self.main().eval(script).await
    }

    /// Waits in the main frame; see [`Frame::wait_for`].
    pub async fn wait_for(&self, script: &str, limit: Duration) -> Result<Value, BrowserError> {
        self.main().wait_for(script, limit).await
    }

    /// Sets how dialogs are answered from now on.
    pub fn answer_dialogs(&self, dialogs: Dialogs) {
        self.context.state().dialogs = dialogs;
    }

    /// The open popups.
    pub fn popups(&self) -> Vec<Self> {
        let state = self.context.state();
        let others = state.pages().filter(|it| it.id != self.id);
        others.map(|it| Self::view(Arc::clone(&self.context), it.id.clone())).collect()
    }

    /// The first open popup; waits for one if there is none.
    pub async fn popup(&self, limit: Duration) -> Result<Self, BrowserError> {
        let other = |it: &&crate::target::AttachedTarget| it.id != self.id && it.ready;
        let probe = |it: &crate::context::ContextState| Ok(it.pages().find(other).map(|it| it.id.clone()));
        let id = self.context.when("a popup", limit, probe).await?;
        Ok(Self::view(Arc::clone(&self.context), id))
    }

    /// Closes the tab as a person does: the page can still run its `beforeunload` and `pagehide` handlers.
    pub async fn close_tab(&self) -> Result<(), BrowserError> {
        self.call("Page.close", json!({})).await.map(drop)
    }

    /// Closes the page, and its context unless it is a popup.
    pub async fn close(mut self) -> Result<(), BrowserError> {
        let context = Arc::clone(&self.context);
        let (method, params) = match self.router.take() {
            Some(router) => {
                router.remove(&context.id);
                ("Target.disposeBrowserContext", json!({ "browserContextId": context.id }))
            }
            None => ("Target.closeTarget", json!({ "targetId": self.id })),
        };
        context.connection.call(None, method, params, context.limit).await.map(drop)
    }

    pub(crate) async fn call(&self, method: &'static str, params: Value) -> Result<Value, BrowserError> {
        self.context.call(&self.context.session_of(&self.id)?, method, params).await
    }
}

/// The log of the page and its popups.
impl Page {
    /// All entries in order.
    pub fn log(&self) -> Vec<LogEntry> {
        self.context.log.with_entries(0, <[LogEntry]>::to_vec)
    }

    /// The current length of the log; pass it to [`Page::since`].
    pub fn mark(&self) -> usize {
        self.context.log.len()
    }

    /// All entries since a mark, in order.
    pub fn since(&self, mark: usize) -> Vec<LogEntry> {
        self.context.log.with_entries(mark, <[LogEntry]>::to_vec)
    }

    /// Waits for the first entry that matches; earlier entries count too.
    pub async fn until(
        &self,
        wanted: impl FnMut(&LogEntry) -> bool,
        limit: Duration,
    ) -> Result<LogEntry, BrowserError> {
        self.until_since(0, wanted, limit).await
    }

    /// Waits for the first entry after a mark that matches.
    pub async fn until_since(
        &self,
        mark: usize,
        wanted: impl FnMut(&LogEntry) -> bool,
        limit: Duration,
    ) -> Result<LogEntry, BrowserError> {
        self.context.log.until(mark, wanted, limit).await
    }

    /// The console lines of all frames and workers, each with the URL of its document.
    pub fn console(&self) -> Vec<(String, Console)> {
        self.pick(|it| {
            let LogEvent::Console(line) = &it.event else { return None };
            Some((it.url.clone(), line.clone()))
        })
    }

    /// The uncaught errors, each with the URL of its document.
    pub fn exceptions(&self) -> Vec<(String, Exception)> {
        self.pick(|it| {
            let LogEvent::Exception(error) = &it.event else { return None };
            Some((it.url.clone(), error.clone()))
        })
    }

    /// The violations of content security policies.
    pub fn violations(&self) -> Vec<Violation> {
        self.pick(|it| {
            let LogEvent::Violation(violation) = &it.event else { return None };
            Some(violation.clone())
        })
    }

    /// The dialogs so far.
    pub fn dialogs(&self) -> Vec<Dialog> {
        self.pick(|it| {
            let LogEvent::Dialog(dialog) = &it.event else { return None };
            Some(dialog.clone())
        })
    }

    /// The requests of all frames and workers.
    pub fn requests(&self) -> Vec<NetworkRequest> {
        self.context.log.with_entries(0, network::requests)
    }

    /// The downloads so far.
    pub fn downloads(&self) -> Vec<Download> {
        self.context.all_downloads()
    }

    fn pick<T>(&self, choose: impl Fn(&LogEntry) -> Option<T>) -> Vec<T> {
        self.context.log.with_entries(0, |entries| entries.iter().filter_map(choose).collect())
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if let Some(router) = self.router.take() {
            router.remove(&self.context.id);
            let params = json!({ "browserContextId": self.context.id });
            drop(self.context.connection.send(None, "Target.disposeBrowserContext", params));
        }
    }
}
