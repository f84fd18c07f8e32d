//! A host with its servers for a test, and its pages in a browser.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use browser::{Browser, Frame, Page};
use host::{Host, Options};
use serde_json::{Value, json};
use transport::client::Target;

use crate::http::{self, Answer};

/// Generous, because the machine may be busy; a passing test needs far less.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(20);

/// The longest time in milliseconds that a page may not react: generous for a busy machine, and a fraction of the time
/// without limits.
pub(crate) const MAX_UNRESPONSIVE_MS: f64 = 6_000.0;

/// Measures from now on how long the page does not react.
pub(crate) async fn start_meter(page: &Page) {
    let script = "void (globalThis.gap = 0, clearInterval(globalThis.meter), globalThis.before = performance.now(), \
        globalThis.meter = setInterval(() => { gap = Math.max(gap, performance.now() - before); before = performance.now(); }, 20))";
    page.eval(script).await.unwrap();
}

/// How many milliseconds the page did not react since [`start_meter`], at most. The meter has to run once more to see the
/// end of a gap.
pub(crate) async fn read_meter(page: &Page) -> f64 {
    let gap =
        page.eval("new Promise((done) => setTimeout(() => done(gap), 40))").await.unwrap().as_f64().unwrap();
    println!("  the page did not react for {gap:.0} ms");
    gap
}

/// A running host.
#[derive(Debug)]
pub(crate) struct Rig {
    host: Host,
    pub(crate) port: u16,
    authority: String,
}

impl Rig {
    /// Starts a host, and waits until its servers are connected.
    pub(crate) async fn start(targets: Vec<Target>) -> Self {
        Self::on(0, targets).await
    }

    /// The same on a given port.
    pub(crate) async fn on(port: u16, targets: Vec<Target>) -> Self {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let targets = targets.into_iter().map(Into::into).collect();
        Self::with(Options { address, targets, ..Options::default() }).await
    }

    /// The same with other options.
    pub(crate) async fn with(options: Options) -> Self {
        let host = Host::start(options).await.unwrap();
        host.settled(TIMEOUT).await;
        let authority = host.url().trim_start_matches("http://").trim_end_matches('/').to_owned();
        let port = authority.rsplit(':').next().unwrap().parse().unwrap();
        Self { host, port, authority }
    }

    /// The URL of the page with a query.
    pub(crate) fn link(&self, query: &[(&str, &str)]) -> String {
        let mut url = url::Url::parse(&self.host.url()).unwrap();
        url.query_pairs_mut().extend_pairs(query);
        url.into()
    }

    pub(crate) fn url(&self) -> String {
        self.host.url()
    }

    pub(crate) fn token(&self) -> &str {
        self.host.token()
    }

    /// Sends a request as the page does.
    pub(crate) async fn ask(&self, line: &str, body: &Value) -> Answer {
        let headers = [("host", self.authority.as_str()), ("x-yardstick-token", self.token())];
        let body = if body.is_null() { String::new() } else { body.to_string() };
        http::send(self.port, line, &headers, &body).await
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        self.ask(&format!("GET {path}"), &Value::Null).await.json()
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Value {
        self.ask(&format!("POST {path}"), body).await.json()
    }

    /// Opens a View through the API.
    pub(crate) async fn open(&self, server: &str, tool: &str) -> Value {
        let view = self.post("/api/views", &json!({ "serverId": server, "tool": tool })).await;
        assert!(view["id"].is_string(), "{view}");
        view
    }

    /// Requests the document at a View's URL from the sandbox listener.
    pub(crate) async fn document(&self, url: &Value) -> Answer {
        let url = url::Url::parse(url.as_str().unwrap()).unwrap();
        let port = url.port().unwrap();
        let name = format!("{}:{port}", url.host_str().unwrap());
        http::send(port, &format!("GET {}", url.path()), &[("host", &name)], "").await
    }

    /// The events after number `after`, once they are `enough`.
    pub(crate) async fn events(
        &self,
        after: u64,
        enough: impl FnMut(&[(u64, Value)]) -> bool,
    ) -> Vec<(u64, Value)> {
        let line = format!("GET /api/events?token={}", self.token());
        let after = after.to_string();
        let headers = [("host", self.authority.as_str()), ("last-event-id", after.as_str())];
        http::events(self.port, &line, &headers, enough).await
    }

    /// The timeline entries, once one of them matches.
    pub(crate) async fn timeline(&self, found: impl Fn(&Value) -> bool) -> Vec<Value> {
        let all = self.events(0, |seen| seen.iter().any(|(_, event)| found(&event["entry"]))).await;
        let entries = all.into_iter().map(|(_, mut event)| event["entry"].take());
        entries.filter(Value::is_object).collect()
    }
}

/// Starts a browser; the test fails without one.
pub(crate) async fn browser() -> Browser {
    let options = browser::LaunchOptions::default();
    Browser::launch(options).await.unwrap_or_else(|why| panic!("{why}"))
}

/// Waits until the app in the page has its result.
pub(crate) async fn ready(page: &Page) -> Frame {
    let status =
        page.wait_for("document.querySelector('main[data-app-status=ready]') !== null", TIMEOUT).await;
    if let Err(why) = status {
        panic!("{why}; the page says {:?}, its complaints are {:?}", said(page).await, complaints(page));
    }
    page.frame(is_view, TIMEOUT).await.unwrap()
}

pub(crate) fn is_view(frame: &browser::FrameInfo) -> bool {
    let inner = frame.url.strip_prefix("http://").unwrap_or_default();
    inner.starts_with("view-") || inner.starts_with("domain-")
}

async fn said(page: &Page) -> Value {
    page.eval("document.body.innerText.slice(0, 600)").await.unwrap_or_default()
}

/// The errors and violations that the page and its frames logged.
pub(crate) fn complaints(page: &Page) -> Vec<String> {
    let errors =
        page.console().into_iter().filter(|(_, line)| line.level == "error" || line.level == "assert");
    let errors = errors.map(|(url, line)| format!("{url} wrote {}", line.text));
    let thrown = page.exceptions().into_iter().map(|(url, error)| format!("{url} threw {}", error.message));
    let blocked = page.violations().into_iter();
    let blocked = blocked.map(|it| format!("{} violated {} with {}", it.document, it.directive, it.blocked));
    errors.chain(thrown).chain(blocked).collect()
}
