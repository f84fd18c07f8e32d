//! The tables say what the official schemas say.

use serde_json::Value;
use yardstick_protocol::apps;
use yardstick_protocol::method::{self, MethodDirection, MethodKind, Side};
use yardstick_protocol::{Version, code, meta};

use crate::official::{Official, load};

/// The methods that a revision's schema has, each with the name of its definition.
fn consts(official: &Official) -> Vec<(String, String)> {
    let method =
        |definition: &Value| Some(definition.pointer("/properties/method/const")?.as_str()?.to_owned());
    let rows = official.definitions().iter();
    let named = rows.filter_map(|(name, definition)| Some((method(definition)?, name.clone())));
    // 2026-07-28 has one client notification, so its union is a copy of it.
    named.filter(|(_, name)| name != "ClientNotification").collect()
}

#[test]
fn every_official_method_is_in_the_table_and_none_else() {
    for version in Version::ALL {
        let Some(official) = Official::of(version) else { continue };
        let consts = consts(&official);
        assert!(!consts.is_empty());
        for (name, definition) in &consts {
            let row = method::find(version, name).unwrap_or_else(|| panic!("{version} has {name}"));
            assert_eq!(row.message, definition, "{name} in {version}");
        }
        let core = method::methods_in(version).filter(|row| row.extension.is_none());
        for row in core {
            assert!(consts.iter().any(|(name, _)| name == row.name), "{version} has no {}", row.name);
        }
    }
}

#[test]
fn results_have_official_names() {
    for version in Version::ALL {
        let Some(official) = Official::of(version) else { continue };
        for row in method::methods_in(version).filter(|row| row.extension.is_none()) {
            if let Some(name) = row.result {
                assert!(official.definitions().contains_key(name), "{name} of {} in {version}", row.name);
            }
        }
    }
}

#[test]
fn directions_and_kinds_are_those_of_the_unions() {
    for version in Version::ALL {
        let Some(official) = Official::of(version) else { continue };
        let mut client = [official.members("ClientRequest"), official.members("ClientNotification")].concat();
        if version == Version::V2026_07_28 {
            client.push("CancelledNotification");
        }
        let inputs = official.members("InputRequest");
        let server = [official.members("ServerRequest"), official.members("ServerNotification")].concat();
        for row in method::methods_in(version).filter(|row| row.extension.is_none()) {
            assert_eq!(
                row.kind == MethodKind::Input,
                inputs.contains(&row.message),
                "{} in {version}",
                row.name
            );
            if row.kind == MethodKind::Input {
                assert_eq!(row.direction, MethodDirection::ServerToClient);
                continue;
            }
            let sent_by = |side| row.direction.allows(side);
            assert_eq!(
                sent_by(Side::Client),
                client.contains(&row.message),
                "{} by clients of {version}",
                row.name
            );
            assert_eq!(
                sent_by(Side::Server),
                server.contains(&row.message),
                "{} by servers of {version}",
                row.name
            );
        }
    }
}

#[test]
fn cacheable_and_interim_results_are_those_of_the_schema() {
    let version = Version::V2026_07_28;
    let Some(official) = Official::of(version) else { return };
    for row in
        method::methods_in(version).filter(|row| row.kind == MethodKind::Request && row.extension.is_none())
    {
        let result = &official.definitions()[row.result.unwrap()];
        assert_eq!(row.cacheable(version), result.pointer("/properties/ttlMs").is_some(), "{}", row.name);
        let response = &official.definitions()[&format!("{}Response", row.result.unwrap())];
        let interim = response["properties"]["result"].to_string().contains("InputRequiredResult");
        assert_eq!(row.may_require_input(version), interim, "{}", row.name);
    }
}

#[test]
fn error_definitions_carry_their_codes() {
    for version in Version::ALL {
        let Some(official) = Official::of(version) else { continue };
        for row in code::CODES {
            let Some(definition) = row.schema.and_then(|name| official.definitions().get(name)) else {
                assert!(row.schema.is_none() || !row.span.contains(version), "{} in {version}", row.name);
                continue;
            };
            assert!(row.span.contains(version), "{} in {version}", row.name);
            assert!(definition.to_string().contains(&format!("\"const\":{}", row.code)), "{}", row.name);
        }
    }
}

#[test]
fn reserved_meta_keys_are_those_of_the_schema() {
    let Some(official) = Official::of(Version::V2026_07_28) else { return };
    let in_schema = |name: &str, key: &str| official.definitions()[name]["properties"].get(key).is_some();
    for name in ["RequestMetaObject", "NotificationMetaObject", "ResultMetaObject"] {
        for key in official.definitions()[name]["properties"].as_object().unwrap().keys() {
            assert!(meta::RESERVED_KEYS.iter().any(|row| row.key == key), "{key} of {name}");
        }
    }
    let modern = meta::RESERVED_KEYS.iter().filter(|row| row.span.contains(Version::V2026_07_28));
    for row in modern.filter(|row| row.key.contains('/')) {
        assert_eq!(row.in_requests, in_schema("RequestMetaObject", row.key), "{}", row.key);
        assert_eq!(row.in_notifications, in_schema("NotificationMetaObject", row.key), "{}", row.key);
        let in_results = ["ResultMetaObject", "SubscriptionsListenResultMetaObject"]
            .iter()
            .any(|name| in_schema(name, row.key));
        assert_eq!(row.in_results, in_results, "{}", row.key);
    }
}

#[test]
fn bridge_messages_are_those_of_ext_apps() {
    let Some(document) = load("apps-ext-2.0.4.json") else { return };
    let definitions =
        document.get("$defs").or_else(|| document.get("definitions")).unwrap().as_object().unwrap();
    for row in apps::method::METHODS {
        let Some(schema) = row.schema else { continue };
        assert_eq!(definitions[schema].pointer("/properties/method/const"), Some(&row.name.into()));
    }
    for (name, definition) in definitions {
        let Some(method) = definition.pointer("/properties/method/const").and_then(Value::as_str) else {
            continue;
        };
        let rows = apps::method::named(method);
        assert!(rows.iter().any(|row| row.schema == Some(name)), "{method}");
    }
    let mut official: Vec<&str> = definitions["McpUiStyleVariableKey"]["anyOf"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|o| o["const"].as_str())
        .collect();
    let mut ours: Vec<String> = apps::style::names().collect();
    official.sort_unstable();
    ours.sort_unstable();
    assert_eq!(ours, official);
}
