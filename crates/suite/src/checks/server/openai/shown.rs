//! What a server offers in the terms of OpenAI's Apps SDK, fetched once for all checks: tools and widgets.

use protocol::apps::openai::{LOCALE, OUTPUT_TEMPLATE};
use serde_json::{Value, json};

use crate::expect::Answer;
use crate::{Finding, ServerCx};

/// What the keys of the Apps SDK begin with.
const PREFIX: &str = "openai/";
/// How many pages of a list are read.
const MAX_PAGES: usize = 20;
/// How many widgets are read.
const MAX_WIDGETS: usize = 20;

/// What a server offers in the terms of the Apps SDK.
#[derive(Debug)]
pub(in crate::checks::server) struct Widgets {
    /// The tools that carry any of its keys.
    pub(super) tools: Vec<Value>,
    /// The resources that tools name as templates, read.
    pub(super) templates: Vec<Template>,
    /// Listed resources that carry any of its keys.
    pub(super) listed: Vec<Value>,
}

/// A widget's template.
#[derive(Debug)]
pub(super) struct Template {
    pub(super) uri: String,
    pub(super) answer: Answer,
    pub(super) contents: Vec<Value>,
}

impl ServerCx {
    /// What the server offers in the terms of the Apps SDK; not applicable when it uses none of them.
    pub(super) async fn widgets(&self) -> Result<&Widgets, Finding> {
        let surface = self.apps().await?;
        // The checks of resources report once what cannot be read; here it stands in the way.
        surface
            .widgets
            .get_or_init(|| Widgets::look(self))
            .await
            .as_ref()
            .map_err(|finding| finding.clone().into_obstacle())
    }
}

impl Widgets {
    async fn look(cx: &ServerCx) -> Result<Self, Finding> {
        cx.tools().await?;
        let tools: Vec<Value> = list(cx, "tools/list", "tools").await?.into_iter().filter(speaks).collect();
        let listed = match cx.resources().await {
            Ok(_) => list(cx, "resources/list", "resources").await?.into_iter().filter(speaks).collect(),
            Err(_) => Vec::new(),
        };
        if tools.is_empty() && listed.is_empty() {
            return Err(Finding::not_applicable("no metadata of OpenAI's Apps SDK"));
        }
        let mut uris: Vec<_> =
            tools.iter().filter_map(|tool| tool["_meta"][OUTPUT_TEMPLATE].as_str()).collect();
        uris.sort_unstable();
        uris.dedup();
        let mut templates = Vec::new();
        for uri in uris.into_iter().take(MAX_WIDGETS) {
            templates.push(Template::fetch(cx, uri).await?);
        }
        Ok(Self { tools, templates, listed })
    }

    /// Everything that says something about a widget, with its name: listed resources and contents.
    pub(super) fn described(&self) -> impl Iterator<Item = (String, &Value)> {
        let listed = self.listed.iter().map(|item| (format!("listed {}", item["uri"]), item));
        let read = self
            .templates
            .iter()
            .flat_map(|template| template.contents.iter().map(|content| (template.uri.clone(), content)));
        listed.chain(read)
    }
}

impl Template {
    async fn fetch(cx: &ServerCx, uri: &str) -> Result<Self, Finding> {
        let params = json!({ "uri": uri, "_meta": hint() });
        let answer = cx.request("resources/read").await?.params(params).send().await?;
        let contents = answer.reply.result().and_then(|result| result["contents"].as_array().cloned());
        Ok(Self { uri: uri.to_owned(), answer, contents: contents.unwrap_or_default() })
    }
}

/// What tells a server that it talks to OpenAI's host.
fn hint() -> Value {
    json!({ LOCALE: "en-US" })
}

fn speaks(item: &Value) -> bool {
    item["_meta"].as_object().is_some_and(|meta| meta.keys().any(|key| key.starts_with(PREFIX)))
}

async fn list(cx: &ServerCx, method: &str, key: &str) -> Result<Vec<Value>, Finding> {
    let mut items = Vec::new();
    let mut pages = cx.pages(cx.session().await?, method, json!({ "_meta": hint() }), MAX_PAGES);
    while let Some(answer) = pages.next().await {
        let answer = answer?;
        let Some(result) = answer.reply.result() else {
            return Err(Finding::blocked(format!("{method}: {}", answer.summary())));
        };
        items.extend(result[key].as_array().cloned().unwrap_or_default());
    }
    Ok(items)
}
