//! What a server offers for MCP Apps, fetched once for all checks: tools, listed resources, and the documents.

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use protocol::apps::{MIME_TYPE, URI_SCHEME};
use protocol::schema;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::super::openai::Widgets;
use super::{ToolLink, no_apps};
use crate::expect::Answer;
use crate::knowledge::Fact;
use crate::{Evidence, Finding, ServerCx};

/// What a list is expected to be.
const SOUND: &str = "a list whose items are well-formed";

/// How many UI resources are read.
const MAX_UI_RESOURCES: usize = 64;

/// base64 as browsers accept it: with padding or without.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// How servers say that they do not have a list, whatever they declare.
const NO_SUCH_LIST: [&str; 7] = [
    "method not found",
    "not implemented",
    "unsupported",
    "does not support",
    "unimplemented",
    "unknown method",
    "unknown mcp method",
];

/// What a server offers for MCP Apps.
#[derive(Debug)]
pub(crate) struct Surface {
    pub(super) tools: Listed,
    pub(super) resources: Listed,
    /// Every resource that a tool names or that is listed as one of MCP Apps, read.
    pub(super) reads: Vec<UiResourceRead>,
    plain: OnceCell<Result<Plain, Finding>>,
    /// The same in the terms of OpenAI's Apps SDK.
    pub(in crate::checks::server) widgets: OnceCell<Result<Widgets, Finding>>,
}

/// A list, and what is wrong with it.
#[derive(Debug, Default)]
pub(super) struct Listed {
    pub(super) items: Vec<Value>,
    /// The list was refused, an item is malformed, or something stood in the way.
    pub(super) problem: Option<Finding>,
}

/// One `resources/read`.
#[derive(Debug)]
pub(crate) struct UiResourceRead {
    pub(super) uri: String,
    /// What came back; a finding when nothing did.
    pub(super) answer: Result<Answer, Finding>,
    /// The contents, as far as there are any.
    pub(super) contents: Vec<Value>,
    /// Why a typed client cannot read the contents.
    pub(super) flaw: Option<String>,
}

/// A client that cannot show apps, and what it is offered.
#[derive(Debug)]
pub(super) struct Plain {
    pub(super) answer: Answer,
    pub(super) tools: Vec<Value>,
}

impl ServerCx {
    /// What the server offers for MCP Apps.
    pub(crate) async fn apps(&self) -> Result<&Surface, Finding> {
        self.session().await?;
        Ok(self.known.facts().surface.get_or_init(|| Surface::look(self)).await)
    }
}

impl Surface {
    async fn look(cx: &ServerCx) -> Self {
        let tools = Listed::judge(cx, cx.tools().await, &cx.known.facts().tools, "Tool");
        let resources = Listed::judge(cx, cx.resources().await, &cx.known.facts().resources, "Resource");
        let mut surface =
            Self { tools, resources, reads: Vec::new(), plain: OnceCell::new(), widgets: OnceCell::new() };
        for uri in surface.uris() {
            let read = UiResourceRead::fetch(cx, uri).await;
            surface.reads.push(read);
        }
        surface
    }

    /// The tools that name a UI resource.
    pub(super) fn links(&self) -> Vec<ToolLink<'_>> {
        self.tools.items.iter().filter_map(ToolLink::find_in).collect()
    }

    /// The tools that name a UI resource, of which there must be one.
    pub(in crate::checks::server) fn ui_tools(&self) -> Result<Vec<ToolLink<'_>>, Finding> {
        let links = self.links();
        match self.problem_of_tools() {
            _ if !links.is_empty() => Ok(links),
            Some(problem) => Err(problem.clone().into_obstacle()),
            None => Err(no_apps()),
        }
    }

    /// What is wrong with the list of tools. A list that shows no apps is not the business of these checks.
    pub(super) fn problem_of_tools(&self) -> Option<&Finding> {
        self.tools.problem.as_ref().filter(|_| self.tools.items.is_empty() || self.may_have_apps())
    }

    /// What is wrong with the list of resources, in the same way.
    pub(super) fn problem_of_resources(&self) -> Option<&Finding> {
        self.resources.problem.as_ref().filter(|_| self.resources.items.is_empty() || self.may_have_apps())
    }

    /// Whether anything that is listed has to do with apps, even if it is malformed.
    fn may_have_apps(&self) -> bool {
        let has_ui_key = |item: &Value| {
            let members = item["_meta"].as_object();
            members.is_some_and(|meta| meta.keys().any(|key| key == "ui" || key.starts_with("ui/")))
        };
        let items = self.tools.items.iter().chain(&self.resources.items);
        !self.links().is_empty() || self.listed().next().is_some() || items.into_iter().any(has_ui_key)
    }

    /// The first tool of that name: the one that a client which looks tools up by name will find.
    pub(super) fn found_as(&self, name: &str) -> Option<&Value> {
        self.tools.items.iter().find(|tool| tool["name"] == name)
    }

    /// The listed resources that look like one of MCP Apps.
    pub(super) fn listed(&self) -> impl Iterator<Item = &Value> {
        self.resources.items.iter().filter(|item| {
            item["uri"].as_str().is_some_and(|uri| uri.starts_with(URI_SCHEME))
                || item["mimeType"] == MIME_TYPE
        })
    }

    /// The same, of which there must be one.
    pub(super) fn ui_resources(&self) -> Result<Vec<&Value>, Finding> {
        let listed: Vec<_> = self.listed().collect();
        match listed.is_empty() {
            true if self.links().is_empty() => Err(no_apps()),
            true => Err(Finding::not_applicable("no UI resources are listed")),
            false => Ok(listed),
        }
    }

    /// Every UI resource that was read, of which there must be one.
    pub(super) fn reads(&self) -> Result<&[UiResourceRead], Finding> {
        match self.problem_of_tools() {
            _ if !self.reads.is_empty() => Ok(&self.reads),
            Some(problem) => Err(problem.clone().into_obstacle()),
            None => Err(no_apps()),
        }
    }

    /// Every UI resource whose contents can be read, of which there must be one.
    pub(in crate::checks::server) fn sound_reads(&self) -> Result<Vec<(&UiResourceRead, &Answer)>, Finding> {
        let all = self.reads()?;
        let sound: Vec<_> = all
            .iter()
            .filter(|read| read.flaw.is_none())
            .filter_map(|read| Some((read, read.answer.as_ref().ok()?)))
            .collect();
        if sound.is_empty() { Err(Finding::blocked("no UI resource could be read")) } else { Ok(sound) }
    }

    /// A client that cannot show apps.
    pub(super) async fn plain(&self, cx: &ServerCx) -> Result<&Plain, Finding> {
        self.plain.get_or_init(|| Plain::meet(cx)).await.as_ref().map_err(Clone::clone)
    }

    fn uris(&self) -> Vec<String> {
        let named = self.links().into_iter().map(|link| link.uri().to_owned());
        let listed = self.listed().filter_map(|item| Some(item["uri"].as_str()?.to_owned()));
        let mut uris: Vec<String> = Vec::new();
        for uri in named.chain(listed) {
            if !uris.contains(&uri) {
                uris.push(uri);
            }
        }
        uris.truncate(MAX_UI_RESOURCES);
        uris
    }
}

impl Listed {
    /// `fact` remembers whether the server refused the list, or something stood in the way.
    fn judge(cx: &ServerCx, list: Result<&[Value], Finding>, fact: &Fact<Value>, kind: &str) -> Self {
        match (list, fact.get()) {
            (Ok(items), _) => {
                let flaw = flaw_of_any(cx, items, kind);
                Self { items: items.to_vec(), problem: flaw.map(|flaw| Finding::violated(SOUND, flaw)) }
            }
            (Err(_), Some(Err(Finding::Violated(evidence)))) => Self::refused(evidence),
            (Err(Finding::NotApplicable(_)), _) => Self::default(),
            (Err(other), _) => Self { items: Vec::new(), problem: Some(other) },
        }
    }

    fn refused(evidence: &Evidence) -> Self {
        let lower = evidence.actual.to_ascii_lowercase();
        let absent = NO_SUCH_LIST.iter().any(|words| lower.contains(words));
        let problem =
            || Finding::Violated(Box::new(Evidence { expected: SOUND.to_owned(), ..evidence.clone() }));
        Self { items: Vec::new(), problem: (!absent).then(problem) }
    }
}

impl UiResourceRead {
    async fn fetch(cx: &ServerCx, uri: String) -> Self {
        let answer = read_resource(cx, &uri).await;
        let result = answer.as_ref().ok().and_then(|answer| answer.reply.result());
        let contents = result.as_ref().and_then(|result| result["contents"].as_array());
        let flaw = match contents {
            Some(contents) => contents.iter().find_map(flaw_of_content),
            None => Some("there are no contents".to_owned()),
        };
        let contents = contents.cloned().unwrap_or_default();
        Self { uri, answer, contents, flaw }
    }
}

impl Plain {
    async fn meet(cx: &ServerCx) -> Result<Self, Finding> {
        let session = cx.bare_client_session().await?;
        let answer = cx.request_on(&session, "tools/list").send().await?;
        let result = answer.expect_result()?;
        let tools = result["tools"].as_array().cloned().unwrap_or_default();
        Ok(Self { answer, tools })
    }
}

/// Reads a resource on the shared session.
pub(super) async fn read_resource(cx: &ServerCx, uri: &str) -> Result<Answer, Finding> {
    cx.request("resources/read").await?.params(json!({ "uri": uri })).send().await
}

/// The bytes of a blob; none if it is not base64 even to a browser, which ignores white space.
pub(super) fn bytes_of(blob: &str) -> Option<Vec<u8>> {
    let compact: String = blob.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    LENIENT.decode(compact).ok()
}

/// The document of a content, however it travels.
pub(super) fn html_of(content: &Value) -> String {
    match (content["text"].as_str(), content["blob"].as_str()) {
        (Some(text), _) => text.to_owned(),
        (None, Some(blob)) => String::from_utf8_lossy(&bytes_of(blob).unwrap_or_default()).into_owned(),
        (None, None) => String::new(),
    }
}

fn flaw_of_any(cx: &ServerCx, items: &[Value], kind: &str) -> Option<String> {
    let validator = schema::validator(cx.version, kind)?;
    items.iter().find_map(|item| {
        let flaw = validator.check(item).into_iter().next()?;
        Some(format!("{}: {flaw}", item.get("name").or_else(|| item.get("uri")).unwrap_or(item)))
    })
}

/// What keeps a typed client from reading a content at all.
fn flaw_of_content(content: &Value) -> Option<String> {
    let wrong = |what: &str| Some(what.to_owned());
    if !content["uri"].is_string() {
        return wrong("a content has no uri");
    }
    if content.get("mimeType").is_some_and(|media| !media.is_string()) {
        return wrong("mimeType is not a string");
    }
    if content.get("_meta").is_some_and(|meta| !meta.is_object()) {
        return wrong("_meta is not an object");
    }
    match (content["text"].as_str(), content["blob"].as_str()) {
        (Some(_), _) => None,
        (None, Some(blob)) if bytes_of(blob).is_some() => None,
        (None, Some(_)) => wrong("blob is not base64"),
        (None, None) => wrong("a content has neither text nor blob"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_as_browsers_read_it() {
        assert_eq!(bytes_of("PHA+"), Some(b"<p>".to_vec()));
        assert_eq!(bytes_of("YQ"), Some(b"a".to_vec()));
        assert_eq!(bytes_of("YQ =\n="), Some(b"a".to_vec()));
        assert_eq!((bytes_of("PGEtX18-"), bytes_of("%")), (None, None));
    }

    #[test]
    fn a_list_that_is_not_there_is_empty() {
        let refused = |actual: &str| Listed::refused(&Evidence::new("a result", actual));
        assert!(refused("error -32601: Method not found").problem.is_none());
        assert!(refused("error -32603: out of order").problem.is_some());
    }
}
