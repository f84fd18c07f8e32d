//! A running browser.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::connection::{Connection, Listener};
use crate::context::Context;
use crate::process::Process;
use crate::profile::Profile;
use crate::router::Router;
use crate::{Error, Options, Page, pipe, target};

/// A running browser. Dropping it ends all of its processes and removes its profile.
#[derive(Debug)]
pub struct Browser {
    connection: Connection,
    router: Arc<Router>,
    limit: Duration,
    product: String,
    agent: String,
    tasks: [JoinHandle<()>; 2],
    // In this order: first the processes end, then the profile can be removed.
    process: Process,
    profile: Profile,
}

impl Browser {
    /// Starts a browser and waits until it answers.
    pub async fn launch(options: Options) -> Result<Self, Error> {
        let profile = Profile::create()?;
        let (process, pipes) = options.start(&profile)?;
        let (connection, queue) = Connection::new();
        let router = Arc::new(Router::new(connection.clone()));
        let ending = Box::pin(process.ending());
        let tasks = [
            tokio::spawn(pipe::write_all(pipes.to, queue)),
            tokio::spawn(connection.clone().read(pipes.from, router.clone(), ending)),
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

    /// Opens a page in a context of its own and loads an address.
    pub async fn page(&self, url: &str) -> Result<Page, Error> {
        let page = self.blank_page().await?;
        page.goto(url).await?;
        Ok(page)
    }

    /// Opens an empty page, to be prepared before it loads anything.
    pub async fn blank_page(&self) -> Result<Page, Error> {
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
        let context = Context::new(id, connection, self.limit, self.agent.clone(), downloads);
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

    /// Name and version, as the browser gives them.
    pub fn product(&self) -> &str {
        &self.product
    }

    /// The id of its first process, which is that of its process group.
    pub const fn process_id(&self) -> Option<u32> {
        self.process.id()
    }

    /// Where its profile is.
    pub fn profile(&self) -> &std::path::Path {
        self.profile.path()
    }

    async fn call(&self, method: &'static str, params: Value) -> Result<Value, Error> {
        self.connection.call(None, method, params, self.limit).await
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let over = Error::Gone { how: "it was let go".into(), stderr: String::new() };
        self.router.gone(&over);
        self.connection.end(&over);
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

fn word(result: &Value, method: &str, key: &str) -> Result<String, Error> {
    let garbled = || Error::Garbled { why: format!("the result of {method} has no {key}: {result}") };
    result[key].as_str().map(str::to_owned).ok_or_else(garbled)
}
