//! Shows one app in one row of the matrix, in a page of the test host, and records what happens.

use std::time::Duration;

use browser::{
    Browser, BrowserError, Emulation, Frame, FrameInfo, LogEvent, NetworkRequest, Page, Rect, Scheme, Shot,
};
use host::Host;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};
use url::Url;
use wire::recording::RecordedSession;

use super::rows::{HostRow, RowAction};
use super::viewing::{ConsoleLine, DocumentFacts, Viewing};

const DRIVER: &str = include_str!("web/driver.js");
const FACTS: &str = include_str!("web/facts.js");
const STILL: &str = include_str!("web/still.js");
const CLOCK: &str = include_str!("web/clock.js");
const PRESS: &str = include_str!("web/press.js");

/// How long the handshake of a View may take once its document has loaded.
pub(crate) const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// How long its document may take to load, on a machine that is busy.
const LOAD_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a tool may take.
const CALL_TIMEOUT: Duration = Duration::from_secs(15);
/// A View that neither says nor loads anything for so long has settled.
const QUIET_PERIOD: Duration = Duration::from_millis(350);
/// The fewest polls, so that a slow machine does not look like a quiet View.
const MIN_POLLS: usize = 6;
/// How long a View may take to deal with what was posted to it before.
const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest wait for that.
const QUIET_TIMEOUT: Duration = Duration::from_secs(4);
/// How long a View may take to close, with the time that the page gives it.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// How long one viewing may take in all.
const VIEWING_TIMEOUT: Duration = Duration::from_secs(150);
/// How long the last messages may take from the page to the host.
const RECORD_TIMEOUT: Duration = Duration::from_secs(2);
/// How many pictures are taken at most until two are the same.
const MAX_PICTURES: usize = 8;
const POLL_INTERVAL: Duration = Duration::from_millis(40);

/// A tool whose app is shown.
#[derive(Clone, Debug)]
pub(crate) struct ShownTool {
    pub(crate) name: String,
    pub(crate) arguments: Value,
    /// Why it is not called, if it is not. Its app then learns that the call was cancelled.
    pub(crate) uncalled: Option<&'static str>,
}

/// A host and a browser that shows its page.
#[derive(Debug)]
pub(crate) struct AppStage {
    pub(crate) host: Host,
    pub(crate) browser: Browser,
    /// The tools that apps may call.
    pub(crate) callable: Vec<String>,
    /// Whether the pictures are compared with others: the time of day stands still then.
    pub(crate) is_compared: bool,
}

/// What is known of a View before it is closed.
#[derive(Default)]
struct ViewState {
    facts: Option<DocumentFacts>,
    screenshot: Option<Vec<u8>>,
    /// Why one of the actions failed.
    trouble: Option<String>,
}

impl AppStage {
    /// Shows the app of `tool` in `row`. What goes wrong is in the record.
    pub(crate) async fn show(&self, tool: &ShownTool, row: &'static HostRow) -> Viewing {
        match timeout(VIEWING_TIMEOUT, self.view(tool, row)).await {
            Ok(Ok(viewing)) => viewing,
            Ok(Err(why)) => Viewing::failed(&tool.name, row, format!("the browser failed: {why}")),
            Err(_) => {
                let why = format!("it was not over after {} s", VIEWING_TIMEOUT.as_secs());
                Viewing::failed(&tool.name, row, why)
            }
        }
    }

    async fn view(&self, tool: &ShownTool, row: &'static HostRow) -> Result<Viewing, BrowserError> {
        let page = self.open(tool, row).await?;
        let initialized = wait_for_handshake(&page).await?;
        let seen = if initialized {
            wait(&page, "ended", CALL_TIMEOUT).await?;
            self.run_actions(&page, row).await?
        } else {
            self.read_state(&page).await
        };
        let driver = page.eval("({ ...yardstickDriver, post: undefined, intrude: undefined })").await?;
        let refused = driver["refused"].as_str();
        let trouble = refused.map(|why| format!("its document could not be opened: {why}"));
        let mut viewing = Viewing {
            trouble: trouble.or(seen.trouble),
            facts: seen.facts,
            screenshot: seen.screenshot,
            view: driver["view"].clone(),
            uncalled: tool.uncalled,
            denied: texts(&driver["denied"]),
            ..Viewing::failed(&tool.name, row, "")
        };
        let messages = driver["messages"].as_u64().unwrap_or_default();
        if let Some(session) =
            self.read_messages(driver["view"]["id"].as_str().unwrap_or_default(), messages).await
        {
            viewing.add_messages(session);
        }
        viewing.read_log(&page);
        page.close().await?;
        Ok(viewing)
    }

    /// Opens the page of the host as the row has it.
    async fn open(&self, tool: &ShownTool, row: &HostRow) -> Result<Page, BrowserError> {
        let page = self.browser.blank_page().await?;
        page.set_viewport(row.window.0, row.window.1, 1.0).await?;
        let emulation = Emulation {
            scheme: Some(row.scheme),
            reduced_motion: Some(true),
            touch: Some(row.touch),
            offline: row.offline.then_some(true),
            ..Emulation::default()
        };
        page.emulate(emulation).await?;
        let settings = json!({ "called": tool.uncalled.is_none(), "allowed": self.callable });
        let script = DRIVER.replacen("SETTINGS;", &format!("{settings};"), 1);
        page.add_script(&script.replacen("ROW;", &format!("({});", row.script), 1)).await?;
        if self.is_compared {
            page.add_frame_script(CLOCK);
        }
        page.goto(&self.link(tool, row)).await?;
        Ok(page)
    }

    /// The address of the page that runs `tool` in `row`.
    fn link(&self, tool: &ShownTool, row: &HostRow) -> String {
        let Ok(mut url) = Url::parse(&self.host.url()) else { return self.host.url() };
        let arguments = tool.arguments.to_string();
        url.query_pairs_mut()
            .extend_pairs([("tool", tool.name.as_str()), ("args", &arguments), ("run", "1")])
            .extend_pairs([("profile", row.profile), ("locale", "en-US"), ("timeZone", "UTC")])
            .extend_pairs(row.link);
        url.into()
    }

    /// Runs the actions of the row, and reads the state of the View before it is closed.
    async fn run_actions(&self, page: &Page, row: &HostRow) -> Result<ViewState, BrowserError> {
        wait_until_quiet(page).await?;
        let mut seen = None;
        for action in row.after_result {
            if matches!(action, RowAction::TearDown) {
                seen = Some(self.read_state(page).await);
            }
            if let Err(why) = self.perform(page, *action).await {
                let mut seen = seen.unwrap_or_default();
                seen.trouble = Some(format!("the host could not go on: {why}"));
                return Ok(seen);
            }
            wait_until_quiet(page).await?;
        }
        match seen {
            Some(seen) => Ok(seen),
            None => Ok(self.read_state(page).await),
        }
    }

    async fn perform(&self, page: &Page, action: RowAction) -> Result<(), BrowserError> {
        match action {
            RowAction::Dark => {
                page.emulate(Emulation { scheme: Some(Scheme::Dark), ..Emulation::default() }).await
            }
            RowAction::Resize(width, height) => page.set_viewport(width, height, 1.0).await,
            RowAction::Script(script) => page.eval(&format!("{{ {script} }}; 1")).await.map(drop),
            RowAction::Press => {
                let frame = page.frame(is_view, Duration::from_secs(1)).await?;
                frame.eval(PRESS).await.map(drop)
            }
            RowAction::TearDown => {
                page.eval("document.querySelector('.toolbar [aria-label=Close]').click()").await?;
                let gone = "document.querySelector('main').dataset.appStatus === 'idle'";
                page.wait_for(gone, CLOSE_TIMEOUT).await.map(drop)
            }
        }
    }

    /// The document and the picture of the View, as far as they can be had.
    async fn read_state(&self, page: &Page) -> ViewState {
        let mut seen = ViewState::default();
        if let Ok(frame) = page.frame(is_view, Duration::from_millis(500)).await {
            seen.facts = read_facts(&frame).await;
            let _ = timeout(CATCH_UP_TIMEOUT, frame.eval(STILL)).await;
        }
        seen.screenshot = match self.is_compared {
            true => steady_picture(page).await,
            false => picture(page).await,
        }
        .ok()
        .flatten();
        seen
    }

    /// The messages of a View, once the page has reported all of them.
    async fn read_messages(&self, view: &str, messages: u64) -> Option<RecordedSession> {
        let end = Instant::now() + RECORD_TIMEOUT;
        loop {
            let session = self.host.session_of_view(view);
            let known = session.as_ref().map_or(0, |session| session.transcript.messages().count());
            if u64::try_from(known).is_ok_and(|known| known >= messages) || Instant::now() > end {
                return session;
            }
            sleep(POLL_INTERVAL).await;
        }
    }
}

impl Viewing {
    /// Takes over the recorded messages.
    fn add_messages(&mut self, session: RecordedSession) {
        self.transcript = session.transcript;
        let start = self.transcript.entries.first().map(|entry| entry.at).unwrap_or_default();
        for entry in &mut self.transcript.entries {
            entry.at = entry.at.saturating_sub(start);
        }
        let initialized =
            self.sent_with_method("ui/notifications/initialized").next().map(|(entry, _)| entry.at);
        self.initialized = initialized;
    }

    /// Takes over what the browser noticed in the View's frame.
    fn read_log(&mut self, page: &Page) {
        for entry in page.log().into_iter().filter(|entry| is_of_sandbox(&entry.url)) {
            let is_own = is_of_view(&entry.url);
            match entry.event {
                // The browser does not tell which of the two documents it writes about.
                LogEvent::Notice { level, source, text } => {
                    self.notices.push(format!("{level} ({source}): {text}"));
                }
                _ if !is_own => {}
                LogEvent::Console(line) => {
                    self.console.push(ConsoleLine { level: line.level, text: line.text });
                }
                LogEvent::Exception(error) => self.exceptions.push(error.message),
                LogEvent::Crashed => self.trouble = Some("its process crashed".to_owned()),
                _ => {}
            }
        }
        self.violations = page.violations().into_iter().filter(|it| is_of_view(&it.document)).collect();
        let own = |request: &NetworkRequest| {
            request.url.starts_with("data:") || request.url.starts_with("blob:") || is_of_view(&request.url)
        };
        let of_view = page.requests().into_iter().filter(|request| is_of_view(&request.document));
        self.requests = of_view.filter(|request| !own(request)).collect();
    }
}

/// Waits until the driver has seen something. False when it has not within `limit`.
async fn wait(page: &Page, what: &str, limit: Duration) -> Result<bool, BrowserError> {
    let script = format!("yardstickDriver.{what} || yardstickDriver.refused !== null");
    match page.wait_for(&script, limit).await {
        Ok(_) => Ok(page.eval(&format!("yardstickDriver.{what}")).await? == true),
        Err(BrowserError::NeverCame { .. }) => Ok(false),
        Err(why) => Err(why),
    }
}

/// Waits for the end of the handshake. The time counts from the loading of the View's document.
async fn wait_for_handshake(page: &Page) -> Result<bool, BrowserError> {
    let (end, mut loaded, mut mark) = (Instant::now() + LOAD_TIMEOUT, None, 0);
    loop {
        let driver = page.eval("[yardstickDriver.initialized, yardstickDriver.refused !== null]").await?;
        if driver[0] == true || driver[1] == true {
            return Ok(driver[0] == true);
        }
        let news = page.since(mark);
        mark += news.len();
        let is_load = |event: &LogEvent| matches!(event, LogEvent::Lifecycle { name, .. } if name == "load");
        if news.iter().any(|entry| is_of_view(&entry.url) && is_load(&entry.event)) {
            loaded.get_or_insert_with(Instant::now);
        }
        if loaded.is_some_and(|at| at.elapsed() >= HANDSHAKE_TIMEOUT) || Instant::now() >= end {
            return Ok(false);
        }
        sleep(POLL_INTERVAL).await;
    }
}

/// Waits until nothing happens any more.
async fn wait_until_quiet(page: &Page) -> Result<(), BrowserError> {
    if let Ok(frame) = page.frame(is_view, Duration::from_millis(100)).await {
        // What was posted before comes first in its queue.
        let _ = timeout(CATCH_UP_TIMEOUT, frame.eval("new Promise((done) => setTimeout(done, 30))")).await;
    }
    let (end, mut last, mut since, mut polls) = (Instant::now() + QUIET_TIMEOUT, None, Instant::now(), 0);
    while Instant::now() < end || polls < MIN_POLLS {
        let now = (page.mark(), page.eval("yardstickDriver.messages").await?.as_u64());
        polls += 1;
        if last != Some(now) {
            (last, since) = (Some(now), Instant::now());
            polls = if Instant::now() < end { 0 } else { polls };
        } else if since.elapsed() >= QUIET_PERIOD && polls >= MIN_POLLS {
            break;
        }
        sleep(POLL_INTERVAL).await;
    }
    Ok(())
}

async fn read_facts(frame: &Frame) -> Option<DocumentFacts> {
    let read = timeout(Duration::from_secs(5), frame.eval(FACTS)).await.ok()?.ok()?;
    serde_json::from_value(read).ok()
}

/// A picture that is the same twice in a row, or else the last one.
async fn steady_picture(page: &Page) -> Result<Option<Vec<u8>>, BrowserError> {
    let mut last = picture(page).await?;
    for _ in 1..MAX_PICTURES {
        sleep(POLL_INTERVAL).await;
        let next = picture(page).await?;
        if next == last {
            break;
        }
        last = next;
    }
    Ok(last)
}

/// The part of the app that is in the window.
async fn picture(page: &Page) -> Result<Option<Vec<u8>>, BrowserError> {
    let place = "(() => { const box = document.querySelector('.app-slot').getBoundingClientRect();
        const [left, top] = [Math.max(0, box.left), Math.max(0, box.top)];
        return [left, top, Math.min(innerWidth, box.right) - left, Math.min(innerHeight, box.bottom) - top]; })()";
    let sides: Vec<f64> =
        page.eval(place).await?.as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    match sides[..] {
        [x, y, width, height] if width >= 1.0 && height >= 1.0 => {
            page.screenshot(Shot::Clip(Rect { x, y, width, height })).await.map(Some)
        }
        _ => Ok(None),
    }
}

fn is_view(frame: &FrameInfo) -> bool {
    is_of_view(&frame.url)
}

/// Whether an address is one of a View's own document; the proxy has another name before it.
fn is_of_view(url: &str) -> bool {
    let address = url.strip_prefix("blob:").unwrap_or(url).strip_prefix("http://").unwrap_or_default();
    address.starts_with("view-") || address.starts_with("domain-")
}

/// Whether an address is one of a View or of the proxy around it.
fn is_of_sandbox(url: &str) -> bool {
    is_of_view(url) || url.starts_with("http://proxy-")
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
