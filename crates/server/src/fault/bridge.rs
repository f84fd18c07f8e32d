//! Faults of the bridge: what View, host and sandbox proxy say to each other.

use protocol::apps::BridgeDirection::{self, HostToProxy, HostToView, ProxyToHost, ViewToHost};
use serde_json::{Value, json};

use super::{Effect, Fault};
use crate::bridge::{Session, notice, request, result};

/// Every fault of the bridge. No server takes part in it, so `serve --fault` does not list them.
pub const FAULTS: &[&Fault] = &[
    &NOT_JSON_RPC,
    &SHAPE_WRONG,
    &CONTEXT_MISSING,
    &ANSWERED_TWICE,
    &INITIALIZES_TWICE,
    &VIEW_IMPATIENT,
    &HOST_TOO_EARLY,
    &INPUT_TWICE,
    &MODE_NOT_OFFERED,
    &MODE_UNDECLARED,
    &MODE_GIVEN_ANYWAY,
    &RESERVED_SPOKEN,
    &HTML_TOO_EARLY,
    &PROXY_ASKS,
    &SAMPLES_ANYWAY,
    &APP_TOOLS_ASSUMED,
    &APP_TOOLS_FORGOTTEN,
    &LINKS_FORGOTTEN,
    &TALKS_ON,
    &TEARDOWN_UNTOLD,
    &TEARDOWN_HASTY,
];

type Map = serde_json::Map<String, Value>;

const TOOL_INPUT: &str = "ui/notifications/tool-input";

pub const NOT_JSON_RPC: Fault = Fault {
    name: "bridge-not-json-rpc",
    about: "host and View leave out jsonrpc",
    effect: Effect::Bridge(|session| {
        // Two with an id, so that either end shows it.
        for at in [place(session, ViewToHost, "tools/call"), answer(session, HostToView, 2)] {
            edit(session, at, |message| drop(message.remove("jsonrpc")));
        }
    }),
};

pub const SHAPE_WRONG: Fault = Fault {
    name: "bridge-shape-wrong",
    about: "messages lack members that they need",
    effect: Effect::Bridge(|session| {
        let at = answer(session, HostToView, 0);
        edit(session, at, |message| drop(message["result"].as_object_mut().map(|r| r.remove("hostInfo"))));
        let at = place(session, ViewToHost, "ui/open-link");
        edit(session, at, |message| message["params"] = json!({"href": "https://example.com/"}));
    }),
};

pub const CONTEXT_MISSING: Fault = Fault {
    name: "bridge-context-missing",
    about: "the host tells nothing of the surroundings",
    effect: Effect::Bridge(|session| {
        let at = answer(session, HostToView, 0);
        edit(session, at, |message| drop(message["result"].as_object_mut().map(|r| r.remove("hostContext"))));
    }),
};

pub const ANSWERED_TWICE: Fault = Fault {
    name: "bridge-answered-twice",
    about: "requests are answered twice",
    effect: Effect::Bridge(|session| {
        for at in [answer(session, HostToView, 2), answer(session, ViewToHost, 1)] {
            let again = session.get(at).cloned();
            session.extend(again);
        }
    }),
};

pub const INITIALIZES_TWICE: Fault = Fault {
    name: "bridge-initializes-twice",
    about: "the View sends ui/initialize again",
    effect: Effect::Bridge(|session| {
        let at = place(session, ViewToHost, "tools/call");
        let mut again = session.get(place(session, ViewToHost, "ui/initialize")).cloned();
        if let Some((_, message)) = &mut again {
            message["id"] = json!("again");
        }
        session.splice(at..at, again);
    }),
};

pub const VIEW_IMPATIENT: Fault = Fault {
    name: "bridge-view-impatient",
    about: "the View calls a tool before ui/initialize is answered",
    effect: Effect::Bridge(|session| {
        let at = answer(session, HostToView, 0);
        session.insert(at, request(ViewToHost, "early", "tools/call", json!({"name": "now"})));
    }),
};

pub const HOST_TOO_EARLY: Fault = Fault {
    name: "bridge-host-too-early",
    about: "the host sends the input before the View has initialised",
    effect: Effect::Bridge(|session| {
        let (from, to) =
            (place(session, HostToView, TOOL_INPUT), place(session, ViewToHost, "ui/initialize"));
        session[to..=from].rotate_right(1);
    }),
};

pub const INPUT_TWICE: Fault = Fault {
    name: "bridge-input-twice",
    about: "the host sends the input of the tool call twice",
    effect: Effect::Bridge(|session| {
        let at = place(session, HostToView, TOOL_INPUT);
        session.splice(at..at, session.get(at).cloned());
    }),
};

pub const MODE_NOT_OFFERED: Fault = Fault {
    name: "bridge-mode-not-offered",
    about: "the View asks for a display mode that the host does not offer",
    effect: Effect::Bridge(|session| {
        let at = place(session, ViewToHost, "ui/request-display-mode");
        edit(session, at, |message| message["params"]["mode"] = json!("pip"));
    }),
};

pub const MODE_UNDECLARED: Fault = Fault {
    name: "bridge-mode-undeclared",
    about: "the host switches to a display mode that the View did not declare",
    effect: Effect::Bridge(|session| {
        let at = place(session, HostToView, "ui/notifications/host-context-changed");
        edit(session, at, |message| message["params"]["displayMode"] = json!("pip"));
    }),
};

pub const MODE_GIVEN_ANYWAY: Fault = Fault {
    name: "bridge-mode-given-anyway",
    about: "the host switches to a display mode that it does not offer",
    effect: Effect::Bridge(|session| {
        let at = answer(session, HostToView, 0);
        let context =
            |message: &mut Map| message["result"]["hostContext"]["availableDisplayModes"] = json!(["inline"]);
        edit(session, at, context);
        let at = place(session, HostToView, "ui/notifications/host-context-changed");
        session.remove(at);
    }),
};

pub const RESERVED_SPOKEN: Fault = Fault {
    name: "bridge-reserved-spoken",
    about: "View and host send each other what is the sandbox's",
    effect: Effect::Bridge(|session| {
        let at = place(session, ViewToHost, "tools/call");
        session.insert(at, notice(ViewToHost, "ui/notifications/sandbox-proxy-ready", json!({})));
        session
            .insert(at, notice(HostToView, "ui/notifications/sandbox-resource-ready", json!({"html": "x"})));
    }),
};

pub const HTML_TOO_EARLY: Fault = Fault {
    name: "bridge-html-too-early",
    about: "the host does not wait until the sandbox proxy is ready",
    effect: Effect::Bridge(|session| session.swap(0, 1)),
};

pub const PROXY_ASKS: Fault = Fault {
    name: "bridge-proxy-asks",
    about: "the sandbox proxy makes up requests",
    effect: Effect::Bridge(|session| {
        session.insert(1, request(ProxyToHost, "own", "ping", json!({})));
        session.insert(2, result(HostToProxy, "own", json!({})));
    }),
};

pub const SAMPLES_ANYWAY: Fault = Fault {
    name: "bridge-samples-anyway",
    about: "the View samples though the host did not announce it",
    effect: Effect::Bridge(|session| {
        let at = answer(session, HostToView, 0);
        edit(session, at, |message| {
            drop(message["result"]["hostCapabilities"].as_object_mut().map(|host| host.remove("sampling")));
        });
    }),
};

pub const APP_TOOLS_ASSUMED: Fault = Fault {
    name: "bridge-app-tools-assumed",
    about: "the host asks for tools that the View did not declare",
    effect: Effect::Bridge(|session| {
        let at = place(session, ViewToHost, "ui/initialize");
        edit(session, at, |message| {
            drop(message["params"]["appCapabilities"].as_object_mut().map(|app| app.remove("tools")));
        });
    }),
};

pub const APP_TOOLS_FORGOTTEN: Fault = Fault {
    name: "bridge-app-tools-forgotten",
    about: "the View declares tools and does not know tools/list",
    effect: Effect::Bridge(|session| {
        let at = answer(session, ViewToHost, 0);
        if let Some(entry) = session.get_mut(at) {
            *entry = refusal(ViewToHost, 0);
        }
    }),
};

pub const LINKS_FORGOTTEN: Fault = Fault {
    name: "bridge-links-forgotten",
    about: "the host announces openLinks and does not know ui/open-link",
    effect: Effect::Bridge(|session| {
        let at = answer(session, HostToView, 3);
        if let Some(entry) = session.get_mut(at) {
            *entry = refusal(HostToView, 3);
        }
    }),
};

pub const TALKS_ON: Fault = Fault {
    name: "bridge-talks-on",
    about: "View and host go on after the teardown",
    effect: Effect::Bridge(|session| {
        session.push(notice(ViewToHost, "ui/notifications/size-changed", json!({"height": 1})));
        session.push(notice(HostToView, "ui/notifications/host-context-changed", json!({"theme": "dark"})));
    }),
};

pub const TEARDOWN_UNTOLD: Fault = Fault {
    name: "bridge-teardown-untold",
    about: "the host tears the View down without a word",
    effect: Effect::Bridge(|session| session.truncate(session.len() - 2)),
};

pub const TEARDOWN_HASTY: Fault = Fault {
    name: "bridge-teardown-hasty",
    about: "the host does not wait for the answer to the teardown",
    effect: Effect::Bridge(|session| session.truncate(session.len() - 1)),
};

/// The index of the first message with that method in that direction; the end if there is none.
fn place(session: &Session, direction: BridgeDirection, method: &str) -> usize {
    find_message(session, |(went, message)| *went == direction && message["method"] == method)
}

/// The index of the answer to that request in that direction; the end if there is none.
fn answer(session: &Session, direction: BridgeDirection, id: i64) -> usize {
    find_message(session, |(went, message)| {
        *went == direction && message["id"] == id && message.get("method").is_none()
    })
}

fn find_message(session: &Session, wanted: impl Fn(&(BridgeDirection, Value)) -> bool) -> usize {
    session.iter().position(wanted).unwrap_or(session.len())
}

fn edit(session: &mut Session, at: usize, change: impl FnOnce(&mut Map)) {
    if let Some(message) = session.get_mut(at).and_then(|(_, message)| message.as_object_mut()) {
        change(message);
    }
}

/// An answer that says that the method is unknown.
fn refusal(direction: BridgeDirection, id: impl Into<Value>) -> (BridgeDirection, Value) {
    let error = json!({"code": protocol::code::METHOD_NOT_FOUND, "message": "method not found"});
    (direction, json!({"jsonrpc": "2.0", "id": id.into(), "error": error}))
}
