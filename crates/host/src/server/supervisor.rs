//! Supervises the connection to a server: connects, watches the session, and connects again when it is lost.

use std::sync::Arc;
use std::time::{Duration, Instant};

use protocol::{Era, apps};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use transport::Transport;
use transport::client::{Failure, Message, Session};
use wire::{Direction, Kind, What};

use super::ask::fresh_id;
use super::notifications::Notifications;
use super::unsolicited::{self, Unsolicited};
use super::{ConnectionState, OutgoingRequest, Snapshot, SupervisedServer, connect, output, requests};
use crate::Shared;
use crate::timeline::{NewEntry, TimelineParty};

/// The pauses between attempts to connect; longer each time.
const RECONNECT_PAUSES: [Duration; 5] = [
    Duration::from_millis(200),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(5),
];
/// How long a session may be silent before the host probes it.
const PROBE_AFTER: Duration = Duration::from_secs(3);
/// A session that ends by itself sooner is followed by a pause, so that a server that keeps failing is not started
/// over and over.
const STABLE_AFTER: Duration = Duration::from_secs(5);
/// How long the host waits after it has acted on announced changes before it acts on more.
const CHANGES_PAUSE: Duration = Duration::from_millis(500);
/// How many pages of a list are read.
const MAX_PAGES: usize = 50;

/// The items of a list, from all its pages.
#[derive(Debug, Default)]
struct ListedItems {
    items: Vec<Value>,
    /// Whether the list has more pages than the host reads.
    is_cut: bool,
}

/// The changes that a server has announced and the host has not acted on yet. A server may announce them faster than a
/// list can be read.
#[derive(Debug, Default)]
struct AnnouncedChanges {
    /// Whether lists have changed.
    lists: bool,
    /// The last announcement in the timeline.
    cause: Option<u64>,
    /// The URI of a resource that has changed.
    resource: Option<String>,
    /// When the host last acted on changes.
    acted: Option<Instant>,
}

impl AnnouncedChanges {
    /// How long until the host acts on them; none if there is nothing to do.
    fn due_in(&self) -> Option<Duration> {
        let is_waiting = self.lists || self.resource.is_some();
        let pause =
            || self.acted.map_or(Duration::ZERO, |acted| CHANGES_PAUSE.saturating_sub(acted.elapsed()));
        is_waiting.then(pause)
    }

    async fn act(&mut self, server: &SupervisedServer, shared: &Shared, session: &Session) {
        self.acted = Some(Instant::now());
        if std::mem::take(&mut self.lists) {
            read_again(server, shared, session, self.cause).await;
        }
        if let Some(uri) = self.resource.take() {
            let note = format!("{uri} has changed; run the tool again to see it");
            server.update(shared, |now| now.note = Some(note));
        }
    }
}

/// Supervises the connections to all servers until `stop` is cancelled.
pub(crate) fn supervise_all(shared: &Arc<Shared>, stop: &CancellationToken) {
    for server in shared.servers.iter() {
        let (server, shared, stop) = (server.clone(), shared.clone(), stop.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = supervise(&server, &shared) => {}
                () = stop.cancelled() => {}
            }
        });
    }
}

async fn supervise(server: &Arc<SupervisedServer>, shared: &Arc<Shared>) {
    let mut failures = 0;
    let mut before = false;
    loop {
        match connect_and_list(server, shared, before).await {
            Ok((session, _requests)) => {
                before = true;
                let began = Instant::now();
                let why = until_lost(server, shared, &session).await;
                let failed_soon = session.ended().is_some() && began.elapsed() < STABLE_AFTER;
                server.take_session();
                session.close().await;
                server.update(shared, |now| {
                    now.state = ConnectionState::Lost;
                    now.note = Some(format!("{why}; connecting again"));
                });
                match failed_soon {
                    true => server.pause(&mut failures).await,
                    false => failures = 0,
                }
            }
            Err(failure) => {
                server.update(shared, |now| {
                    now.state = ConnectionState::Failed;
                    now.note = Some(format!("{}; the host tries again", explain(&failure)));
                });
                server.pause(&mut failures).await;
            }
        }
    }
}

/// What happened, and what the person can do about it if that is clear.
fn explain(failure: &Failure) -> String {
    match failure {
        Failure::Status { status: status @ (401 | 403), .. } => format!(
            "the server requires authorization (HTTP {status}): start the host with --header 'Authorization: Bearer TOKEN'"
        ),
        _ => failure.to_string(),
    }
}

/// Connects and reads the lists. The tasks in the second value answer the server's requests; dropping it ends them.
async fn connect_and_list(
    server: &Arc<SupervisedServer>,
    shared: &Arc<Shared>,
    before: bool,
) -> Result<(Session, JoinSet<()>), Failure> {
    let (profile, inbox) =
        requests::client(&shared.options, server.unsolicited.clone(), shared.inquiries.clone());
    let session = connect::open(&server.target, &profile, &shared.options.limits).await?;
    server.record_handshake(shared, &session);
    let mut serving = JoinSet::new();
    serving.spawn(requests::serve(server.clone(), shared.clone(), session.clone(), inbox));
    let (writer, host, watched) = (server.clone(), shared.clone(), session.clone());
    serving.spawn(async move { output::report(&writer, &host, &watched).await });
    let (sender, host, watched) = (server.clone(), shared.clone(), session.clone());
    serving.spawn(async move { unsolicited::report(&sender, &host, &watched).await });
    let mut snapshot = Snapshot::from_handshake(&session);
    read_lists(server, shared, &session, &mut snapshot, None).await?;
    snapshot.state = ConnectionState::Ready;
    snapshot.note = snapshot.note.or_else(|| before.then(|| "connected again".to_owned()));
    server.put_session(session.clone());
    server.update(shared, |now| *now = snapshot);
    Ok((session, serving))
}

async fn read_lists(
    server: &SupervisedServer,
    shared: &Shared,
    session: &Session,
    snapshot: &mut Snapshot,
    cause: Option<u64>,
) -> Result<(), Failure> {
    let has = |name: &str| snapshot.capabilities.get(name).is_some();
    let (tools, resources) = (has("tools"), has("resources"));
    let listed = async |wanted: bool, method: &str, key: &str| match wanted {
        true => {
            let asking = OutgoingRequest { method, cause, ..OutgoingRequest::default() };
            server.list(shared, session, &asking, key).await
        }
        false => Ok(ListedItems::default()),
    };
    let (tools, resources) =
        tokio::join!(listed(tools, "tools/list", "tools"), listed(resources, "resources/list", "resources"));
    // A server need not list its user interfaces, so a failed list is treated as empty.
    let (tools, resources) = (tools?, resources.unwrap_or_default());
    let cut =
        [("tools", tools.is_cut), ("resources", resources.is_cut)].into_iter().find(|(_, is_cut)| *is_cut);
    snapshot.note = cut
        .map(|(what, _)| format!("only the {what} of the first {MAX_PAGES} pages are shown; there are more"));
    snapshot.list_tools(tools.items);
    let is_ui = |resource: &Value| resource["uri"].as_str().is_some_and(apps::is_ui_uri);
    snapshot.resources = resources.items.into_iter().filter(is_ui).collect();
    Ok(())
}

/// Follows a session until it is lost, and returns the reason.
async fn until_lost(server: &SupervisedServer, shared: &Shared, session: &Session) -> String {
    let mut notifications = Notifications::open(session, &server.now()).await;
    let mut changes = AnnouncedChanges::default();
    loop {
        let patience = changes.due_in().unwrap_or(PROBE_AFTER);
        let heard = tokio::select! {
            () = server.broken.notified() => {
                return session.ended().map_or_else(|| "the connection was closed".to_owned(), |why| why.to_string());
            }
            heard = notifications.next(patience) => heard,
        };
        match heard {
            Ok(Some(message)) => on_message(server, shared, session, &message, &mut changes),
            Ok(None) if changes.due_in().is_some() => {}
            Ok(None) => {
                if let Some(why) = is_gone(session).await {
                    return why;
                }
            }
            Err(failure) => return failure.to_string(),
        }
        if changes.due_in() == Some(Duration::ZERO) {
            changes.act(server, shared, session).await;
        }
    }
}

/// Probes a silent server. Returns the reason if it is gone.
async fn is_gone(session: &Session) -> Option<String> {
    if let Some(why) = session.ended() {
        return Some(why.to_string());
    }
    let probe = match session.version().era() {
        Era::Legacy => "ping",
        Era::Modern => "server/discover",
    };
    match session.request(probe).timeout(PROBE_AFTER).send().await {
        Ok(reply) if reply.status() == Some(404) => Some("the server no longer knows the session".to_owned()),
        Ok(_) => None,
        // A timeout may only mean that a tool keeps the server busy.
        Err(failure) => (!failure.is_timeout()).then(|| failure.to_string()),
    }
}

/// Records a message that the server sent on its own, and notes what it announces.
fn on_message(
    server: &SupervisedServer,
    shared: &Shared,
    session: &Session,
    message: &Message,
    changes: &mut AnnouncedChanges,
) {
    // Requests are recorded where they are answered.
    if message.frame().is_some_and(|frame| frame.kind() == Kind::Request) {
        return;
    }
    let Some(value) = message.value().filter(|value| value.get("id").is_none()) else { return };
    server.route_cancellation(&value);
    server.route_completion(shared, &value);
    // Elsewhere the request that the progress belongs to has received it already.
    if session.transport() == Transport::StreamableHttp {
        server.route_progress(&value);
    }
    let lists = ["notifications/tools/list_changed", "notifications/resources/list_changed"];
    changes.lists |= lists.iter().any(|method| message.is_notification(method));
    if message.is_notification("notifications/resources/updated") {
        changes.resource = Some(value["params"]["uri"].as_str().unwrap_or_default().to_owned());
    }
    if server.unsolicited.admit(Unsolicited::Notification) {
        changes.cause = Some(server.record_message(shared, TimelineParty::Server, value, None));
    }
}

/// Reads the lists again.
async fn read_again(server: &SupervisedServer, shared: &Shared, session: &Session, cause: Option<u64>) {
    let mut snapshot = (*server.now()).clone();
    if read_lists(server, shared, session, &mut snapshot, cause).await.is_ok() {
        server.update(shared, |now| {
            (now.tools, now.strays, now.resources) = (snapshot.tools, snapshot.strays, snapshot.resources);
            now.note = snapshot.note.or_else(|| Some("the server's lists have changed".to_owned()));
        });
    }
}

impl SupervisedServer {
    /// Waits before the next attempt to connect, longer each time; not at all if the session is to be opened now.
    async fn pause(&self, failures: &mut usize) {
        let pause = RECONNECT_PAUSES[(*failures).min(RECONNECT_PAUSES.len() - 1)];
        *failures += 1;
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = self.broken.notified() => {}
        }
    }

    /// Reads the lists again when the server changed them without a notification.
    pub(crate) async fn read_again(&self, shared: &Shared, cause: Option<u64>) {
        if let Some(session) = self.session() {
            read_again(self, shared, &session, cause).await;
        }
    }

    /// Reads all pages of a list.
    async fn list(
        &self,
        shared: &Shared,
        session: &Session,
        asking: &OutgoingRequest<'_>,
        key: &str,
    ) -> Result<ListedItems, Failure> {
        let mut items = Vec::new();
        let mut params = json!({});
        for _ in 0..MAX_PAGES {
            let request = self.request(session, asking.method, &params, &fresh_id());
            let reply =
                self.send_recorded(shared, session, asking, request, &CancellationToken::new()).await?;
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
                None => return Ok(ListedItems { items, is_cut: false }),
            }
        }
        Ok(ListedItems { items, is_cut: true })
    }

    /// Records the messages of the finished handshake.
    fn record_handshake(&self, shared: &Shared, session: &Session) {
        let entries = session.recorder().transcript().entries;
        for entry in entries.iter().filter(|entry| entry.what == What::Message) {
            let from = match entry.direction {
                Direction::ToServer => TimelineParty::Host,
                Direction::ToClient => TimelineParty::Server,
            };
            // Requests of the server are recorded where they are answered.
            let is_shown = |message: &Value| from == TimelineParty::Host || message.get("method").is_none();
            if let Some(message) = serde_json::from_slice(&entry.bytes).ok().filter(is_shown) {
                self.record_message(shared, from, message, None);
            }
        }
    }

    /// Records a message between host and server that belongs to no run. Returns its number.
    pub(super) fn record_message(
        &self,
        shared: &Shared,
        from: TimelineParty,
        message: Value,
        cause: Option<u64>,
    ) -> u64 {
        let to = if from == TimelineParty::Host { TimelineParty::Server } else { TimelineParty::Host };
        shared.timeline.add(NewEntry {
            server: Some(self.id.clone()),
            cause,
            ..NewEntry::new(from, to, message)
        })
    }

    /// Changes the snapshot and announces it in the feed.
    fn update(&self, shared: &Shared, change: impl FnOnce(&mut Snapshot)) {
        self.now.send_modify(|now| {
            let mut next = (**now).clone();
            change(&mut next);
            *now = Arc::new(next);
        });
        shared.feed.publish(&json!({ "kind": "server", "server": self.now().to_value(self) }));
    }
}
