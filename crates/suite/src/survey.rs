//! How much there is to measure.

use std::collections::HashSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Finding, ServerCx};

/// The lists are known once their checks have run; a part of the suite may have to ask for them, but not to wait.
const LIST_TIMEOUT: Duration = Duration::from_millis(500);
/// The media type of a user interface.
const APP_MIME_TYPE: &str = "text/html;profile=mcp-app";

/// How much a server offers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Survey {
    /// Tools.
    pub tools: usize,
    /// Tools with a user interface.
    pub ui_tools: usize,
    /// Resources that are listed.
    pub resources: usize,
    /// Those of them that are user interfaces.
    pub ui_resources: usize,
    /// User interfaces that are listed or that a tool names.
    pub interfaces: usize,
    /// Prompts.
    pub prompts: usize,
}

impl Survey {
    /// What `cx` has learnt, or learns within a moment; nothing if a list could not be had.
    pub(crate) async fn take(cx: &ServerCx) -> Option<Self> {
        tokio::time::timeout(LIST_TIMEOUT, Self::ask(cx)).await.ok().flatten()
    }

    /// What the server does not offer counts as none.
    async fn ask(cx: &ServerCx) -> Option<Self> {
        let tools = known(&cx.tools().await)?;
        let resources = known(&cx.resources().await)?;
        let prompts = known(&cx.prompts().await)?;
        let named: Vec<_> = tools.iter().filter_map(interface).collect();
        let listed: Vec<_> = resources.iter().filter(|it| is_interface(it)).collect();
        let mut interfaces: HashSet<_> = named.iter().copied().collect();
        interfaces.extend(listed.iter().filter_map(|resource| resource["uri"].as_str()));
        Some(Self {
            tools: tools.len(),
            ui_tools: named.len(),
            resources: resources.len(),
            ui_resources: listed.len(),
            interfaces: interfaces.len(),
            prompts: prompts.len(),
        })
    }
}

fn known<'a>(list: &Result<&'a [Value], Finding>) -> Option<&'a [Value]> {
    match list {
        Ok(items) => Some(*items),
        Err(Finding::NotApplicable(_)) => Some(&[]),
        Err(Finding::Violated(_) | Finding::Blocked(_) | Finding::Broke(_)) => None,
    }
}

/// The user interface that a tool names, in the present or the older notation.
pub(crate) fn interface(tool: &Value) -> Option<&str> {
    let meta = &tool["_meta"];
    let named = [&meta["ui"]["resourceUri"], &meta["ui/resourceUri"]];
    named.into_iter().filter_map(Value::as_str).find(|uri| !uri.is_empty())
}

fn is_interface(resource: &Value) -> bool {
    resource["uri"].as_str().is_some_and(|uri| uri.starts_with("ui://"))
        || resource["mimeType"] == APP_MIME_TYPE
}
