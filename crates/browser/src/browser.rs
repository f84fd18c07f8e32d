//! A running browser.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::connection::{DevtoolsConnection, EventListener};
use crate::context::PageContext;
use crate::process::Process;
use crate::profile::ProfileFolder;
use crate::router::EventRouter;
use crate::{BrowserError, LaunchOptions, Page, pipe, target};

/// A running browser. Dropping it ends all of its processes and removes its profile.
#[derive(Debug)]
pub struct Browser {
    connection: DevtoolsConnection,
    router: Arc<EventRouter>,
    limit: Duration,
    product: String,
    agent: String,
    tasks: [JoinHandle<()>; 2],
    // The order matters: the processes end first, then the profile can be removed.
    process: Process,
    profile: ProfileFolder,
}

impl Browser {
    /// Starts a browser and waits until it responds.
    pub async fn launch(options: LaunchOptions) -> Result<Self, BrowserError> {
        let profile = ProfileFolder::create()?;
        let (process, pipes) = options.start(&profile)?;
        let (connection, queue) = DevtoolsConnection::new();
        let router = Arc::new(EventRouter::new(connection.clone()));
        let ending = Box::pin(process.ending());
        let tasks = [
            tokio::spawn(pipe::write_all(pipes.to, queue)),
            tokio::spawn(connection.clone().read_messages(pipes.from, router.clone(), ending)),
        ];
        let limit = options.limit;
        let (product, agent) = (String::new(), String::new());
        let mut browser = Self { connection, router, limit, product, agent, tasks, process, profile };
        let version = browser.connection.send(None, "Browser.getVersion", json!({}));
        browser.call("Target.setAutoAttach", target::auto_attach()).await?;
        let version = version.within(limit).await?;
        browser.product = version["product"].as_str().unwrap_or_default().into();
        browser.agent = version["userAgent"].as_str().unwrap_or_default().into();
        Ok(browser)
    }

    /// Opens a page in a context of its own and loads a URL.
    pub async fn page(&self, url: &str) -> Result<Page, BrowserError> {
        let page = self.blank_page().await?;
        page.goto(url).await?;
        Ok(page)
    }

    /// Opens an empty page, so that it can be set up before it loads anything.
    pub async fn blank_page(&self) -> Result<Page, BrowserError> {
        let made = self.call("Target.createBrowserContext", json!({ "disposeOnDetach": true })).await?;
        let id = word(&made, "Target.createBrowserContext", "browserContextId")?;
        let downloads = self.profile.downloads(&id)?;
        let allow = json!({
            "behavior": "allowAndName",
            "browserContextId": id,
            "downloadPath": downloads,
            "eventsEnabled": true,
        });
        let connection = self.connection.clone();
        let context = PageContext::new(id, connection, self.limit, self.agent.clone(), downloads);
        let context = Arc::new(context);
        self.router.add(&context);
        let allowed = self.connection.send(None, "Browser.setDownloadBehavior", allow);
        let create = json!({ "url": "about:blank", "browserContextId": context.id });
        let made = self.call("Target.createTarget", create).await;
        let page = Page::owner(Arc::clone(&context), Arc::clone(&self.router), String::new());
        let page = page.with_id(word(&made?, "Target.createTarget", "targetId")?);
        allowed.within(self.limit).await?;
        page.is_ready().await?;
        page.set_viewport(1280, 800, 1.0).await?;
        Ok(page)
    }

    /// The browser's name and version.
    pub fn product(&self) -> &str {
        &self.product
    }

    /// The id of the browser's first process, which is also the id of its process group.
    pub const fn process_id(&self) -> Option<u32> {
        self.process.id()
    }

    /// The folder of the browser's profile.
    pub fn profile(&self) -> &std::path::Path {
        self.profile.path()
    }

    async fn call(&self, method: &'static str, params: Value) -> Result<Value, BrowserError> {
        self.connection.call(None, method, params, self.limit).await
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let over = BrowserError::Gone { how: "it was closed".into(), stderr: String::new() };
        self.router.connection_lost(&over);
        self.connection.end(&over);
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

fn word(result: &Value, method: &str, key: &str) -> Result<String, BrowserError> {
    let garbled = || BrowserError::Garbled { why: format!("the result of {method} has no {key}: {result}") };
    result[key].as_str().map(str::to_owned).ok_or_else(garbled)
}
