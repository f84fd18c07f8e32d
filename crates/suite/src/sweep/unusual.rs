//! Messages that are valid but unusual, sent once so that the passive checks see how the server reacts.

use serde_json::json;
use transport::Transport;

use crate::ServerCx;

/// Integers that a double cannot hold, up to the largest of 64 bits.
const LARGE_IDS: [&str; 3] = ["9007199254740993", "-9007199254740993", "9223372036854775807"];

impl ServerCx {
    /// Sends requests with large ids and, over HTTP, a response that answers nothing. What comes back is not judged here.
    pub(crate) async fn send_unusual_messages(&self) {
        let Ok(session) = self.exclusive_session().await else { return };
        if self.transport == Transport::Stdio {
            // A rounded id answers nothing that was asked; nobody waits for it.
            for id in LARGE_IDS {
                let message = session.request("yardstick/no-such-method").id(id).message();
                let _ = session.send_bytes(format!("{message}\n")).await;
            }
            self.has_caught_up(&session).await;
            return;
        }
        for id in LARGE_IDS {
            let _ = self.request_on(&session, "yardstick/no-such-method").with(|r| r.id(id)).send().await;
        }
        let stray = json!({ "jsonrpc": "2.0", "id": "yardstick-never-asked", "result": {} });
        let _ = self.request_on(&session, "a response").with(|r| r.body(stray.to_string())).send().await;
    }
}
