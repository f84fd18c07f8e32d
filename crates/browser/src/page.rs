//! A page or popup.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::context::Context;
use crate::log::{Entry, Event};
use crate::network::{self, Request};
use crate::router::Router;
use crate::{Console, Dialog, Dialogs, Download, Error, Exception, Frame, FrameInfo, Kind, Violation};

/// How long a crash may trail behind the navigation that it breaks off.
const TRAIL: Duration = Duration::from_secs(1);

/// A page or popup. Dropping the page closes it, with its popups and all that its context holds; dropping a popup does not.
#[derive(Debug)]
pub struct Page {
    pub(crate) context: Arc<Context>,
    pub(crate) id: String,
    /// Who forgets the context when the page goes; popups have none.
    router: Option<Arc<Router>>,
}

impl Page {
    pub(crate) const fn owner(context: Arc<Context>, router: Arc<Router>, id: String) -> Self {
        Self { context, id, router: Some(router) }
    }

    /// A page that somebody else closes.
    pub(crate) const fn view(context: Arc<Context>, id: String) -> Self {
        Self { context, id, router: None }
    }

    pub(crate) fn with_id(mut self, id: String) -> Self {
        self.id = id;
        self
    }

    /// Waits until the page is attached to and has been told all that it must know.
    pub(crate) async fn is_ready(&self) -> Result<(), Error> {
        let ready = |it: &&crate::target::Target| it.id == self.id && it.ready;
        let context = &self.context;
        context.when("the page", context.limit, |it| Ok(it.targets.iter().find(ready).map(|_| ()))).await
    }

    /// Its id, which is also that of its main frame.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What its main frame shows.
    pub fn url(&self) -> String {
        self.context.frame(&self.id).map(|it| it.url).unwrap_or_default()
    }

    /// Loads an address and waits until the page and the frames in it have loaded.
    pub async fn goto(&self, url: &str) -> Result<(), Error> {
        let from = self.mark();
        let gone = self.call("Page.navigate", json!({ "url": url })).await?;
        if let Some(why) = gone["errorText"].as_str() {
            let crashed = |it: &Entry| it.page == self.id && matches!(it.event, Event::Crashed);
            // A renderer that dies of an address only breaks the navigation off, at first.
            if why == "net::ERR_ABORTED" && self.context.log.until(from, crashed, TRAIL).await.is_ok() {
                return Err(Error::Crashed { url: url.into() });
            }
            return Err(Error::NotLoaded { url: url.into(), why: why.into() });
        }
        let Some(loader) = gone["loaderId"].as_str() else { return Ok(()) };
        self.loaded(from, url, loader).await
    }

    async fn loaded(&self, from: usize, url: &str, loader: &str) -> Result<(), Error> {
        let over = |it: &Entry| {
            let loaded =
                matches!(&it.event, Event::Lifecycle { name, loader: of } if name == "load" && of == loader);
            let crashed = matches!(it.event, Event::Crashed) && it.frame.as_deref() == Some(&self.id);
            let closed = matches!(it.event, Event::Detached { kind: Kind::Page }) && it.page == self.id;
            loaded || crashed || closed
        };
        match self.context.log.until(from, over, self.context.limit).await {
            Ok(Entry { event: Event::Crashed, .. }) => Err(Error::Crashed { url: url.into() }),
            Ok(Entry { event: Event::Detached { .. }, .. }) => Err(Error::Closed { what: url.into() }),
            Ok(_) => Ok(()),
            Err(Error::NeverCame { after, .. }) => {
                Err(Error::never_came(format!("the end of loading {url}"), after))
            }
            Err(other) => Err(other),
        }
    }

    /// The frame of the page itself.
    pub fn main(&self) -> Frame {
        Frame::new(Arc::clone(&self.context), self.id.clone())
    }

    /// All frames, each before those in it.
    pub fn frames(&self) -> Vec<FrameInfo> {
        self.context.state().frames.tree(&self.id)
    }

    /// The first frame that the test accepts, as soon as there is one.
    pub async fn frame(&self, wanted: impl Fn(&FrameInfo) -> bool, limit: Duration) -> Result<Frame, Error> {
        let find = |frames: Vec<FrameInfo>| frames.into_iter().find(|it| wanted(it)).map(|it| it.id);
        let found = self.context.when("the frame", limit, |it| Ok(find(it.frames.tree(&self.id)))).await;
        let shown = || self.frames().into_iter().map(|it| it.url).collect::<Vec<_>>().join(", ");
        let id = found.map_err(|why| why.but(format!("the frames are {}", shown())))?;
        Ok(Frame::new(Arc::clone(&self.context), id))
    }

    /// The first frame whose address contains a text, as soon as there is one.
    pub async fn frame_at(&self, part: &str, limit: Duration) -> Result<Frame, Error> {
        self.frame(|it| it.url.contains(part), limit).await
    }

    /// Evaluates in the main frame; see [`Frame::eval`].
    pub async fn eval(&self, script: &str) -> Result<Value, Error> {
        self.main().eval(script).await
    }

    /// Waits in the main frame; see [`Frame::wait_for`].
    pub async fn wait_for(&self, script: &str, limit: Duration) -> Result<Value, Error> {
        self.main().wait_for(script, limit).await
    }

    /// Sets how dialogs are answered from now on.
    pub fn answer_dialogs(&self, dialogs: Dialogs) {
        self.context.state().dialogs = dialogs;
    }

    /// The popups that are open, as pages.
    pub fn popups(&self) -> Vec<Self> {
        let state = self.context.state();
        let others = state.pages().filter(|it| it.id != self.id);
        others.map(|it| Self::view(Arc::clone(&self.context), it.id.clone())).collect()
    }

    /// The next popup, or the first that is open already.
    pub async fn popup(&self, limit: Duration) -> Result<Self, Error> {
        let other = |it: &&crate::target::Target| it.id != self.id && it.ready;
        let probe = |it: &crate::context::State| Ok(it.pages().find(other).map(|it| it.id.clone()));
        let id = self.context.when("a popup", limit, probe).await?;
        Ok(Self::view(Arc::clone(&self.context), id))
    }

    /// Closes the page; its context goes with it, unless it is a popup.
    pub async fn close(mut self) -> Result<(), Error> {
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

    pub(crate) async fn call(&self, method: &'static str, params: Value) -> Result<Value, Error> {
        self.context.call(&self.context.session_of(&self.id)?, method, params).await
    }
}

/// What happened so far, in the page and its popups.
impl Page {
    /// Everything, in order.
    pub fn log(&self) -> Vec<Entry> {
        self.context.log.read(0, <[Entry]>::to_vec)
    }

    /// How much has happened so far; a place to look from later.
    pub fn mark(&self) -> usize {
        self.context.log.len()
    }

    /// Everything since a mark, in order.
    pub fn since(&self, mark: usize) -> Vec<Entry> {
        self.context.log.read(mark, <[Entry]>::to_vec)
    }

    /// The first entry that the test accepts: one from before, or as soon as it comes.
    pub async fn until(&self, wanted: impl FnMut(&Entry) -> bool, limit: Duration) -> Result<Entry, Error> {
        self.until_since(0, wanted, limit).await
    }

    /// The first entry after a mark that the test accepts, as soon as there is one.
    pub async fn until_since(
        &self,
        mark: usize,
        wanted: impl FnMut(&Entry) -> bool,
        limit: Duration,
    ) -> Result<Entry, Error> {
        self.context.log.until(mark, wanted, limit).await
    }

    /// The lines on the console of all frames and workers, each with the address of the document.
    pub fn console(&self) -> Vec<(String, Console)> {
        self.pick(|it| {
            let Event::Console(line) = &it.event else { return None };
            Some((it.url.clone(), line.clone()))
        })
    }

    /// The errors that nothing caught, each with the address of the document.
    pub fn exceptions(&self) -> Vec<(String, Exception)> {
        self.pick(|it| {
            let Event::Exception(error) = &it.event else { return None };
            Some((it.url.clone(), error.clone()))
        })
    }

    /// What Content Security Policies forbade.
    pub fn violations(&self) -> Vec<Violation> {
        self.pick(|it| {
            let Event::Violation(violation) = &it.event else { return None };
            Some(violation.clone())
        })
    }

    /// The dialogs that came up.
    pub fn dialogs(&self) -> Vec<Dialog> {
        self.pick(|it| {
            let Event::Dialog(dialog) = &it.event else { return None };
            Some(dialog.clone())
        })
    }

    /// The requests that were made, by all frames and workers.
    pub fn requests(&self) -> Vec<Request> {
        self.context.log.read(0, network::requests)
    }

    /// The downloads.
    pub fn downloads(&self) -> Vec<Download> {
        self.context.all_downloads()
    }

    fn pick<T>(&self, choose: impl Fn(&Entry) -> Option<T>) -> Vec<T> {
        self.context.log.read(0, |entries| entries.iter().filter_map(choose).collect())
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
