//! Checks a message against its definition.

use serde_json::Value;

use super::UnansweredRequest;
use crate::Version;
use crate::apps::breach::Breach;
use crate::apps::direction::BridgeParty;
use crate::apps::method::UiMethod;
use crate::apps::rule;
use crate::method;
use crate::schema::{Extension, Schema, SchemaFlaw, Validator};

/// The revision that the text links to.
const BASE: Version = Version::V2025_11_25;
/// Hosts may pass on messages of servers that speak this revision.
const MODERN: Version = Version::V2026_07_28;

/// Checks a request or notification.
pub(super) fn check_call(by: BridgeParty, row: &UiMethod, value: &Value) -> Vec<Breach> {
    let (name, newer) = match row.schema {
        Some(name) => (Some(name), None),
        None => (message_name(BASE, row.name), message_name(MODERN, row.name)),
    };
    compare(by, name.and_then(bridge_validator), newer.and_then(modern_validator), value, "")
}

/// Checks the result of a request.
pub(super) fn check_result(by: BridgeParty, about: &UnansweredRequest, result: &Value) -> Vec<Breach> {
    // Newer servers may ask for input or answer with a task. The bridge does not define these results.
    let elsewhere = result["resultType"].as_str().is_some_and(|kind| kind != "complete");
    if elsewhere || about.method == "tools/call" && result["task"].is_object() {
        return Vec::new();
    }
    let row = about.direction.method(&about.method);
    let name = match row.and_then(|row| row.schema) {
        Some(request) => request.strip_suffix("Request").map(|stem| format!("{stem}Result")),
        None => row.and_then(|row| method::find(BASE, row.name)?.result.map(str::to_owned)),
    };
    compare(by, name.as_deref().and_then(bridge_validator), None, result, "/result")
}

/// Checks an error response.
pub(super) fn check_error(by: BridgeParty, value: &Value) -> Vec<Breach> {
    let mut value = value.clone();
    // An error whose request could not be read has a null id in JSON-RPC, and none in MCP.
    if let Some(members) = value.as_object_mut().filter(|members| members.get("id") == Some(&Value::Null)) {
        members.remove("id");
    }
    compare(by, bridge_validator("JSONRPCErrorResponse"), None, &value, "")
}

fn message_name(version: Version, name: &str) -> Option<&'static str> {
    method::find(version, name).map(|row| row.message)
}

fn bridge_validator(name: &str) -> Option<Validator> {
    Schema::for_version(BASE).with(Extension::Apps).validator(name)
}

fn modern_validator(name: &str) -> Option<Validator> {
    Schema::for_version(MODERN).validator(name)
}

fn compare(
    by: BridgeParty,
    validator: Option<Validator>,
    newer: Option<Validator>,
    value: &Value,
    under: &str,
) -> Vec<Breach> {
    let Some(validator) = validator else { return Vec::new() };
    let place = |flaw: &SchemaFlaw| format!("{under}{}", flaw.path);
    if validator.accepts(value) {
        let alike = validator.lookalikes(value);
        return alike.iter().map(|flaw| rule::SPELLING.broken(by, &flaw.message).at(place(flaw))).collect();
    }
    if newer.is_some_and(|newer| newer.accepts(value)) {
        return Vec::new();
    }
    let flaws = validator.check(value);
    let says = |flaw: &SchemaFlaw| format!("{} ({})", flaw.message, validator.name());
    flaws.iter().map(|flaw| rule::SHAPE.broken(by, says(flaw)).at(place(flaw))).collect()
}
