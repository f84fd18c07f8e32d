//! How a server is doing, and what it has.

use protocol::apps::{ToolUi, Visibility, openai};
use serde::Serialize;
use serde_json::{Map, Value, json};
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
    /// How many items of the list of tools are none.
    pub(crate) strays: usize,
    /// The listed resources that are user interfaces.
    pub(crate) resources: Vec<Value>,
}

/// A tool, and what it says about its view.
#[derive(Clone, Debug)]
pub(crate) struct Tool {
    /// As it is listed: an object with a name.
    pub(crate) listed: Map<String, Value>,
    pub(crate) uri: Option<String>,
    /// As the standard has it.
    standard: Visibility,
    /// It speaks of its view in the words of the OpenAI Apps SDK alone.
    openai_only: bool,
    pub(crate) findings: Vec<Finding>,
}

impl Tool {
    /// A tool as it is listed, unless the item is none. The template of the OpenAI Apps SDK counts where there is no other.
    pub(crate) fn of(item: Value) -> Option<Self> {
        let (ui, findings) = ToolUi::of(&item);
        let openai_only = openai::is_openai_only(&item);
        let template = item["_meta"][openai::OUTPUT_TEMPLATE].as_str().map(str::to_owned);
        let Value::Object(listed) = item else { return None };
        listed.get("name").filter(|name| name.is_string())?;
        let findings = findings.iter().map(|finding| Finding::of(finding, "resource-discovery"));
        let findings =
            findings.chain(odd_members(&listed).map(|(name, kind)| {
                Finding::note(format!("{name} is no {kind}, and is left out of the form"))
            }));
        let findings = findings.collect();
        let uri = ui.resource_uri.or(template);
        Some(Self { uri, standard: ui.visibility, openai_only, findings, listed })
    }

    /// A member of what is listed; null where there is none.
    pub(crate) fn member(&self, name: &str) -> &Value {
        self.listed.get(name).unwrap_or(&Value::Null)
    }

    /// Who may call the tool, in a host that has that much of the OpenAI Apps SDK.
    pub(crate) fn visibility(&self, openai: Option<&Openai>) -> Visibility {
        let meta = self.member("_meta");
        let Some(host) = openai.filter(|_| meta.pointer("/ui/visibility").is_none()) else {
            return self.standard;
        };
        // In their words a widget calls what is declared accessible; a tool that does not speak them is for everybody.
        let accessible = meta[openai::WIDGET_ACCESSIBLE].as_bool();
        let accessible = accessible.unwrap_or(!self.openai_only);
        Visibility {
            model: !host.reads(openai::VISIBILITY) || meta[openai::VISIBILITY] != "private",
            app: !host.reads(openai::WIDGET_ACCESSIBLE) || accessible,
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.member("name").as_str().unwrap_or_default()
    }

    pub(crate) fn title(&self) -> &str {
        let title = self.member("title").as_str().or(self.member("annotations")["title"].as_str());
        title.unwrap_or_else(|| self.name())
    }

    fn to_value(&self) -> Value {
        let mut tool = self.listed.clone();
        let known = json!({
            "uri": self.uri,
            "visibility": { "model": self.standard.model, "app": self.standard.app },
            "isUi": self.uri.is_some(),
            "openaiOnly": self.openai_only,
            "findings": self.findings,
        });
        for (name, _) in odd_members(&self.listed) {
            tool.shift_remove(name);
        }
        tool.insert("yardstick".to_owned(), known);
        Value::Object(tool)
    }
}

/// What the page relies on, besides the name.
const MEMBERS: [(&str, Kind); 5] = [
    ("title", Kind::String),
    ("description", Kind::String),
    ("inputSchema", Kind::Object),
    ("annotations", Kind::Object),
    ("_meta", Kind::Object),
];

/// What a member has to be.
#[derive(Clone, Copy, Debug)]
enum Kind {
    String,
    Object,
}

/// The members that are something else than they have to be, with what that is.
fn odd_members(listed: &Map<String, Value>) -> impl Iterator<Item = (&'static str, &'static str)> {
    MEMBERS.iter().filter_map(|(name, kind)| {
        let value = listed.get(*name)?;
        let (fits, kind) = match kind {
            Kind::String => (value.is_string(), "string"),
            Kind::Object => (value.is_object(), "object"),
        };
        (!fits).then_some((*name, kind))
    })
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

    /// Takes over a list of tools; items that are no tools are counted.
    pub(crate) fn list_tools(&mut self, items: Vec<Value>) {
        let count = items.len();
        self.tools = items.into_iter().filter_map(Tool::of).collect();
        self.strays = count - self.tools.len();
    }

    /// What there is to say about the server: how it is doing, and what is wrong with its list.
    fn remark(&self) -> Option<String> {
        let strays = (self.strays > 0).then(|| {
            format!("tools/list has items that are no object with a name; left out: {}", self.strays)
        });
        match (&self.note, strays) {
            (Some(note), Some(strays)) => Some(format!("{note}; {strays}")),
            (note, strays) => note.clone().or(strays),
        }
    }

    /// Whether this is how the tools were listed before.
    pub(crate) fn knows(&self, tools: &[Value]) -> bool {
        let is_known = |listed: &Value| {
            let (Some(listed), Some(name)) = (listed.as_object(), listed["name"].as_str()) else {
                return true;
            };
            self.tools.iter().any(|tool| tool.name() == name && tool.listed == *listed)
        };
        tools.iter().all(is_known)
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
            "note": self.remark(),
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
        let listed =
            json!({ "name": "t", "_meta": { "ui": { "resourceUri": "ui://a", "visibility": ["app"] } } });
        let tool = Tool::of(listed).unwrap();
        assert_eq!(tool.uri.as_deref(), Some("ui://a"));
        assert!(tool.visibility(None).app && !tool.visibility(None).model);
        assert_eq!(tool.to_value()["yardstick"]["visibility"], json!({ "model": false, "app": true }));
        let listed = json!({ "name": "t", "title": "T", "_meta": { "openai/outputTemplate": "ui://b" } });
        let other = Tool::of(listed).unwrap();
        assert_eq!((other.uri.as_deref(), other.title()), (Some("ui://b"), "T"));
    }

    #[test]
    fn what_is_no_object_with_a_name_is_no_tool() {
        for item in [json!("tool"), json!(5), Value::Null, json!(["name"]), json!({}), json!({ "name": {} })]
        {
            assert!(Tool::of(item.clone()).is_none(), "{item}");
        }
    }

    fn seen(meta: &Value, openai: Option<&Openai>) -> (bool, bool) {
        let seen = Tool::of(json!({ "name": "t", "_meta": meta })).unwrap().visibility(openai);
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
