//! Both ends use only capabilities that the other end announced, and support those that they announce.

use serde_json::Value;

use super::PlacedMessage;
use crate::apps::breach::Breach;
use crate::apps::direction::{BridgeDirection, BridgeParty};
use crate::apps::method::UiMethod;
use crate::apps::{Modality, rule};
use crate::code;

/// The capabilities that both ends announced.
#[derive(Clone, Debug, Default)]
pub(super) struct CapabilityRules {
    app: Option<Value>,
    host: Option<Value>,
}

impl CapabilityRules {
    pub(super) fn judge(&mut self, placed: &PlacedMessage<'_>, found: &mut Vec<Breach>) {
        let params = placed.message.params();
        match placed.method_sent(BridgeDirection::ViewToHost) {
            Some("ui/initialize") => self.app = Some(params["appCapabilities"].clone()),
            Some(name) => self.judge_view_use(name, params, found),
            None => {}
        }
        if let Some(name) = placed.method_sent(BridgeDirection::HostToView) {
            self.judge_host_use(name, found);
        }
        if let Some((about, result)) = placed.granted_request(BridgeDirection::ViewToHost)
            && about.method == "ui/initialize"
        {
            self.host = Some(result["hostCapabilities"].clone());
        }
        self.judge_denial(placed, found);
    }

    /// The text describes the capabilities of a host. Only for sampling does it forbid a View to ignore them.
    fn judge_view_use(&self, name: &str, params: &Value, found: &mut Vec<Breach>) {
        let by = BridgeParty::View;
        if let (Some(host), Some(needed)) =
            (&self.host, BridgeDirection::ViewToHost.method(name).and_then(needed_of_host))
        {
            let says = |what: &str| format!("{name} needs {what}, which the host did not announce");
            let sampling = needed == "sampling";
            if !host[needed].is_object() {
                let rule = if sampling { &rule::SAMPLING_ANNOUNCED } else { &rule::HOST_ANNOUNCED };
                found.push(rule.broken(by, says(needed)));
            } else if sampling && params.get("tools").is_some() && !host["sampling"]["tools"].is_object() {
                found.push(rule::SAMPLING_ANNOUNCED.broken(by, says("sampling.tools")));
            }
        }
        if name == "notifications/tools/list_changed"
            && let Some(app) = &self.app
            && app["tools"]["listChanged"] != Value::Bool(true)
        {
            let says = "the View tells of a change of its tools, and did not announce tools.listChanged";
            found.push(rule::LIST_CHANGED.broken(by, says));
        }
        self.judge_kinds(name, params, found);
    }

    fn judge_host_use(&self, name: &str, found: &mut Vec<Breach>) {
        let by = BridgeParty::Host;
        let asks_for_tools = matches!(name, "tools/call" | "tools/list");
        if asks_for_tools && self.app.as_ref().is_some_and(|app| !app["tools"].is_object()) {
            let says = format!("{name} is sent to a View that declared no tools");
            found.push(rule::APP_ANNOUNCED.broken(by, says));
        }
        let list = match name {
            "notifications/tools/list_changed" => "serverTools",
            "notifications/resources/list_changed" => "serverResources",
            _ => return,
        };
        if self.host.as_ref().is_some_and(|host| host[list]["listChanged"] != Value::Bool(true)) {
            let says = format!("{name} is sent, and {list}.listChanged was not announced");
            found.push(rule::LIST_CHANGED.broken(by, says));
        }
    }

    /// Judges kinds of content that the host does not accept. A host that lists no kinds accepts any.
    fn judge_kinds(&self, name: &str, params: &Value, found: &mut Vec<Breach>) {
        let member = match name {
            "ui/message" => "message",
            "ui/update-model-context" => "updateModelContext",
            _ => return,
        };
        let Some(taken) = self.host.as_ref().and_then(|host| host[member].as_object()) else { return };
        if taken.is_empty() {
            return;
        }
        for kind in kinds_in(params).into_iter().filter(|kind| !taken.contains_key(kind.key())) {
            let says = format!("{name} has {}, which the host does not take", kind.key());
            found.push(rule::MODALITY.broken(BridgeParty::View, says));
        }
    }

    /// Judges an end that announced a capability and then does not know its method.
    fn judge_denial(&self, placed: &PlacedMessage<'_>, found: &mut Vec<Breach>) {
        if let Some((about, code::METHOD_NOT_FOUND)) = placed.refused_request(BridgeDirection::ViewToHost)
            && let Some(needed) = BridgeDirection::ViewToHost.method(&about.method).and_then(stable_need)
            && self.host.as_ref().is_some_and(|host| host[needed].is_object())
        {
            let says = format!("{} is not known to the host, which announced {needed}", about.method);
            found.push(rule::HOST_KEEPS.broken(BridgeParty::Host, says));
        }
        if let Some((about, code::METHOD_NOT_FOUND)) = placed.refused_request(BridgeDirection::HostToView)
            && matches!(about.method.as_str(), "tools/list" | "tools/call")
            && self.app.as_ref().is_some_and(|app| app["tools"].is_object())
        {
            let says = format!("{} is not known to the View, which declared tools", about.method);
            found.push(rule::APP_KEEPS.broken(BridgeParty::View, says));
        }
    }
}

fn needed_of_host(row: &'static UiMethod) -> Option<&'static str> {
    row.host_capability
}

/// The capability that certainly covers the method: `serverTools` is older than `tools/list`.
fn stable_need(row: &'static UiMethod) -> Option<&'static str> {
    let later = matches!(row.name, "tools/list" | "resources/list" | "resources/templates/list");
    row.host_capability.filter(|_| !later)
}

/// The kinds of content that a message has.
fn kinds_in(params: &Value) -> Vec<Modality> {
    let one = std::slice::from_ref(&params["content"]);
    let items = params["content"].as_array().map_or(one, Vec::as_slice);
    let mut kinds: Vec<_> = items.iter().filter_map(|item| kind(item["type"].as_str()?)).collect();
    if params.get("structuredContent").is_some() {
        kinds.push(Modality::StructuredContent);
    }
    let mut seen = Vec::new();
    kinds.retain(|kind| {
        !seen.contains(kind) && {
            seen.push(*kind);
            true
        }
    });
    kinds
}

fn kind(name: &str) -> Option<Modality> {
    match name {
        "text" => Some(Modality::Text),
        "image" => Some(Modality::Image),
        "audio" => Some(Modality::Audio),
        "resource" => Some(Modality::Resource),
        "resource_link" => Some(Modality::ResourceLink),
        _ => None,
    }
}
