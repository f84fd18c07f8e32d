//! The outcomes of attempts, compared with the expected ones.

use std::collections::BTreeMap;

use serde_json::Value;

/// The expected outcomes of each attempt.
pub(super) type Expected = &'static [(&'static str, &'static [&'static str])];

/// Attempts with their outcomes.
#[derive(Debug)]
pub(super) struct Table(BTreeMap<String, String>);

impl Table {
    pub(super) fn parse(rows: &Value) -> Self {
        let mut table = Self(BTreeMap::new());
        table.add(rows);
        table
    }

    pub(super) fn add(&mut self, rows: &Value) {
        for (name, what) in rows.as_object().unwrap() {
            self.set(name, what);
        }
    }

    pub(super) fn set(&mut self, name: &str, what: &Value) {
        let text = what.as_str().map_or_else(|| what.to_string(), str::to_owned);
        self.0.insert(name.to_owned(), text);
    }

    pub(super) fn print(&self, title: &str) {
        println!("\n{title}");
        for (name, what) in &self.0 {
            println!("  {name:45} {what}");
        }
    }

    /// Checks that every expected row exists and has one of its expected outcomes. An expectation that ends in `*`
    /// covers many rows.
    #[track_caller]
    pub(super) fn check(&self, expected: Expected) {
        let mut wrong = Vec::new();
        for (name, may_be) in expected {
            let matching: Vec<_> = match name.strip_suffix('*') {
                Some(start) => self.0.iter().filter(|(row, _)| row.starts_with(start)).collect(),
                None => self.0.get_key_value(*name).into_iter().collect(),
            };
            if matching.is_empty() {
                wrong.push(format!("{name}: was not tried"));
            }
            for (row, what) in matching {
                if !may_be.contains(&what.as_str()) {
                    wrong.push(format!("{row}: {what}, but it should be {}", may_be.join(" or ")));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// How a browser reports that something was refused or did not load.
const REFUSED: &[&str] = &["error", "nothing", "TypeError", "SecurityError", "NetworkError"];

pub(super) const SANDBOXED: Expected = &[
    ("request before ui/initialize", &["result {}"]),
    ("told before initialized", &["0"]),
    ("parent.*", &["SecurityError"]),
    ("top.*", &["SecurityError"]),
    ("window.opener", &["null"]),
    ("document.domain", &["SecurityError"]),
    ("frameElement", &["null", "SecurityError"]),
    ("eval", &["EvalError"]),
    ("window.open", &["null"]),
    ("alert, confirm and prompt", &[",false,"]),
    ("localStorage of the host", &["SecurityError"]),
    ("reading the sibling's proxy", &["SecurityError"]),
    ("reading the sibling", &["SecurityError"]),
    ("sibling by name", &["SecurityError"]),
    ("sibling: heard from its proxy", &["[]"]),
    ("ui/open-link *", &["error -32000"]),
    ("undeclared pip", &["result {\"mode\":\"inline\"}"]),
    ("unknown mode", &["error -32602"]),
    ("tool for the model alone", &["error -32602"]),
    ("tool of another server", &["error -32602"]),
    ("tool of its own", &["result {\"content\":[{\"type\":\"text\",\"text\":\"done\"}]}"]),
    ("arguments that are no JSON", &["error -32600"]),
    ("model context that is no JSON", &["error -32600"]),
    ("unknown method", &["error -32601"]),
    ("inherited method name", &["error -32601"]),
    ("MCP initialize", &["error -32601"]),
    ("invalid params", &["error -32602"]),
    ("params that are a list", &["error -32602"]),
    ("id 0", &["0"]),
    ("id \"\"", &["\"\""]),
    ("id \"text\"", &["\"text\""]),
    ("id -1", &["-1"]),
    ("id \"0\"", &["\"0\""]),
    ("permission camera", &["told false, has false"]),
    ("permission geolocation", &["told false, has false"]),
    ("permission microphone", &["told true, has true"]),
    ("permission clipboardWrite", &["told true, has true"]),
    ("ping after a flood", &["result {}"]),
    ("size bomb", &["2000"]),
    ("host API", &["TypeError"]),
    ("reach: fetch", REFUSED),
    ("reach: image", REFUSED),
    ("reach: script", REFUSED),
    ("reach: worker", REFUSED),
    ("reach: service worker", REFUSED),
    ("click: window.open", &["null"]),
    ("click: top.location", &["SecurityError"]),
    ("click: fullscreen", REFUSED),
    ("click: clipboard", &["NotAllowedError", "nothing"]),
    ("calls that reached the server", &["[\"attack\",\"inner\"]"]),
    ("calls that reached the other server", &["[]"]),
    ("requests at the attacker's site", &["[]"]),
    ("spoofed messages of the proxy", &["must"]),
    ("errors in the host's page", &["[]"]),
    ("popups", &["0"]),
    ("dialogs", &["0"]),
    ("downloads", &["0"]),
    ("address of the page", &["unchanged"]),
    ("questions put to the person", &["0"]),
    ("height of the stage", &["true"]),
    ("the page lives", &["ready"]),
];

pub(super) const DECLARED: Expected = &[
    ("reach: fetch", &["[object Response]"]),
    ("reach: image", &["load", "error"]),
    ("reach: script", &["load"]),
    ("hit /fetch", &["true"]),
    ("hit /landed", &["true"]),
    ("hit /nocors", &["true"]),
    ("hit /xhr", &["true"]),
    ("hit /image", &["true"]),
    ("hit /script", &["true"]),
    ("hit /module", &["true"]),
    ("hit /style", &["true"]),
    ("hit /iframe", &["true"]),
    ("hit /socket", &["true"]),
    ("hit /events", &["true"]),
    ("hit /beacon", &["true"]),
    ("hit /object", &["false"]),
    ("host API", &["TypeError"]),
    ("host page", &["TypeError"]),
];

pub(super) const INJECTED: Expected = &[
    ("the attacker's site in the policy", &["false"]),
    ("unsafe-eval in the policy", &["false"]),
    ("requests at the attacker's site", &["[]"]),
    ("reach: fetch", REFUSED),
    ("reach: script", REFUSED),
    ("host API", &["TypeError"]),
];

pub(super) const LINKED: Expected = &[
    ("popup of an app", &["idle, danger"]),
    ("link that an app asks for", &["idle, danger"]),
    ("link of another site", &["idle, danger"]),
    ("plain link of another site", &["idle, attack"]),
    ("calls after all these", &["0"]),
    ("calls after a link that a person typed", &["1"]),
    ("calls after the page was loaded again", &["1"]),
];
