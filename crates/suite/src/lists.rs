//! What the server lists, asked for once for all checks: capabilities, tools, resources, templates and prompts.

use protocol::capability::{Capabilities, Capability};
use serde_json::{Value, json};
use transport::client::Session;

use crate::checks::{PROMPTS_LISTED, RESOURCES_LISTED, TOOLS_LISTED};
use crate::expect::Answer;
use crate::knowledge::{Fact, Facts};
use crate::{Finding, ServerCx, Verdict};

/// How many pages of a list are read.
const MAX_PAGES: usize = 50;

/// A list, asked for page by page until a page names no next one.
#[derive(Debug)]
pub(crate) struct Pages<'c> {
    cx: &'c ServerCx,
    session: Session,
    method: &'c str,
    /// What the next page is asked for with; nothing after the last page.
    params: Option<Value>,
    left: usize,
}

impl Pages<'_> {
    /// The next page, if there is one and not too many came before. What is not a result is the last.
    pub(crate) async fn next(&mut self) -> Option<Result<Answer, Finding>> {
        self.left = self.left.checked_sub(1)?;
        let mut params = self.params.take()?;
        let answer = self.cx.request_on(&self.session, self.method).params(params.clone()).send().await;
        let result = answer.as_ref().ok().and_then(|answer| answer.reply.result());
        if let Some(cursor) =
            result.as_ref().and_then(|result| result.get("nextCursor")).filter(|c| c.is_string())
        {
            params["cursor"] = cursor.clone();
            self.params = Some(params);
        }
        Some(answer)
    }

    /// Whether another page was named, and not asked for because there are too many.
    pub(crate) const fn is_cut_short(&self) -> bool {
        self.params.is_some()
    }
}

impl ServerCx {
    /// The server's capabilities.
    pub async fn capabilities(&self) -> Result<Value, Finding> {
        Ok(self.session().await?.server().capabilities)
    }

    /// Not applicable unless the server declares `capability`.
    pub async fn needs(&self, capability: Capability) -> Verdict {
        let declared = self.capabilities().await?;
        if Capabilities::from_value(&declared).has(capability) {
            return Ok(());
        }
        Err(Finding::not_applicable(format!("the server does not declare {}", capability.path().join("."))))
    }

    /// The server's tools, all pages.
    pub async fn tools(&self) -> Result<&[Value], Finding> {
        self.needs(protocol::capability::TOOLS).await?;
        self.listed(|facts| &facts.tools, TOOLS_LISTED.id, self.list("tools/list", "tools")).await
    }

    /// The server's resources, all pages.
    pub async fn resources(&self) -> Result<&[Value], Finding> {
        self.needs(protocol::capability::RESOURCES).await?;
        self.listed(|facts| &facts.resources, RESOURCES_LISTED.id, self.list("resources/list", "resources"))
            .await
    }

    /// The server's prompts, all pages.
    pub async fn prompts(&self) -> Result<&[Value], Finding> {
        self.needs(protocol::capability::PROMPTS).await?;
        self.listed(|facts| &facts.prompts, PROMPTS_LISTED.id, self.list("prompts/list", "prompts")).await
    }

    /// The server's resource templates, all pages.
    pub async fn templates(&self) -> Result<&[Value], Finding> {
        self.needs(protocol::capability::RESOURCES).await?;
        self.listed(|facts| &facts.templates, RESOURCES_LISTED.id, self.list_templates()).await
    }

    /// A server with resources need not have templates.
    async fn list_templates(&self) -> Result<Vec<Value>, Finding> {
        match self.list("resources/templates/list", "resourceTemplates").await {
            // It is not there.
            Err(Finding::NotApplicable(_)) => Ok(Vec::new()),
            listed => listed.map_err(Finding::into_obstacle),
        }
    }

    /// A list. One that cannot be read is what the check `owner` reports.
    async fn listed<'c>(
        &'c self,
        fact: impl Fn(&'c Facts) -> &'c Fact<Value>,
        owner: &'static str,
        list: impl Future<Output = Result<Vec<Value>, Finding>>,
    ) -> Result<&'c [Value], Finding> {
        self.known.learn(fact, list).await.map_err(|obstacle| match obstacle {
            Finding::Blocked(found) if found.because.is_none() => Finding::blocked_by(owner, found.why),
            other => other,
        })
    }

    /// The tools that may be called.
    pub async fn harmless_tools(&self) -> Result<Vec<&Value>, Finding> {
        Ok(self.callable().await?.into_iter().map(|(tool, _)| tool).collect())
    }

    async fn list(&self, method: &str, key: &str) -> Result<Vec<Value>, Finding> {
        self.list_on(self.session().await?, method, key).await
    }

    /// A list as `session` shows it, all pages.
    pub(crate) async fn list_on(
        &self,
        session: &Session,
        method: &str,
        key: &str,
    ) -> Result<Vec<Value>, Finding> {
        Ok(self.pages_on(session, method, key).await?.concat())
    }

    /// A list, page by page. `params` go with each request, `most` pages are asked for.
    pub(crate) fn pages<'c>(
        &'c self,
        session: &Session,
        method: &'c str,
        params: Value,
        most: usize,
    ) -> Pages<'c> {
        Pages { cx: self, session: session.clone(), method, params: Some(params), left: most }
    }

    /// The pages of a list, each with its items.
    pub(crate) async fn pages_on(
        &self,
        session: &Session,
        method: &str,
        key: &str,
    ) -> Result<Vec<Vec<Value>>, Finding> {
        let mut pages = Vec::new();
        let mut listing = self.pages(session, method, json!({}), MAX_PAGES);
        while let Some(answer) = listing.next().await {
            let answer = answer?;
            if answer.reply.code() == Some(protocol::code::METHOD_NOT_FOUND) {
                // That what is declared is served is a rule of its own.
                return Err(Finding::not_applicable(format!("{method} is not there")));
            }
            let result = answer.expect_result()?;
            pages.push(result[key].as_array().cloned().unwrap_or_default());
        }
        Ok(pages)
    }
}
