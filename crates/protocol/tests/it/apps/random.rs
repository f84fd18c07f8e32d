//! A View that does what it may, in any order, breaks nothing.

use proptest::prelude::*;
use serde_json::{Value, json};
use yardstick_protocol::apps::BridgeDirection::{HostToView, ViewToHost};

use super::session::{Session, error, handshake, judged, notice, request, result};

/// A conformant session that follows the choices.
struct Player {
    session: Session,
    /// The ids of the View and of the host, which may well be the same.
    ids: [i64; 2],
    full: bool,
    dark: bool,
}

impl Player {
    fn new() -> Self {
        Self { session: handshake(), ids: [1, 0], full: false, dark: false }
    }

    fn id(&mut self, end: usize) -> Value {
        self.ids[end] += 1;
        if self.ids[end] % 3 == 0 { json!(format!("r{}", self.ids[end])) } else { json!(self.ids[end]) }
    }

    /// The View asks; the host answers at once or refuses.
    fn ask(&mut self, method: &str, params: Value, answer: Value, refuse: bool) {
        let id = self.id(0);
        self.session.push(request(ViewToHost, id.clone(), method, params));
        self.session.push(if refuse {
            error(HostToView, id, -32000)
        } else {
            result(HostToView, id, answer)
        });
    }

    /// The host asks; the View answers.
    fn ask_view(&mut self, method: &str, params: Value, answer: Value) {
        let id = self.id(1);
        self.session.push(request(HostToView, id.clone(), method, params));
        self.session.push(result(ViewToHost, id, answer));
    }

    fn mode(&mut self, refuse: bool, tell: bool) {
        let now = if self.full { "inline" } else { "fullscreen" };
        let held = if self.full != refuse { "inline" } else { "fullscreen" };
        let id = self.id(0);
        self.session.push(request(ViewToHost, id.clone(), "ui/request-display-mode", json!({"mode": now})));
        if tell && !refuse {
            let change = json!({"displayMode": now});
            self.session.push(notice(HostToView, "ui/notifications/host-context-changed", change));
        }
        self.session.push(result(HostToView, id, json!({"mode": held})));
        self.full ^= !refuse;
    }

    fn act(&mut self, choice: u8, way: u8) {
        let (refuse, array) = (way & 1 == 1, way & 2 == 2);
        let text = json!({"type": "text", "text": "x"});
        match choice % 12 {
            0 => self.ask("ping", json!({}), json!({}), false),
            1 => self.ask(
                "tools/call",
                json!({"name": "t", "arguments": {"n": way}}),
                json!({"content": [text]}),
                refuse,
            ),
            2 => self.ask("resources/read", json!({"uri": "ui://x"}), json!({"contents": []}), refuse),
            3 => self.ask("ui/open-link", json!({"url": "https://example.com/"}), json!({}), refuse),
            4 => {
                let content = if array { json!([text]) } else { text };
                self.ask(
                    "ui/message",
                    json!({"role": "user", "content": content}),
                    json!({"isError": refuse}),
                    false,
                );
            }
            5 => self.ask("ui/update-model-context", json!({"content": [text]}), json!({}), refuse),
            6 => self.mode(refuse, array),
            7 => self.session.push(notice(
                ViewToHost,
                "ui/notifications/size-changed",
                json!({"width": way, "height": f64::from(way) * 1.5}),
            )),
            8 => {
                self.dark ^= true;
                let theme = if self.dark { "dark" } else { "light" };
                self.session.push(notice(
                    HostToView,
                    "ui/notifications/host-context-changed",
                    json!({"theme": theme}),
                ));
            }
            9 => self.ask_view("ping", json!({}), json!({})),
            10 => {
                let tool = json!({"name": "mine", "inputSchema": {"type": "object"}});
                self.ask_view("tools/list", json!({}), json!({"tools": [tool]}));
            }
            _ => self.session.push(notice(
                ViewToHost,
                "notifications/message",
                json!({"level": "info", "data": way}),
            )),
        }
    }
}

proptest! {
    #[test]
    fn a_conformant_session_has_no_findings(
        partials in 0..4_usize,
        cancelled in any::<bool>(),
        acts in proptest::collection::vec((any::<u8>(), any::<u8>()), 0..60),
        end in 0..60_usize,
    ) {
        let mut player = Player::new();
        for n in 0..partials {
            let partial = json!({"arguments": {"n": n}});
            player.session.push(notice(HostToView, "ui/notifications/tool-input-partial", partial));
        }
        player.session.push(notice(HostToView, "ui/notifications/tool-input", json!({"arguments": {}})));
        let over = if cancelled {
            notice(HostToView, "ui/notifications/tool-cancelled", json!({}))
        } else {
            notice(HostToView, "ui/notifications/tool-result", json!({"content": []}))
        };
        let mut over = Some(over);
        for (at, (choice, way)) in acts.into_iter().enumerate() {
            if at == end {
                player.session.extend(over.take());
            }
            player.act(choice, way);
        }
        player.ask_view("ui/resource-teardown", json!({}), json!({}));
        let found = judged(&player.session);
        prop_assert!(found.is_empty(), "{found:#?} in {:#?}", player.session);
    }
}
