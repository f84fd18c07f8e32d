//! The state of a server and what it offers, as of one moment.

use protocol::apps::{ToolUi, Visibility, openai};
use serde::Serialize;
use serde_json::{Map, Value, json};
use transport::client::Session;

use super::SupervisedServer;
use crate::finding::PageFinding;
use crate::profile::Openai;

/// The state of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ConnectionState {
    /// The host is connecting.
    #[default]
    Connecting,
    /// The connection works.
    Ready,
    /// The connection was lost; the host is connecting again.
    Lost,
    /// The host could not connect; it tries again.
    Failed,
}

/// What the host knows of a server at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Snapshot {
    pub(crate) state: ConnectionState,
    /// A remark on the state, if there is one.
    pub(crate) note: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) protocol: String,
    pub(crate) era: String,
    pub(crate) transport: String,
    pub(crate) capabilities: Value,
    pub(crate) tools: Vec<ToolSnapshot>,
    /// How many items of the list of tools are not tools.
    pub(crate) strays: usize,
    /// The listed resources with a `ui://` URI.
    pub(crate) resources: Vec<Value>,
}

/// A tool, and what it declares about its View.
#[derive(Clone, Debug)]
pub(crate) struct ToolSnapshot {
    /// The listed item: an object with a name.
    pub(crate) listed: Map<String, Value>,
    pub(crate) uri: Option<String>,
    /// The visibility that `_meta.ui` declares.
    standard: Visibility,
    /// The tool declares its View only in the metadata of the OpenAI Apps SDK.
    openai_only: bool,
    pub(crate) findings: Vec<PageFinding>,
}

impl ToolSnapshot {
    /// Parses a listed item; none if it is not a tool. The template of the OpenAI Apps SDK counts only if `_meta.ui`
    /// names none.
    pub(crate) fn from_item(item: Value) -> Option<Self> {
        let (ui, findings) = ToolUi::from_tool(&item);
        let openai_only = openai::is_openai_only(&item);
        let template = item["_meta"][openai::OUTPUT_TEMPLATE].as_str().map(str::to_owned);
        let Value::Object(listed) = item else { return None };
        listed.get("name").filter(|name| name.is_string())?;
        let findings =
            findings.iter().map(|finding| PageFinding::from_metadata(finding, "resource-discovery"));
        let findings =
            findings.chain(odd_members(&listed).map(|(name, kind)| {
                PageFinding::note(format!("{name} is not {kind}, so the page ignores it"))
            }));
        let findings = findings.collect();
        let uri = ui.resource_uri.or(template);
        Some(Self { uri, standard: ui.visibility, openai_only, findings, listed })
    }

    /// A member of the listed item; null if it is missing.
    pub(crate) fn member(&self, name: &str) -> &Value {
        self.listed.get(name).unwrap_or(&Value::Null)
    }

    /// Who may call the tool in a host with this support for the OpenAI Apps SDK.
    pub(crate) fn visibility(&self, openai: Option<&Openai>) -> Visibility {
        let meta = self.member("_meta");
        let Some(host) = openai.filter(|_| meta.pointer("/ui/visibility").is_none()) else {
            return self.standard;
        };
        // In the Apps SDK a widget may call the tools that are declared accessible. Tools without such metadata are
        // for everybody.
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

/// How many bytes of a server's name and version are kept.
const MAX_NAME_BYTES: usize = 200;
/// The members that the page uses besides the name.
const CHECKED_MEMBERS: [(&str, MemberKind); 5] = [
    ("title", MemberKind::String),
    ("description", MemberKind::String),
    ("inputSchema", MemberKind::Object),
    ("annotations", MemberKind::Object),
    ("_meta", MemberKind::Object),
];

/// The type that a member must have.
#[derive(Clone, Copy, Debug)]
enum MemberKind {
    String,
    Object,
}

/// The members that have the wrong type, each with the expected type.
fn odd_members(listed: &Map<String, Value>) -> impl Iterator<Item = (&'static str, &'static str)> {
    CHECKED_MEMBERS.iter().filter_map(|(name, kind)| {
        let value = listed.get(*name)?;
        let (fits, kind) = match kind {
            MemberKind::String => (value.is_string(), "a string"),
            MemberKind::Object => (value.is_object(), "an object"),
        };
        (!fits).then_some((*name, kind))
    })
}

/// The beginning of a server's name or version, which the page shows in many places.
fn shortened(text: &str) -> String {
    match text.len() > MAX_NAME_BYTES {
        true => format!("{}…", &text[..text.floor_char_boundary(MAX_NAME_BYTES)]),
        false => text.to_owned(),
    }
}

impl Snapshot {
    /// The state after the handshake.
    pub(crate) fn from_handshake(session: &Session) -> Self {
        let server = session.server();
        let info = server.info.unwrap_or_default();
        let text = |name: &str| info[name].as_str().map(shortened);
        Self {
            name: text("title").or_else(|| text("name")),
            version: text("version"),
            protocol: session.version().to_string(),
            era: format!("{:?}", session.version().era()).to_lowercase(),
            transport: session.transport_name().to_owned(),
            capabilities: server.capabilities,
            ..Self::default()
        }
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&ToolSnapshot> {
        self.tools.iter().find(|tool| tool.name() == name)
    }

    /// Stores the listed tools, and counts the items that are not tools.
    pub(crate) fn list_tools(&mut self, items: Vec<Value>) {
        let count = items.len();
        self.tools = items.into_iter().filter_map(ToolSnapshot::from_item).collect();
        self.strays = count - self.tools.len();
    }

    /// The remarks on the connection and on the list of tools.
    fn connection_note(&self) -> Option<String> {
        let strays = (self.strays > 0).then(|| {
            format!("tools/list has items that are not objects with a name; left out: {}", self.strays)
        });
        match (&self.note, strays) {
            (Some(note), Some(strays)) => Some(format!("{note}; {strays}")),
            (note, strays) => note.clone().or(strays),
        }
    }

    /// Whether all these tools are known exactly as they are listed.
    pub(crate) fn has_tools(&self, tools: &[Value]) -> bool {
        let is_known = |listed: &Value| {
            let (Some(listed), Some(name)) = (listed.as_object(), listed["name"].as_str()) else {
                return true;
            };
            self.tools.iter().any(|tool| tool.name() == name && tool.listed == *listed)
        };
        tools.iter().all(is_known)
    }

    /// The state as the page reads it.
    pub(crate) fn to_value(&self, server: &SupervisedServer) -> Value {
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
            "note": self.connection_note(),
            "capabilities": self.capabilities,
            "tools": self.tools.iter().map(ToolSnapshot::to_value).collect::<Vec<_>>(),
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
        let tool = ToolSnapshot::from_item(listed).unwrap();
        assert_eq!(tool.uri.as_deref(), Some("ui://a"));
        assert!(tool.visibility(None).app && !tool.visibility(None).model);
        assert_eq!(tool.to_value()["yardstick"]["visibility"], json!({ "model": false, "app": true }));
        let listed = json!({ "name": "t", "title": "T", "_meta": { "openai/outputTemplate": "ui://b" } });
        let other = ToolSnapshot::from_item(listed).unwrap();
        assert_eq!((other.uri.as_deref(), other.title()), (Some("ui://b"), "T"));
    }

    #[test]
    fn an_item_that_is_not_an_object_with_a_name_is_not_a_tool() {
        for item in [json!("tool"), json!(5), Value::Null, json!(["name"]), json!({}), json!({ "name": {} })]
        {
            assert!(ToolSnapshot::from_item(item.clone()).is_none(), "{item}");
        }
    }

    fn visibility_of(meta: &Value, openai: Option<&Openai>) -> (bool, bool) {
        let seen = ToolSnapshot::from_item(json!({ "name": "t", "_meta": meta })).unwrap().visibility(openai);
        (seen.model, seen.app)
    }

    #[test]
    fn a_widget_calls_what_is_declared_accessible() {
        let host = Openai::default();
        let widget = |accessible: Value| json!({ "openai/outputTemplate": "ui://a", "openai/widgetAccessible": accessible });
        assert_eq!(visibility_of(&widget(json!(true)), Some(&host)), (true, true));
        assert_eq!(visibility_of(&widget(json!(false)), Some(&host)), (true, false));
        assert_eq!(visibility_of(&json!({ "openai/outputTemplate": "ui://a" }), Some(&host)), (true, false));
        assert_eq!(visibility_of(&Value::Null, Some(&host)), (true, true));
        assert_eq!(visibility_of(&widget(json!(false)), None), (true, true));
        let deaf: Openai = serde_json::from_value(json!({ "unread": ["openai/widgetAccessible"] })).unwrap();
        assert_eq!(visibility_of(&widget(json!(false)), Some(&deaf)), (true, true));
    }

    #[test]
    fn a_private_tool_is_not_for_the_model() {
        let private = json!({ "openai/visibility": "private", "openai/widgetAccessible": true });
        assert_eq!(visibility_of(&private, Some(&Openai::default())), (false, true));
        assert_eq!(visibility_of(&private, None), (true, true));
    }

    #[test]
    fn the_standard_visibility_counts_before_theirs() {
        let both = json!({ "ui": { "visibility": ["app"] }, "openai/visibility": "public", "openai/widgetAccessible": false });
        assert_eq!(visibility_of(&both, Some(&Openai::default())), (false, true));
    }
}
