//! Checks what the types of a message allow but its meaning does not.

use serde_json::Value;

use super::UnansweredRequest;
use crate::apps::breach::{Breach, Gravity};
use crate::apps::direction::BridgeParty;
use crate::apps::{
    AppCapabilities, HostCapabilities, HostContext, MetadataProblem, PROTOCOL_VERSION, Weight, rule,
};

/// A larger frame is a mistake or an attack.
const MAX_PIXELS: f64 = 32_767.0;

/// Checks a request or notification that has the right members.
pub(super) fn check_call(by: BridgeParty, method: &str, params: &Value) -> Vec<Breach> {
    match method {
        "ui/initialize" => {
            let mut found = check_version(by, params);
            found.extend(breaches_of(by, AppCapabilities::from_value(&params["appCapabilities"]).1));
            found
        }
        "ui/notifications/host-context-changed" => breaches_of(by, HostContext::from_value(params).1),
        "ui/notifications/size-changed" => check_sizes(by, params),
        // The text requires arguments; in its TypeScript they are optional.
        "ui/notifications/tool-input" | "ui/notifications/tool-input-partial" => {
            require_one_of(by, params, &["arguments"], "has no arguments; those of a call without any are {}")
        }
        "ui/update-model-context" => require_one_of(
            by,
            params,
            &["content", "structuredContent"],
            "has neither content nor structuredContent, which empties the context",
        ),
        "ui/open-link" => check_link(by, params),
        "ui/message" => refuse_empty(by, params, "content"),
        "ui/download-file" => refuse_empty(by, params, "contents"),
        "ui/notifications/sandbox-resource-ready" if params["html"].as_str() == Some("") => {
            vec![rule::SENSE.broken(by, "is empty").at("/params/html")]
        }
        _ => Vec::new(),
    }
}

/// Checks a result that has the right members.
pub(super) fn check_result(by: BridgeParty, about: &UnansweredRequest, result: &Value) -> Vec<Breach> {
    if about.method != "ui/initialize" {
        return Vec::new();
    }
    let mut found = check_version(by, result);
    found.extend(breaches_of(by, HostCapabilities::from_value(&result["hostCapabilities"]).1));
    match result.get("hostContext") {
        Some(context) => found.extend(breaches_of(by, HostContext::from_value(context).1)),
        None => found.push(rule::HOST_CONTEXT.broken(by, "hostContext is missing")),
    }
    found
}

/// A View may ask for a later version, and a host answers with its own.
fn check_version(by: BridgeParty, named: &Value) -> Vec<Breach> {
    match named["protocolVersion"].as_str() {
        Some(version) if version != PROTOCOL_VERSION => {
            let says = format!("`{version}` is not the known version, {PROTOCOL_VERSION}");
            vec![rule::PROTOCOL_VERSION.broken(by, says).at("protocolVersion")]
        }
        _ => Vec::new(),
    }
}

fn breaches_of(by: BridgeParty, findings: Vec<MetadataProblem>) -> Vec<Breach> {
    findings.into_iter().map(|finding| to_breach(by, finding)).collect()
}

fn to_breach(by: BridgeParty, finding: MetadataProblem) -> Breach {
    let gravity = match finding.weight {
        // An unknown permission may come from a later version.
        Weight::Broken if finding.at.contains(".permissions.") => Gravity::Note,
        Weight::Broken => Gravity::Must,
        Weight::Deprecated => Gravity::Should,
        Weight::Doubtful => Gravity::Note,
    };
    rule::SHAPE.broken(by, finding.says).at(finding.at).at_most(gravity)
}

fn check_sizes(by: BridgeParty, params: &Value) -> Vec<Breach> {
    let mut found = require_one_of(by, params, &["width", "height"], "has neither width nor height");
    for name in ["width", "height"] {
        let Some(size) = params[name].as_f64() else { continue };
        let place = format!("/params/{name}");
        if size < 0.0 {
            found.push(rule::SIZE.broken(by, format!("{size} is not a size")).at(place));
        } else if size > MAX_PIXELS {
            let says = format!("{size} pixels are more than a host will show");
            found.push(rule::SENSE.broken(by, says).at(place));
        }
    }
    found
}

fn check_link(by: BridgeParty, params: &Value) -> Vec<Breach> {
    let url = params["url"].as_str().unwrap_or_default();
    let web = ["http://", "https://"]
        .iter()
        .any(|scheme| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
    let says = "is not an http or https URL; hosts are likely to refuse it";
    if web { Vec::new() } else { vec![rule::SENSE.broken(by, says).at("/params/url")] }
}

fn require_one_of(by: BridgeParty, params: &Value, names: &[&str], says: &str) -> Vec<Breach> {
    let there = names.iter().any(|name| params.get(name).is_some());
    if there { Vec::new() } else { vec![rule::SENSE.broken(by, says)] }
}

fn refuse_empty(by: BridgeParty, params: &Value, name: &str) -> Vec<Breach> {
    let empty = params[name].as_array().is_some_and(Vec::is_empty);
    if empty { vec![rule::SENSE.broken(by, "is empty").at(format!("/params/{name}"))] } else { Vec::new() }
}
