//! Our own host, in Chromium.

use std::sync::Arc;
use std::time::Duration;

use browser::{BrowserError, Page};
use host::{FaultHooks, Host, HostedServer, Options};
use serde_json::Value;
use transport::client::{Endpoint, Target};

use super::chromium::{Chromium, failed};
use crate::host::faults::HostFault;
use crate::host::{ActFailure, DriverStep, HostDriver, ProbeStage};

/// How long something in the page may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// A card that accepts clicks.
const CARD: &str = "document.querySelector('.question:not(.settling)') !== null";
const ALLOW: &str = ".question button[type=submit]";
/// The time between the clicks of a double click.
const DOUBLE_CLICK_GAP: Duration = Duration::from_millis(150);
const CONVERSATION: &str = "[...document.querySelectorAll('#panel-model section:last-of-type > div')].map((it) => ({ \
    role: it.querySelector('b')?.textContent, text: it.querySelector('blockquote')?.textContent }))";
const CONTEXT: &str = "document.querySelector('#panel-model section')?.textContent ?? ''";
const TOOLS: &str =
    "[...document.querySelectorAll('#tool-select option')].map((it) => it.dataset.tool).filter(Boolean)";
const SWITCH_THEME: &str = "(() => { const dark = getComputedStyle(document.documentElement).colorScheme.startsWith('dark'); \
    document.querySelector(`[aria-label=Theme] [data-value=${dark ? 'light' : 'dark'}]`).click(); })()";

/// Our own host and the browser that shows its page.
#[derive(Debug)]
pub struct OwnHost {
    host: Host,
    chromium: Chromium,
    fault: Option<&'static HostFault>,
}

impl OwnHost {
    /// Starts a host with the servers of `stage`, and a browser. With a fault the host is broken on purpose.
    pub async fn start(stage: &ProbeStage, fault: Option<&'static HostFault>) -> Result<Self, String> {
        let target = |url: &str| Endpoint::new(url).map(Target::Url).map_err(|why| why.to_string());
        let targets = vec![target(&stage.url())?, target(&stage.other_url())?];
        Self::connect(targets, fault).await
    }

    /// The same with other servers, the first of which has the Views.
    pub async fn connect(targets: Vec<Target>, fault: Option<&'static HostFault>) -> Result<Self, String> {
        let fault_hooks: Option<Arc<dyn FaultHooks>> =
            fault.and_then(|fault| fault.fault_hooks.map(|make| make()));
        let targets = targets.into_iter().map(HostedServer::from).collect();
        let options = Options { targets, fault_hooks, ..Options::default() };
        let (host, chromium) = tokio::join!(Host::start(options), Chromium::launch());
        let host = host.map_err(|why| why.to_string())?;
        let chromium = chromium.map_err(|why| why.to_string())?;
        host.settled(TIMEOUT).await;
        Ok(Self { host, chromium, fault })
    }

    /// Ends the connections to the servers.
    pub async fn shut_down(&self) {
        self.host.shut_down().await;
    }

    /// The address that shows a tool.
    fn link(&self, tool: &str, arguments: &Value, streamed: bool) -> String {
        let query = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs([
                ("server", "0"),
                ("tool", tool),
                ("args", &arguments.to_string()),
                ("run", "1"),
                ("stream", if streamed { "1" } else { "0" }),
            ])
            .finish();
        format!("{}?{query}", self.host.url())
    }

    async fn open(&self, tool: &str, arguments: &Value, streamed: bool) -> Result<(), ActFailure> {
        let link = self.link(tool, arguments, streamed);
        self.chromium.open(&link, async |page| self.break_page(page).await).await
    }

    async fn break_page(&self, page: &Page) -> Result<(), BrowserError> {
        if let Some(fault) = self.fault {
            page.add_script(fault.page).await?;
            page.add_frame_script(fault.frames);
        }
        Ok(())
    }

    /// Evaluates a script in the page, once `ready` holds there.
    async fn eval(&self, ready: &str, script: &str) -> Result<Value, ActFailure> {
        self.chromium
            .with_page(async |page| {
                page.wait_for(ready, TIMEOUT).await.map_err(|why| failed(&why))?;
                page.eval(script).await.map_err(|why| failed(&why))
            })
            .await
    }

    /// Opens the Model tab and reads something in it. The tab is drawn once in a frame, so a frame has to pass.
    async fn read_model_tab(&self, script: &str) -> Result<Value, ActFailure> {
        let open = "document.querySelector('#tab-model').click()";
        self.eval("document.querySelector('#tab-model')", open).await?;
        let drawn = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";
        self.eval("document.querySelector('#panel-model')", &format!("{drawn}.then(() => {script})")).await
    }

    /// Clicks the button of the toolbar with that text or label.
    async fn press(&self, name: &str) -> Result<(), ActFailure> {
        let found = format!(
            "[...document.querySelectorAll('.toolbar button')].find((it) => it.textContent === '{name}' || it.getAttribute('aria-label') === '{name}')"
        );
        self.eval(&format!("{found} !== undefined"), &format!("{found}.click()")).await.map(drop)
    }
}

impl HostDriver for OwnHost {
    fn description(&self) -> String {
        match self.fault {
            None => "yardstick host".to_owned(),
            Some(fault) => format!("yardstick host with the fault {}", fault.fault.name),
        }
    }

    fn has_other_server(&self) -> bool {
        true
    }

    fn show<'a>(&'a self, tool: &'a str, arguments: &'a Value) -> DriverStep<'a, ()> {
        Box::pin(self.open(tool, arguments, false))
    }

    fn show_streamed<'a>(&'a self, tool: &'a str, arguments: &'a Value) -> DriverStep<'a, ()> {
        Box::pin(self.open(tool, arguments, true))
    }

    fn chromium(&self) -> Option<&Chromium> {
        Some(&self.chromium)
    }

    fn cancel(&self) -> DriverStep<'_, ()> {
        Box::pin(self.press("Cancel"))
    }

    fn close(&self) -> DriverStep<'_, ()> {
        Box::pin(self.press("Close"))
    }

    fn switch_theme(&self) -> DriverStep<'_, ()> {
        Box::pin(async { self.eval("true", SWITCH_THEME).await.map(drop) })
    }

    fn decide(&self, allow: bool) -> DriverStep<'_, ()> {
        // A real click: a browser opens no window without one.
        let button = if allow { ALLOW } else { ".question button[type=button]" };
        Box::pin(async move {
            self.eval(CARD, "0").await?;
            self.chromium.with_page(async |page| page.click(button).await.map_err(|why| failed(&why))).await
        })
    }

    fn allow_twice(&self) -> DriverStep<'_, ()> {
        Box::pin(async move {
            self.eval(CARD, "0").await?;
            let clicked = self.chromium.with_page(async |page| {
                page.double_click(ALLOW, DOUBLE_CLICK_GAP).await.map_err(|why| failed(&why))
            });
            clicked.await
        })
    }

    fn conversation(&self) -> DriverStep<'_, Value> {
        Box::pin(self.read_model_tab(CONVERSATION))
    }

    fn model_context(&self) -> DriverStep<'_, Value> {
        Box::pin(self.read_model_tab(CONTEXT))
    }

    fn model_tools(&self) -> DriverStep<'_, Value> {
        Box::pin(async { self.eval("document.querySelector('#tool-select')", TOOLS).await })
    }
}
