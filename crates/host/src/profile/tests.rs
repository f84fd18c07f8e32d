use std::collections::BTreeSet;

use serde_json::Map;

use super::*;

/// Claims that a file may make about a host. Each needs a source.
const CLAIMS: [&str; 10] = [
    "hostInfo",
    "capabilities",
    "context",
    "variables",
    "styles",
    "methods",
    "notifications",
    "csp",
    "sandbox",
    "openai",
];
/// Fields that every file has.
const ALWAYS: [&str; 9] =
    ["name", "title", "description", "date", "sources", "protocol", "capabilities", "context", "gaps"];

fn all() -> Vec<(String, Map<String, Value>)> {
    let object = |profile: HostProfile| (profile.name, profile.data.as_object().unwrap().clone());
    profiles().unwrap().into_iter().map(object).collect()
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|item| item.as_str().unwrap()).collect()
}

fn keys<'a>(value: &'a Value, known: &[&str]) -> Vec<&'a str> {
    let Some(object) = value.as_object() else { return Vec::new() };
    object.keys().map(String::as_str).filter(|key| !known.contains(key)).collect()
}

/// Whether the text is a date such as `2026-08-19`.
fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else { return false };
    let within = |part: &str, length: usize, from: u32, to: u32| {
        part.len() == length && part.parse().is_ok_and(|number: u32| (from..=to).contains(&number))
    };
    within(year, 4, 2025, 2100) && within(month, 2, 1, 12) && within(day, 2, 1, 31)
}

#[test]
fn every_file_says_who_it_is_about_and_when() {
    for (name, file) in all() {
        for field in ALWAYS {
            assert!(file.contains_key(field), "{name} has no {field}");
        }
        let known = |field: &str| ALWAYS.contains(&field) || CLAIMS.contains(&field);
        assert_eq!(file.keys().find(|field| !known(field)), None, "{name}");
        assert!(FILES.iter().any(|(listed, _)| *listed == name), "{name} is listed under another name");
        assert!(is_day(file["date"].as_str().unwrap()), "{name}");
        assert!(
            !file["title"].as_str().unwrap().is_empty() && !file["description"].as_str().unwrap().is_empty()
        );
    }
}

#[test]
fn every_file_is_listed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("profiles");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let is_listed = FILES.iter().any(|(listed, _)| *listed == name);
        assert!(is_listed || path.extension().unwrap() != "json", "{name} is not listed in FILES");
    }
}

#[test]
fn a_source_is_an_address_with_a_day_and_says_what_it_vouches_for() {
    for (name, file) in all() {
        for source in file["sources"].as_array().unwrap() {
            let address = url::Url::parse(source["url"].as_str().unwrap()).unwrap();
            assert_eq!(address.scheme(), "https", "{name}");
            assert!(is_day(source["date"].as_str().unwrap()), "{name}: {}", source["date"]);
            assert!(source["what"].as_str().is_some_and(|what| !what.is_empty()), "{name}");
            assert!(!texts(&source["fields"]).is_empty(), "{name}");
            assert!(texts(&source["fields"]).iter().all(|field| CLAIMS.contains(field)), "{name}");
        }
    }
}

#[test]
fn nothing_is_said_without_a_source() {
    for (name, file) in all() {
        let sources = file["sources"].as_array().unwrap();
        let vouched: BTreeSet<&str> = sources.iter().flat_map(|source| texts(&source["fields"])).collect();
        for field in CLAIMS {
            let said = file.get(field).is_some_and(|value| *value != json_false() && !is_empty(value));
            assert!(!said || vouched.contains(field), "{name} says something of {field} without a source");
        }
    }
}

const fn json_false() -> Value {
    Value::Bool(false)
}

/// Whether the value holds nothing but empty lists.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(object) => !object.is_empty() && object.values().all(is_empty),
        Value::Array(list) => list.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[test]
fn what_is_said_is_something_that_is_read() {
    let parts: [(&str, &[&str]); 7] = [
        (
            "context",
            &[
                "displayModes",
                "containerDimensions",
                "userAgent",
                "platform",
                "deviceCapabilities",
                "safeAreaInsets",
                "absent",
            ],
        ),
        ("styles", &["lightDark", "fonts", "absent"]),
        ("methods", &["unsupported", "unannounced"]),
        ("notifications", &["unsent", "ignored"]),
        ("csp", &["extra", "ignored", "note"]),
        ("sandbox", &["view", "denied", "announced"]),
        ("openai", &["methods", "unread"]),
    ];
    for (name, file) in all() {
        for (part, known) in parts {
            let Some(value) = file.get(part) else { continue };
            assert_eq!(keys(value, known), [""; 0], "{name}: {part}");
        }
        for gap in texts(&file["gaps"]) {
            assert!(gap.ends_with('.'), "{name}: {gap}");
        }
    }
}

#[test]
fn the_sandbox_of_a_profile_is_read() {
    let claude = named("claude").unwrap();
    assert_eq!(claude.sandbox, "allow-scripts allow-same-origin allow-forms");
    assert_eq!(claude.denied, [Permission::Camera, Permission::Microphone, Permission::Geolocation]);
    assert_eq!(claude.csp_ignored, [CspList::FrameDomains, CspList::BaseUriDomains]);
    let script = claude.csp_extra.iter().find(|(directive, _)| directive == "script-src").unwrap();
    assert!(script.1.contains(&"'unsafe-eval'".to_owned()));
    assert_eq!(named("codex").unwrap().sandbox, "allow-scripts");
    assert!(named(STRICT).unwrap().csp_extra.is_empty() && named(STRICT).unwrap().denied.is_empty());
}

#[test]
fn every_denied_permission_is_one() {
    for profile in profiles().unwrap() {
        let listed = profile.data["sandbox"]["denied"].as_array().map_or(0, Vec::len);
        assert_eq!(profile.denied.len(), listed, "{}", profile.name);
        assert!(profile.sandbox.split(' ').any(|token| token == "allow-scripts"), "{}", profile.name);
    }
}

#[test]
fn three_hosts_have_the_bridge_of_the_apps_sdk() {
    let with: Vec<String> =
        profiles().unwrap().into_iter().filter(|one| one.openai.is_some()).map(|one| one.name).collect();
    assert_eq!(with, ["chatgpt", "copilot", "codex"]);
    let copilot = named("copilot").unwrap().openai.unwrap();
    assert!(!copilot.reads("openai/widgetDomain") && copilot.reads("openai/widgetCSP"));
    assert!(!copilot.methods.iter().any(|method| method == "requestModal"));
}

#[test]
fn the_error_for_an_unknown_name_lists_the_profiles() {
    let told = named("nobody").unwrap_err().to_string();
    assert!(told.contains("strict") && told.contains("chatgpt"), "{told}");
}
