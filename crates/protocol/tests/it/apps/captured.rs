//! Sessions written after what well-known hosts say.

use serde_json::Value;
use yardstick_protocol::apps::{Breach, BridgeDirection, BridgeParty, Gravity};

use super::session::{Session, judged};

fn read(file: &str) -> Session {
    let parse = |line| serde_json::from_str(line).unwrap_or_else(|why| panic!("{line}: {why}"));
    let lines = file.lines().map(parse);
    let party = |value: &Value| value.as_str().and_then(BridgeParty::named);
    let entry = |line: Value| -> Option<(BridgeDirection, Value)> {
        let from = party(&line["from"]).filter(|_| line.get("message").is_some())?;
        let to = party(&line["to"]).unwrap_or(if from == BridgeParty::Host {
            BridgeParty::View
        } else {
            BridgeParty::Host
        });
        Some((BridgeDirection::between(from, to)?, line["message"].clone()))
    };
    lines.filter_map(entry).collect()
}

fn told(found: &[Breach], least: Gravity) -> Vec<String> {
    let heavy = found.iter().filter(|breach| breach.gravity >= least);
    heavy.map(|breach| format!("{} {breach}", breach.rule.id)).collect()
}

#[test]
fn hosts_in_the_field_are_spared() {
    for (name, file) in [
        ("claude-like", include_str!("claude-like.ndjson")),
        ("chatgpt-like", include_str!("chatgpt-like.ndjson")),
    ] {
        let session = read(file);
        assert!(session.len() > 5, "{name}");
        assert_eq!(told(&judged(&session), Gravity::Note), [] as [String; 0], "{name}");
    }
}

#[test]
fn a_host_of_another_dialect_is_not() {
    let found = judged(&read(include_str!("misspelt.ndjson")));
    assert_eq!(
        told(&found, Gravity::Must),
        [
            "ui/message/shape /result: `hostCapabilities` is missing (McpUiInitializeResult)",
            "ui/message/method-spelled ui/openLink is not known; it is ui/open-link",
            "ui/message/method-spelled ui/requestDisplayMode is not known; it is ui/request-display-mode",
        ]
    );
}
