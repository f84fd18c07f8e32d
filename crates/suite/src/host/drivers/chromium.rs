//! What can be seen of any host whose page is in Chromium: its frames, popups and lookups, and whether it reacts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use browser::{Browser, BrowserError, Page};
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::names::NameLog;
use crate::host::{ActFailure, DriverStep};

/// How long one look into a frame may take.
const LOOK_TIMEOUT: Duration = Duration::from_secs(3);
/// How long a host may take to listen.
const STARTS_WITHIN: Duration = Duration::from_secs(5);
/// How long the page is watched while a View floods it.
const WATCH_TIME: Duration = Duration::from_secs(4);

/// Reads how long the page does not react, once it is started again.
const METER_SCRIPT: &str =
    "void (globalThis.probeGap = 0, globalThis.probeBefore = performance.now(), setInterval(() => {
    globalThis.probeGap = Math.max(globalThis.probeGap, performance.now() - globalThis.probeBefore);
    globalThis.probeBefore = performance.now(); }, 20))";
const IFRAMES_SCRIPT: &str = "[...document.querySelectorAll('iframe')].map((it) => ({ src: it.src.slice(0, 300), \
    sandbox: it.getAttribute('sandbox'), allow: it.getAttribute('allow'), csp: it.getAttribute('csp') }))";

/// Records what frames send to the page. What a script of the page makes up itself does not count.
const HEARING_SCRIPT: &str = "if (globalThis.top === globalThis) {
    const heard = globalThis.yardstickHeard = new Set();
    addEventListener('message', ({ isTrusted, data }) => {
      if (isTrusted && typeof data?.method === 'string' && heard.size < 200) heard.add(data.method);
    }, true);
  }";

/// The browser that shows a host's page, and that page.
#[derive(Debug)]
pub struct Chromium {
    browser: Browser,
    names: NameLog,
    page: Mutex<Option<Page>>,
    /// Whether a page was opened before.
    has_opened: AtomicBool,
}

impl Chromium {
    pub(super) async fn launch() -> Result<Self, BrowserError> {
        let names = NameLog::new();
        let browser = Browser::launch(names.launch_options()).await?;
        Ok(Self { browser, names, page: Mutex::new(None), has_opened: AtomicBool::new(false) })
    }

    /// Opens a new page in place of the one before; `prepare` sees it before it loads `url`.
    pub(super) async fn open(
        &self,
        url: &str,
        prepare: impl AsyncFnOnce(&Page) -> Result<(), BrowserError>,
    ) -> Result<(), ActFailure> {
        let mut shown = self.page.lock().await;
        *shown = None;
        let page = self.browser.blank_page().await.map_err(|why| failed(&why))?;
        page.add_script(HEARING_SCRIPT).await.map_err(|why| failed(&why))?;
        prepare(&page).await.map_err(|why| failed(&why))?;
        let is_first = !self.has_opened.swap(true, Ordering::Relaxed);
        let loaded = if is_first { load_first(&page, url).await } else { page.goto(url).await };
        loaded.map_err(|why| failed(&why))?;
        *shown = Some(page);
        Ok(())
    }

    pub(super) async fn with_page<T>(
        &self,
        act: impl AsyncFnOnce(&Page) -> Result<T, ActFailure>,
    ) -> Result<T, ActFailure> {
        let page = self.page.lock().await;
        act(page.as_ref().ok_or_else(|| ActFailure::Failed("no page is open".to_owned()))?).await
    }

    pub(in crate::host) fn read_view(&self) -> DriverStep<'_, Value> {
        Box::pin(async { self.with_page(async |page| read_view(page).await).await })
    }

    pub(in crate::host) fn read_popups(&self) -> DriverStep<'_, Value> {
        let urls = |page: &Page| json!(page.popups().iter().map(Page::url).collect::<Vec<_>>());
        Box::pin(async move { self.with_page(async |page| Ok(urls(page))).await })
    }

    pub(in crate::host) fn read_names<'a>(&'a self, zone: &'a str) -> DriverStep<'a, Value> {
        Box::pin(self.names.read_names(&self.browser, zone))
    }

    pub(in crate::host) fn read_frames(&self) -> DriverStep<'_, Value> {
        Box::pin(async { self.with_page(async |page| Ok(read_frames(page).await)).await })
    }

    pub(in crate::host) fn read_heard(&self) -> DriverStep<'_, Value> {
        Box::pin(async { self.with_page(async |page| read_heard(page).await).await })
    }

    pub(in crate::host) fn measure_gap(&self) -> DriverStep<'_, Value> {
        Box::pin(async {
            self.with_page(async |page| measure_gap(page).await.map_err(|why| failed(&why))).await
        })
    }
}

/// Loads the first page of a host. One that was just started may not listen yet, and some build their page when it is first asked
/// for, so that it may be slow once.
async fn load_first(page: &Page, url: &str) -> Result<(), BrowserError> {
    let started = Instant::now();
    let mut was_slow = false;
    loop {
        match page.goto(url).await {
            Err(BrowserError::NotLoaded { why, .. })
                if why.contains("ERR_CONNECTION_REFUSED") && started.elapsed() < STARTS_WITHIN =>
            {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            Err(BrowserError::NeverCame { .. }) if !was_slow => was_slow = true,
            loaded => return loaded,
        }
    }
}

/// What went wrong in the browser.
pub(super) fn failed(why: &BrowserError) -> ActFailure {
    ActFailure::Failed(why.to_string())
}

/// Evaluates a script in a frame, within a limit.
async fn eval_in_frame(page: &Page, frame: &str, script: &str) -> Option<Value> {
    let found = page.frame(|it| it.id == frame, Duration::from_millis(50)).await.ok()?;
    tokio::time::timeout(LOOK_TIMEOUT, found.eval(script)).await.ok()?.ok()
}

/// What the View knows: that of the first frame that is one of ours.
async fn read_view(page: &Page) -> Result<Value, ActFailure> {
    for frame in page.frames().iter().rev() {
        let read = eval_in_frame(page, &frame.id, "globalThis.probeState?.() ?? null").await;
        if let Some(state) = read.filter(Value::is_object) {
            return Ok(state);
        }
    }
    Err(ActFailure::Failed("no frame of the page is a probe".to_owned()))
}

/// Every frame: its address, its origin, the frame around it, and the elements of the frames in it.
async fn read_frames(page: &Page) -> Value {
    let mut frames = Vec::new();
    for frame in page.frames() {
        let inner = eval_in_frame(page, &frame.id, IFRAMES_SCRIPT).await.unwrap_or_default();
        let origin = eval_in_frame(page, &frame.id, "globalThis.origin").await.unwrap_or_default();
        let is_probe = eval_in_frame(page, &frame.id, "typeof globalThis.probeState === 'function'").await;
        frames.push(json!({
            "id": frame.id, "parent": frame.parent, "url": frame.url, "origin": origin, "iframes": inner,
            "isProbe": is_probe.unwrap_or_default(),
        }));
    }
    json!(frames)
}

/// The methods of what frames sent to the page.
async fn read_heard(page: &Page) -> Result<Value, ActFailure> {
    page.eval("[...globalThis.yardstickHeard]").await.map_err(|why| failed(&why))
}

/// How long the page did not react, at most, in a while.
async fn measure_gap(page: &Page) -> Result<Value, BrowserError> {
    page.eval(METER_SCRIPT).await?;
    tokio::time::sleep(WATCH_TIME).await;
    page.eval("Math.max(globalThis.probeGap, performance.now() - globalThis.probeBefore)").await
}
