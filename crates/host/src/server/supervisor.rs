//! Keeps the connection to a server: makes it, watches it, and makes it again when it is lost.

use std::sync::Arc;
use std::time::Duration;

use protocol::{Era, apps};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use transport::client::{Failure, Message, Session};
use wire::{Direction, What};

use super::ask::fresh_id;
use super::notifications::Notifications;
use super::{Asking, Server, Snapshot, State, connect, output, requests};
use crate::Shared;
use crate::timeline::{Party, Said};

/// How long to wait before a connection is made again; longer each time.
const PAUSES: [Duration; 5] = [
    Duration::from_millis(200),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(5),
];
/// How often a server without a connection of its own is asked whether it is still there.
const LOOK: Duration = Duration::from_secs(3);
/// How many pages of a list are read.
const PAGES: usize = 50;

/// Keeps the connections to all servers until `stop`.
pub(crate) fn keep_all(shared: &Arc<Shared>, stop: &CancellationToken) {
    for server in shared.servers.iter() {
        let (server, shared, stop) = (server.clone(), shared.clone(), stop.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = keep(&server, &shared) => {}
                () = stop.cancelled() => {}
            }
        });
    }
}

async fn keep(server: &Arc<Server>, shared: &Arc<Shared>) {
    let mut failures = 0;
    let mut before = false;
    loop {
        match begin(server, shared, before).await {
            Ok((session, _requests)) => {
                before = true;
                failures = 0;
                let why = until_lost(server, shared, &session).await;
                server.take();
                session.close().await;
                server.tell(shared, |now| {
                    now.state = State::Lost;
                    now.note = Some(format!("{why}; connecting again"));
                });
            }
            Err(failure) => {
                server.tell(shared, |now| {
                    now.state = State::Failed;
                    now.note = Some(format!("{failure}{}; it is tried again", advice(&failure)));
                });
                let pause = PAUSES[failures.min(PAUSES.len() - 1)];
                failures += 1;
                tokio::select! {
                    () = tokio::time::sleep(pause) => {}
                    () = server.broken.notified() => {}
                }
            }
        }
    }
}

/// What the person can do about a failure, where that is clear.
const fn advice(failure: &Failure) -> &'static str {
    match failure {
        Failure::Status { status: 401 | 403, .. } => {
            "; the server wants to know who asks: start the host with --header 'Authorization: Bearer TOKEN'"
        }
        _ => "",
    }
}

/// Connects, and reads what there is. What the server asks is answered for as long as the second value is there.
async fn begin(
    server: &Arc<Server>,
    shared: &Arc<Shared>,
    before: bool,
) -> Result<(Session, JoinSet<()>), Failure> {
    let (profile, inbox) = requests::client(&shared.options);
    let session = connect::open(&server.target, &profile, &shared.options.limits).await?;
    server.show_greeting(shared, &session);
    let mut serving = JoinSet::new();
    serving.spawn(requests::serve(server.clone(), shared.clone(), session.clone(), inbox));
    let (writer, host, watched) = (server.clone(), shared.clone(), session.clone());
    serving.spawn(async move { output::follow(&writer, &host, &watched).await });
    let mut snapshot = Snapshot::greeted(&session);
    read_lists(server, shared, &session, &mut snapshot, None).await?;
    snapshot.state = State::Ready;
    snapshot.note = before.then(|| "connected again".to_owned());
    server.put(session.clone());
    server.tell(shared, |now| *now = snapshot);
    Ok((session, serving))
}

async fn read_lists(
    server: &Server,
    shared: &Shared,
    session: &Session,
    snapshot: &mut Snapshot,
    cause: Option<u64>,
) -> Result<(), Failure> {
    let has = |name: &str| snapshot.capabilities.get(name).is_some();
    let (tools, resources) = (has("tools"), has("resources"));
    let listed = async |wanted: bool, method: &str, key: &str| match wanted {
        true => {
            let asking = Asking { method, cause, ..Asking::default() };
            server.list(shared, session, &asking, key).await
        }
        false => Ok(Vec::new()),
    };
    let (tools, resources) =
        tokio::join!(listed(tools, "tools/list", "tools"), listed(resources, "resources/list", "resources"));
    snapshot.list_tools(tools?);
    let is_ui = |resource: &Value| resource["uri"].as_str().is_some_and(apps::is_ui_uri);
    // A server need not list its user interfaces, so a list that fails is no obstacle.
    snapshot.resources = resources.unwrap_or_default().into_iter().filter(is_ui).collect();
    Ok(())
}

/// Follows a session until it is lost: why.
async fn until_lost(server: &Server, shared: &Shared, session: &Session) -> String {
    let mut notifications = Notifications::open(session, &server.now()).await;
    loop {
        let heard = tokio::select! {
            () = server.broken.notified() => {
                return session.ended().map_or_else(|| "the connection was given up".to_owned(), |why| why.to_string());
            }
            heard = notifications.next(LOOK) => heard,
        };
        match heard {
            Ok(Some(message)) => on_message(server, shared, session, &message).await,
            Ok(None) => {
                if let Some(why) = is_gone(session).await {
                    return why;
                }
            }
            Err(failure) => return failure.to_string(),
        }
    }
}

/// Asks a server that has been silent whether it is still there: why it is not.
async fn is_gone(session: &Session) -> Option<String> {
    if let Some(why) = session.ended() {
        return Some(why.to_string());
    }
    let probe = match session.version().era() {
        Era::Legacy => "ping",
        Era::Modern => "server/discover",
    };
    match session.request(probe).timeout(LOOK).send().await {
        Ok(reply) if reply.status() == Some(404) => Some("the server has forgotten the session".to_owned()),
        Ok(_) => None,
        // Tools may keep a server busy.
        Err(failure) => (!failure.is_timeout()).then(|| failure.to_string()),
    }
}

/// What a server says on its own: it is shown, and lists that changed are read again.
async fn on_message(server: &Server, shared: &Shared, session: &Session, message: &Message) {
    // Requests are shown where they are answered.
    let Some(value) = message.value().filter(|value| value.get("id").is_none()) else { return };
    server.notified(shared, &value);
    let uri = value["params"]["uri"].as_str().unwrap_or_default().to_owned();
    let heard = server.said(shared, Party::Server, value, None);
    let changed = ["notifications/tools/list_changed", "notifications/resources/list_changed"];
    if changed.iter().any(|method| message.is_notification(method)) {
        read_again(server, shared, session, Some(heard)).await;
    } else if message.is_notification("notifications/resources/updated") {
        server
            .tell(shared, |now| now.note = Some(format!("{uri} has changed; run the tool again to see it")));
    }
}

/// Reads the lists that have changed.
async fn read_again(server: &Server, shared: &Shared, session: &Session, cause: Option<u64>) {
    let mut snapshot = (*server.now()).clone();
    if read_lists(server, shared, session, &mut snapshot, cause).await.is_ok() {
        server.tell(shared, |now| {
            (now.tools, now.strays, now.resources) = (snapshot.tools, snapshot.strays, snapshot.resources);
            now.note = Some("its lists have changed".to_owned());
        });
    }
}

impl Server {
    /// Reads the lists of a server that has changed them and said nothing.
    pub(crate) async fn read_again(&self, shared: &Shared, cause: Option<u64>) {
        if let Some(session) = self.session() {
            read_again(self, shared, &session, cause).await;
        }
    }

    /// All items of a list, page by page.
    async fn list(
        &self,
        shared: &Shared,
        session: &Session,
        asking: &Asking<'_>,
        key: &str,
    ) -> Result<Vec<Value>, Failure> {
        let mut items = Vec::new();
        let mut params = json!({});
        for _ in 0..PAGES {
            let request = self.request(session, asking.method, &params, &fresh_id());
            let reply = self.round(shared, session, asking, request, &CancellationToken::new()).await?;
            let Some(result) = reply.result() else {
                let error = reply.error();
                return Err(Failure::Refused {
                    doing: asking.method.to_owned(),
                    code: error.as_ref().and_then(|error| error.code).unwrap_or_default(),
                    message: error.and_then(|error| error.message).unwrap_or_default(),
                });
            };
            items.extend(result[key].as_array().cloned().unwrap_or_default());
            match result.get("nextCursor").filter(|cursor| cursor.is_string()) {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => break,
            }
        }
        Ok(items)
    }

    /// Shows the handshake, which is over when there is a session.
    fn show_greeting(&self, shared: &Shared, session: &Session) {
        let entries = session.recorder().transcript().entries;
        for entry in entries.iter().filter(|entry| entry.what == What::Message) {
            let from = match entry.direction {
                Direction::ToServer => Party::Host,
                Direction::ToClient => Party::Server,
            };
            // Requests of the server are shown where they are answered.
            let is_shown = |message: &Value| from == Party::Host || message.get("method").is_none();
            if let Some(message) = serde_json::from_slice(&entry.bytes).ok().filter(is_shown) {
                self.said(shared, from, message, None);
            }
        }
    }

    /// Shows a message between host and server that belongs to no run: its number.
    pub(super) fn said(&self, shared: &Shared, from: Party, message: Value, cause: Option<u64>) -> u64 {
        let to = if from == Party::Host { Party::Server } else { Party::Host };
        shared.timeline.add(Said { server: Some(self.id.clone()), cause, ..Said::new(from, to, message) })
    }

    /// Changes what is known, and tells everybody.
    fn tell(&self, shared: &Shared, change: impl FnOnce(&mut Snapshot)) {
        self.now.send_modify(|now| {
            let mut next = (**now).clone();
            change(&mut next);
            *now = Arc::new(next);
        });
        shared.feed.tell(&json!({ "kind": "server", "server": self.now().to_value(self) }));
    }
}
