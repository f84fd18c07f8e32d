//! How a server is doing, and what it has.

use protocol::apps::{ToolUi, Visibility, openai};
use serde::Serialize;
use serde_json::{Value, json};
use transport::client::Session;

use super::Server;
use crate::finding::Finding;
use crate::profile::Openai;

/// How a connection is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// It is being made.
    #[default]
    Connecting,
    /// It works.
    Ready,
    /// It worked, and will be made again.
    Lost,
    /// It could not be made; it is tried again.
    Failed,
}

/// What is known of a server at a moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Snapshot {
    pub(crate) state: State,
    /// What there is to say about it, if anything.
    pub(crate) note: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) protocol: String,
    pub(crate) era: String,
    pub(crate) transport: String,
    pub(crate) capabilities: Value,
    pub(crate) tools: Vec<Tool>,
    /// The listed resources that are user interfaces.
    pub(crate) resources: Vec<Value>,
}

/// A tool, and what it says about its view.
#[derive(Clone, Debug)]
pub(crate) struct Tool {
    pub(crate) listed: Value,
    pub(crate) uri: Option<String>,
    /// As the standard has it.
    standard: Visibility,
    pub(crate) findings: Vec<Finding>,
}

impl Tool {
    /// A tool as it is listed. The template of the OpenAI Apps SDK counts where there is no other.
    pub(crate) fn of(listed: Value) -> Self {
        let (ui, findings) = ToolUi::of(&listed);
        let template = listed["_meta"][openai::OUTPUT_TEMPLATE].as_str().map(str::to_owned);
        let findings = findings.iter().map(|finding| Finding::of(finding, "resource-discovery")).collect();
        Self { uri: ui.resource_uri.or(template), standard: ui.visibility, findings, listed }
    }

    /// Who may call the tool, in a host that has that much of the OpenAI Apps SDK.
    pub(crate) fn visibility(&self, openai: Option<&Openai>) -> Visibility {
        let Some(host) = openai.filter(|_| self.listed.pointer("/_meta/ui/visibility").is_none()) else {
            return self.standard;
        };
        let meta = &self.listed["_meta"];
        // In their words a widget calls what is declared accessible; a tool that does not speak them is for everybody.
        let accessible = meta[openai::WIDGET_ACCESSIBLE].as_bool();
        let accessible = accessible.unwrap_or(!openai::is_openai_only(&self.listed));
        Visibility {
            model: !host.reads(openai::VISIBILITY) || meta[openai::VISIBILITY] != "private",
            app: !host.reads(openai::WIDGET_ACCESSIBLE) || accessible,
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.listed["name"].as_str().unwrap_or_default()
    }

    pub(crate) fn title(&self) -> &str {
        let title = self.listed["title"].as_str().or(self.listed["annotations"]["title"].as_str());
        title.unwrap_or_else(|| self.name())
    }

    fn to_value(&self) -> Value {
        let mut tool = self.listed.clone();
        tool["yardstick"] = json!({
            "uri": self.uri,
            "visibility": { "model": self.standard.model, "app": self.standard.app },
            "isUi": self.uri.is_some(),
            "openaiOnly": openai::is_openai_only(&self.listed),
            "findings": self.findings,
        });
        tool
    }
}

impl Snapshot {
    /// What the server said of itself in its handshake.
    pub(crate) fn greeted(session: &Session) -> Self {
        let server = session.server();
        let info = server.info.unwrap_or_default();
        let text = |name: &str| info[name].as_str().map(str::to_owned);
        Self {
            name: text("title").or_else(|| text("name")),
            version: text("version"),
            protocol: session.version().to_string(),
            era: format!("{:?}", session.version().era()).to_lowercase(),
            transport: session.transport().name().to_owned(),
            capabilities: server.capabilities,
            ..Self::default()
        }
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name() == name)
    }

    /// Whether this is how the tools were listed before.
    pub(crate) fn knows(&self, tools: &[Value]) -> bool {
        tools.iter().all(|listed| self.tools.iter().any(|tool| tool.listed == *listed))
    }

    /// As the page reads it.
    pub(crate) fn to_value(&self, server: &Server) -> Value {
        json!({
            "id": server.id,
            "name": server.name(self),
            "title": self.name,
            "version": self.version,
            "description": server.target.describe(),
            "protocol": self.protocol,
            "era": self.era,
            "transport": self.transport,
            "state": self.state,
            "note": self.note,
            "capabilities": self.capabilities,
            "tools": self.tools.iter().map(Tool::to_value).collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_says_who_may_call_it_and_what_shows_it() {
        let tool = Tool::of(
            json!({ "name": "t", "_meta": { "ui": { "resourceUri": "ui://a", "visibility": ["app"] } } }),
        );
        assert_eq!(tool.uri.as_deref(), Some("ui://a"));
        assert!(tool.visibility(None).app && !tool.visibility(None).model);
        assert_eq!(tool.to_value()["yardstick"]["visibility"], json!({ "model": false, "app": true }));
        let other =
            Tool::of(json!({ "name": "t", "title": "T", "_meta": { "openai/outputTemplate": "ui://b" } }));
        assert_eq!((other.uri.as_deref(), other.title()), (Some("ui://b"), "T"));
    }

    fn seen(meta: &Value, openai: Option<&Openai>) -> (bool, bool) {
        let seen = Tool::of(json!({ "name": "t", "_meta": meta })).visibility(openai);
        (seen.model, seen.app)
    }

    #[test]
    fn a_widget_calls_what_is_declared_accessible() {
        let host = Openai::default();
        let widget = |accessible: Value| json!({ "openai/outputTemplate": "ui://a", "openai/widgetAccessible": accessible });
        assert_eq!(seen(&widget(json!(true)), Some(&host)), (true, true));
        assert_eq!(seen(&widget(json!(false)), Some(&host)), (true, false));
        assert_eq!(seen(&json!({ "openai/outputTemplate": "ui://a" }), Some(&host)), (true, false));
        assert_eq!(seen(&Value::Null, Some(&host)), (true, true));
        assert_eq!(seen(&widget(json!(false)), None), (true, true));
        let deaf: Openai = serde_json::from_value(json!({ "unread": ["openai/widgetAccessible"] })).unwrap();
        assert_eq!(seen(&widget(json!(false)), Some(&deaf)), (true, true));
    }

    #[test]
    fn a_private_tool_is_not_for_the_model() {
        let private = json!({ "openai/visibility": "private", "openai/widgetAccessible": true });
        assert_eq!(seen(&private, Some(&Openai::default())), (false, true));
        assert_eq!(seen(&private, None), (true, true));
    }

    #[test]
    fn the_standard_visibility_counts_before_theirs() {
        let both = json!({ "ui": { "visibility": ["app"] }, "openai/visibility": "public", "openai/widgetAccessible": false });
        assert_eq!(seen(&both, Some(&Openai::default())), (false, true));
    }
}
