//! Any host that is a web page, in Chromium: an address that shows a tool, and a script that knows the page.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use browser::{BrowserError, Page};
use serde_json::{Value, json};

use super::chromium::{Chromium, failed};
use crate::host::{ActFailure, DriverStep, HostDriver, ProbeStage};

/// How long a function of the script may take.
const CALL_TIMEOUT: Duration = Duration::from_secs(20);

/// A host that is a web page.
#[derive(Debug)]
pub struct PageHost {
    chromium: Chromium,
    is_shown_by_script: AtomicBool,
    template: String,
    script: String,
    server: String,
    other: String,
}

impl PageHost {
    /// A host whose page at `template` shows a tool: `{server}` and `{other}` in it stand for the servers' URLs, `{tool}` for the
    /// name of the tool and `{arguments}` for its arguments, each encoded for a query. `script` sets
    /// `globalThis.yardstickDriver` to an object of functions: `show(tool, arguments)`, `cancel()`, `close()`, `switchTheme()`,
    /// `decide(allow)`, `allowTwice()`, `conversation()`, `modelContext()` and `modelTools()`. What it leaves out, this host cannot.
    pub async fn start(stage: &ProbeStage, template: String, script: String) -> Result<Self, String> {
        let chromium = Chromium::launch().await.map_err(|why| why.to_string())?;
        let (server, other) = (stage.url(), stage.other_url());
        let is_shown_by_script = AtomicBool::new(false);
        Ok(Self { chromium, is_shown_by_script, template, script, server, other })
    }

    fn address(&self, tool: &str, arguments: &Value) -> String {
        let encoded = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
        self.template
            .replace("{server}", &encoded(&self.server))
            .replace("{other}", &encoded(&self.other))
            .replace("{tool}", &encoded(tool))
            .replace("{arguments}", &encoded(&arguments.to_string()))
    }

    async fn open(&self, tool: &str, arguments: &Value) -> Result<(), ActFailure> {
        let script = format!("if (globalThis.top === globalThis) {{ {} }}", self.script);
        self.chromium
            .open(&self.address(tool, arguments), async |page| page.add_script(&script).await)
            .await?;
        let shown = self.chromium.with_page(async |page| show(page, tool, arguments).await).await;
        self.is_shown_by_script.store(shown.is_ok(), Ordering::Relaxed);
        match shown {
            Ok(_) | Err(ActFailure::Cannot(_)) => Ok(()),
            Err(failed) => Err(failed),
        }
    }

    async fn call(&self, name: &str, arguments: Value) -> Result<Value, ActFailure> {
        self.chromium.with_page(async |page| call(page, name, &arguments).await).await
    }
}

/// Has the script show a tool, once more if the page loads itself anew meanwhile, as those of development servers do.
async fn show(page: &Page, tool: &str, arguments: &Value) -> Result<Value, ActFailure> {
    let given = json!([tool, arguments]);
    match evaluate(page, "show", &given).await? {
        Err(BrowserError::Left { .. }) => call(page, "show", &given).await,
        done => read_result("show", done),
    }
}

/// Calls a function of the script. A function that is not there is something that the host cannot do.
async fn call(page: &Page, name: &str, arguments: &Value) -> Result<Value, ActFailure> {
    read_result(name, evaluate(page, name, arguments).await?)
}

fn read_result(name: &str, done: Result<Value, BrowserError>) -> Result<Value, ActFailure> {
    let done = done.map_err(|why| failed(&why))?;
    if done["cannot"] == true {
        return Err(ActFailure::Cannot(format!("the script has no function {name}")));
    }
    Ok(done["value"].clone())
}

async fn evaluate(
    page: &Page,
    name: &str,
    arguments: &Value,
) -> Result<Result<Value, BrowserError>, ActFailure> {
    let script = format!(
        "(async () => {{ const act = globalThis.yardstickDriver?.{name}; if (!act) return {{ cannot: true }}; \
         return {{ value: (await act(...{arguments})) ?? null }}; }})()"
    );
    let done = tokio::time::timeout(CALL_TIMEOUT, page.eval(&script)).await;
    done.map_err(|_| ActFailure::Failed(format!("{name} of the script did not end in time")))
}

impl HostDriver for PageHost {
    fn description(&self) -> String {
        let end = self.template.find(['?', '#']).unwrap_or(self.template.len());
        self.template[..end].to_owned()
    }

    /// Other people's pages take longer to load than ours, and busy machines longer still.
    fn patience(&self) -> Duration {
        Duration::from_secs(75)
    }

    fn has_other_server(&self) -> bool {
        self.template.contains("{other}")
    }

    fn passes_arguments(&self) -> bool {
        self.template.contains("{arguments}") || self.is_shown_by_script.load(Ordering::Relaxed)
    }

    fn show<'a>(&'a self, tool: &'a str, arguments: &'a Value) -> DriverStep<'a, ()> {
        Box::pin(self.open(tool, arguments))
    }

    fn chromium(&self) -> Option<&Chromium> {
        Some(&self.chromium)
    }

    fn cancel(&self) -> DriverStep<'_, ()> {
        Box::pin(async { self.call("cancel", json!([])).await.map(drop) })
    }

    fn close(&self) -> DriverStep<'_, ()> {
        Box::pin(async { self.call("close", json!([])).await.map(drop) })
    }

    fn switch_theme(&self) -> DriverStep<'_, ()> {
        Box::pin(async { self.call("switchTheme", json!([])).await.map(drop) })
    }

    fn decide(&self, allow: bool) -> DriverStep<'_, ()> {
        Box::pin(async move { self.call("decide", json!([allow])).await.map(drop) })
    }

    fn allow_twice(&self) -> DriverStep<'_, ()> {
        Box::pin(async { self.call("allowTwice", json!([])).await.map(drop) })
    }

    fn conversation(&self) -> DriverStep<'_, Value> {
        Box::pin(self.call("conversation", json!([])))
    }

    fn model_context(&self) -> DriverStep<'_, Value> {
        Box::pin(self.call("modelContext", json!([])))
    }

    fn model_tools(&self) -> DriverStep<'_, Value> {
        Box::pin(self.call("modelTools", json!([])))
    }
}
