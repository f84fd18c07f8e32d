//! The document of a View: read from its server, checked, and combined with its content security policy.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use protocol::apps::{self, Csp, MediaType, Permissions, Policy, ResourceUi, openai};
use serde::Serialize;
use serde_json::{Value, json};

use super::widget;
use crate::Shared;
use crate::finding::{FindingLevel, PageFinding};
use crate::profile::{CspList, HostProfile};
use crate::server::{OutgoingRequest, SupervisedServer};

/// The section of the specification about resources.
const RESOURCE_SECTION: &str = "ui-resource-format";

/// A document that the host can show.
#[derive(Clone, Debug)]
pub(crate) struct ViewDocument {
    pub(crate) html: String,
    pub(crate) mime_type: String,
    pub(crate) ui: ResourceUi,
    /// The declared policy, without what the host ignores.
    csp: Option<Csp>,
    /// Origins that links may lead to without asking the person.
    pub(crate) redirects: Vec<String>,
    /// Declared sources that are not part of the policy.
    pub(crate) dropped: Vec<DroppedSource>,
    pub(crate) findings: Vec<PageFinding>,
}

/// A source that was left out, and why.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DroppedSource {
    source: String,
    why: String,
}

/// Why a resource cannot be shown, and how to fix it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct UnfitDocument {
    pub(crate) message: String,
    pub(crate) repair: &'static str,
}

/// The id of the request that reads the document for a run; the run is cancelled by it.
pub(crate) fn id_of_read(run: &str) -> String {
    format!("{run}-read")
}

/// Reads the resource at `uri` from its server, for a run of a tool or without one.
pub(crate) async fn read_document(
    shared: &Shared,
    server: &SupervisedServer,
    uri: &str,
    profile: &HostProfile,
    run: Option<&str>,
) -> Result<ViewDocument, UnfitDocument> {
    if !apps::is_ui_uri(uri) {
        return Err(unfit(
            format!("`{uri}` is not a ui:// URI"),
            "give the resource a URI that begins with ui://",
        ));
    }
    let id = run.map(id_of_read);
    let id = id.as_deref();
    let asking = OutgoingRequest {
        method: "resources/read",
        params: json!({ "uri": uri }),
        run,
        id,
        ..OutgoingRequest::default()
    };
    let mut result = server.ask(shared, asking).await.map_err(|refusal| {
        let why = format!("resources/read of {uri} failed: {} ({})", refusal.message, refusal.code);
        unfit(why, "let the server answer resources/read for every URI that a tool names")
    })?;
    if let Some(fault_hooks) = &shared.options.fault_hooks {
        fault_hooks.change_content(&mut result);
    }
    let listed = server.now().resources.iter().find(|resource| resource["uri"] == uri).cloned();
    ViewDocument::from_result(&result, uri, listed.as_ref(), profile)
}

impl ViewDocument {
    /// Checks the result of `resources/read` and takes the document from it.
    pub(crate) fn from_result(
        result: &Value,
        uri: &str,
        listed: Option<&Value>,
        profile: &HostProfile,
    ) -> Result<Self, UnfitDocument> {
        let contents = result["contents"].as_array().map(Vec::as_slice).unwrap_or_default();
        let same = contents.iter().find(|content| content["uri"] == uri);
        let Some(content) = same.or(contents.first()) else {
            let repair = "return one item in contents, with the HTML in text or blob";
            return Err(unfit(format!("resources/read of {uri} has no contents"), repair));
        };
        let mut findings = Vec::new();
        if same.is_none() {
            let text = format!("the content has the URI {}, not the requested one", content["uri"]);
            findings.push(PageFinding::new(FindingLevel::Must, text, RESOURCE_SECTION));
        }
        let mime_type = media_type(content, profile)?;
        let html = html(content)?;
        let meta = widget::choose_meta(listed, content);
        let (mut ui, found) = ResourceUi::effective(listed, content);
        let mut redirects = Vec::new();
        if let Some(host) = &profile.openai {
            redirects = widget::read_redirects(meta, host);
            if ui == ResourceUi::default() {
                ui = widget::read_view(meta, host);
            }
        }
        findings.extend(found.iter().map(|finding| PageFinding::from_metadata(finding, RESOURCE_SECTION)));
        let csp = without_ignored_lists(ui.csp.as_ref(), profile, &mut findings);
        let dropped = find_dropped_sources(csp.as_ref(), &mut findings);
        Ok(Self { html, mime_type, ui, csp, redirects, dropped, findings })
    }

    /// The document's content security policy with the given `frame-ancestors`.
    pub(crate) fn policy(&self, profile: &HostProfile, ancestors: &[&str], report: &str) -> String {
        let (policy, _) = Policy::from_csp(self.csp.as_ref());
        let mut text = policy
            .with("form-action", &["'none'"])
            .with("frame-ancestors", ancestors)
            .with("report-uri", &[report])
            .to_string();
        for (directive, sources) in &profile.csp_extra {
            text = widen_policy(&text, directive, sources);
        }
        text
    }

    /// The declared sources that are part of the policy.
    pub(crate) fn approved(&self) -> Value {
        let Some(csp) = &self.csp else { return json!({}) };
        let kept = |list: &[String]| -> Vec<String> {
            list.iter().filter(|source| is_kept(source)).cloned().collect()
        };
        let approved = Csp {
            connect_domains: kept(&csp.connect_domains),
            resource_domains: kept(&csp.resource_domains),
            frame_domains: kept(&csp.frame_domains),
            base_uri_domains: kept(&csp.base_uri_domains),
        };
        approved.to_value()
    }

    /// The permissions that the document asks for and the host grants.
    pub(crate) fn granted(&self, profile: &HostProfile) -> Permissions {
        let asked = self.ui.permissions.iter();
        Permissions::new(asked.filter(|permission| !profile.denied.contains(permission)))
    }
}

fn is_kept(source: &str) -> bool {
    !apps::check_source(source).err().is_some_and(apps::SourceProblem::is_fatal)
}

fn find_dropped_sources(csp: Option<&Csp>, findings: &mut Vec<PageFinding>) -> Vec<DroppedSource> {
    let (_, found) = Policy::from_csp(csp);
    findings.extend(found.iter().map(|finding| PageFinding::from_metadata(finding, RESOURCE_SECTION)));
    let Some(csp) = csp else { return Vec::new() };
    let lists = [&csp.connect_domains, &csp.resource_domains, &csp.frame_domains, &csp.base_uri_domains];
    let fatal = lists.into_iter().flatten().filter_map(|source| {
        let problem = apps::check_source(source).err()?;
        let why = problem.to_string();
        problem.is_fatal().then(|| DroppedSource { source: source.clone(), why })
    });
    fatal.collect()
}

fn media_type(content: &Value, profile: &HostProfile) -> Result<String, UnfitDocument> {
    const REPAIR: &str = "serve the resource as text/html;profile=mcp-app";
    let Some(text) = content["mimeType"].as_str() else {
        return Err(unfit("the resource has no mimeType".to_owned(), REPAIR));
    };
    let parsed =
        MediaType::parse(text).map_err(|why| unfit(format!("the mimeType `{text}`: {why}"), REPAIR))?;
    if parsed.is(apps::MIME_TYPE) || (profile.openai.is_some() && parsed.is(openai::MIME_TYPE)) {
        return Ok(text.to_owned());
    }
    Err(unfit(format!("the mimeType is `{text}`, which is not an MCP App"), REPAIR))
}

fn html(content: &Value) -> Result<String, UnfitDocument> {
    const REPAIR: &str = "put the HTML into text, or base64 of its UTF-8 into blob";
    if let Some(text) = content["text"].as_str() {
        return Ok(text.to_owned());
    }
    let Some(blob) = content["blob"].as_str() else {
        return Err(unfit("the resource has neither text nor blob".to_owned(), REPAIR));
    };
    let bytes = STANDARD.decode(blob).map_err(|why| unfit(format!("blob is not base64: {why}"), REPAIR))?;
    String::from_utf8(bytes).map_err(|_| unfit("blob is not UTF-8".to_owned(), REPAIR))
}

/// The declared policy without the lists that the host ignores. Each ignored list becomes a finding.
fn without_ignored_lists(
    csp: Option<&Csp>,
    profile: &HostProfile,
    findings: &mut Vec<PageFinding>,
) -> Option<Csp> {
    let mut csp = csp?.clone();
    for list in &profile.csp_ignored {
        let (name, sources) = match list {
            CspList::ConnectDomains => ("connectDomains", &mut csp.connect_domains),
            CspList::ResourceDomains => ("resourceDomains", &mut csp.resource_domains),
            CspList::FrameDomains => ("frameDomains", &mut csp.frame_domains),
            CspList::BaseUriDomains => ("baseUriDomains", &mut csp.base_uri_domains),
        };
        if !sources.is_empty() {
            sources.clear();
            let text = format!("{} ignores _meta.ui.csp.{name}", profile.name);
            findings.push(PageFinding::new(FindingLevel::Note, text, RESOURCE_SECTION));
        }
    }
    Some(csp)
}

/// Adds sources to a directive of a policy, as some hosts do.
fn widen_policy(policy: &str, directive: &str, sources: &[String]) -> String {
    let more = sources.join(" ");
    let mut found = false;
    let mut parts: Vec<String> = Vec::new();
    for part in policy.split("; ") {
        let same = part.split(' ').next() == Some(directive);
        found |= same;
        parts.push(if same { format!("{part} {more}").replace(" 'none'", "") } else { part.to_owned() });
    }
    if !found {
        parts.push(format!("{directive} {more}"));
    }
    parts.join("; ")
}

const fn unfit(message: String, repair: &'static str) -> UnfitDocument {
    UnfitDocument { message, repair }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile;

    fn strict() -> HostProfile {
        profile::named(profile::STRICT).unwrap()
    }

    #[expect(clippy::needless_pass_by_value, reason = "the tests pass literals")]
    fn parsed(content: Value) -> Result<ViewDocument, UnfitDocument> {
        ViewDocument::from_result(&json!({ "contents": [content] }), "ui://a", None, &strict())
    }

    #[test]
    fn text_and_blob_are_shown() {
        let text = parsed(json!({ "uri": "ui://a", "mimeType": apps::MIME_TYPE, "text": "<p>ä" })).unwrap();
        let blob = STANDARD.encode("<p>ä");
        let blob = parsed(json!({ "uri": "ui://a", "mimeType": apps::MIME_TYPE, "blob": blob })).unwrap();
        assert_eq!((text.html.as_str(), text.findings.len()), ("<p>ä", 0));
        assert_eq!(blob.html, text.html);
    }

    #[test]
    fn a_resource_that_is_not_an_app_is_refused_with_a_fix() {
        let html = json!({ "uri": "ui://a", "mimeType": "text/html", "text": "<p>" });
        assert!(parsed(html).unwrap_err().to_string().contains("text/html"));
        let nothing = json!({ "uri": "ui://a", "mimeType": apps::MIME_TYPE });
        assert!(parsed(nothing).unwrap_err().repair.contains("blob"));
        assert!(parsed(json!({ "uri": "ui://a", "text": "<p>" })).is_err());
        assert!(parsed(json!({ "uri": "ui://a", "mimeType": apps::MIME_TYPE, "blob": "?" })).is_err());
        assert!(ViewDocument::from_result(&json!({}), "ui://a", None, &strict()).is_err());
        let skybridge = json!({ "uri": "ui://a", "mimeType": openai::MIME_TYPE, "text": "<p>" });
        assert!(parsed(skybridge).is_err());
    }

    #[test]
    fn sources_that_would_end_the_directive_are_dropped_and_reported() {
        let csp = json!({ "connectDomains": ["https://a.example", "https://b.example; script-src *"] });
        let meta = json!({ "ui": { "csp": csp } });
        let shown =
            parsed(json!({ "uri": "ui://a", "mimeType": apps::MIME_TYPE, "text": "", "_meta": meta }))
                .unwrap();
        let policy = shown.policy(&strict(), &["http://proxy"], "/report");
        assert!(policy.contains("connect-src https://a.example;") && !policy.contains('*'));
        assert!(policy.contains("frame-ancestors http://proxy"));
        assert_eq!(shown.dropped.len(), 1);
        assert_eq!(shown.approved(), json!({ "connectDomains": ["https://a.example"] }));
        assert!(shown.findings.iter().any(|finding| finding.level == FindingLevel::Must));
    }

    #[test]
    fn a_host_that_does_not_heed_frames_opens_none_and_says_so() {
        let csp =
            json!({ "frameDomains": ["https://frame.example"], "connectDomains": ["https://api.example"] });
        let content = json!({ "uri": "ui://a", "mimeType": apps::MIME_TYPE, "text": "", "_meta": { "ui": { "csp": csp } } });
        let claude = profile::named("claude").unwrap();
        let shown =
            ViewDocument::from_result(&json!({ "contents": [content] }), "ui://a", None, &claude).unwrap();
        let policy = shown.policy(&claude, &[], "/report");
        assert!(policy.contains("frame-src 'none'") && policy.contains("https://api.example"), "{policy}");
        assert!(policy.contains("'unsafe-eval'"), "{policy}");
        assert!(shown.findings.iter().any(|finding| finding.text.contains("frameDomains")));
        assert_eq!(shown.approved()["frameDomains"], Value::Null);
    }

    #[test]
    fn a_widget_is_shown_where_the_apps_sdk_is_spoken() {
        let meta = json!({ "openai/widgetCSP": { "connect_domains": ["https://api.example"], "redirect_domains": ["https://shop.example"] } });
        let content = json!({ "uri": "ui://a", "mimeType": openai::MIME_TYPE, "text": "<p>", "_meta": meta });
        let result = json!({ "contents": [content] });
        let chatgpt = profile::named("chatgpt").unwrap();
        let shown = ViewDocument::from_result(&result, "ui://a", None, &chatgpt).unwrap();
        assert!(shown.policy(&chatgpt, &[], "/report").contains("connect-src https://api.example"));
        assert_eq!(shown.redirects, ["https://shop.example"]);
        assert!(ViewDocument::from_result(&result, "ui://a", None, &strict()).is_err());
    }

    #[test]
    fn the_standard_counts_before_the_apps_sdk() {
        let meta = json!({ "openai/widgetCSP": { "connect_domains": ["https://their.example"] }, "ui": { "csp": { "connectDomains": ["https://our.example"] } } });
        let content = json!({ "uri": "ui://a", "mimeType": apps::MIME_TYPE, "text": "", "_meta": meta });
        let chatgpt = profile::named("chatgpt").unwrap();
        let shown =
            ViewDocument::from_result(&json!({ "contents": [content] }), "ui://a", None, &chatgpt).unwrap();
        let policy = shown.policy(&chatgpt, &[], "/report");
        assert!(
            policy.contains("https://our.example") && !policy.contains("https://their.example"),
            "{policy}"
        );
    }

    #[test]
    fn a_profile_can_widen_a_policy() {
        let policy = "script-src 'self'; connect-src 'none'";
        assert_eq!(
            widen_policy(policy, "script-src", &["blob:".into()]),
            "script-src 'self' blob:; connect-src 'none'"
        );
        assert_eq!(widen_policy(policy, "connect-src", &["a".into()]), "script-src 'self'; connect-src a");
        assert_eq!(widen_policy(policy, "worker-src", &["b".into()]), format!("{policy}; worker-src b"));
    }
}
