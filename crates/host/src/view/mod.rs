//! The open Views. Each is a foreign document under origins of its own.

mod allowlist;
mod answers;
mod document;
mod origin;
mod policy;
mod widget;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use protocol::apps::Bridge;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;

pub(crate) use document::{UnfitDocument, ViewDocument, id_of_read, read_document};
pub(crate) use policy::{check_request, for_apps};

use crate::finding::PageFinding;
use crate::profile::{HostProfile, Openai};
use crate::timeline::TimelineParty;
use crate::{Error, Shared, random};

/// How many Views may be open at a time; a new one closes the oldest.
const MAX_OPEN_VIEWS: usize = 32;
/// How many calls of a View may be open; the host refuses more. The page refuses them even earlier.
const MAX_OPEN_CALLS: usize = 64;
/// For how many messages of the page the host remembers their timeline entries.
const MAX_KNOWN_ENTRIES: usize = 4_096;
/// How long a request waits for the log entry of the message that caused it.
const LOG_TIMEOUT: Duration = Duration::from_millis(100);

/// The Views that are open, by id.
#[derive(Debug, Default)]
pub(crate) struct Views {
    open: Mutex<OpenViews>,
}

#[derive(Debug, Default)]
struct OpenViews {
    by_id: HashMap<String, Arc<View>>,
    /// The ids of the Views, oldest first.
    order: Vec<String>,
}

/// One open View.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) id: String,
    pub(crate) server: String,
    /// The run of the tool that the View was opened for.
    pub(crate) run: Option<String>,
    /// The name below `localhost` under which the proxy document is served. It ends with the name of the View's own
    /// document. So a browser treats both as one site, with one process, but as two origins that cannot reach each
    /// other.
    pub(crate) proxy: String,
    /// The name below `localhost` for the View's own document. Views with the same declared domain share it.
    pub(crate) inner: String,
    /// The path of the document. It is unguessable if other Views share the name.
    pub(crate) path: String,
    pub(crate) document: ViewDocument,
    /// The host's support for the OpenAI Apps SDK. If there is any, the bridge script precedes the document.
    pub(crate) openai: Option<Openai>,
    /// The document's `Content-Security-Policy` header.
    pub(crate) csp: String,
    /// The document's `Connection-Allowlist` header. A host whose apps may open windows sends none, because it would
    /// also bind those windows, which may show any page.
    pub(crate) allowlist: Option<String>,
    /// One permit for each call that may be open.
    pub(crate) calls: Arc<Semaphore>,
    /// The answers that wait for the page.
    pub(crate) answers: answers::Answers,
    /// Cancelled when the View is closed; its calls end then.
    pub(crate) closed: CancellationToken,
    /// The timeline entries of the page's messages, by their sequence numbers.
    entries: watch::Sender<BTreeMap<u64, u64>>,
    start: OnceLock<Duration>,
    /// Checks the sequence of messages on the bridge.
    bridge: Mutex<Bridge>,
}

impl Views {
    /// Opens a View for `document`.
    pub(crate) fn open(
        &self,
        shared: &Shared,
        server: &str,
        run: Option<String>,
        document: ViewDocument,
        profile: &HostProfile,
    ) -> Result<Arc<View>, Error> {
        let id = random::hex(8)?;
        let label = random::hex(8)?;
        let (inner, path) = match document.ui.domain.as_deref() {
            Some(domain) => (origin::domain_label(server, domain), format!("/{label}/")),
            None => (format!("view-{label}"), "/".to_owned()),
        };
        let proxy = format!("proxy-{label}.{inner}");
        let port = shared.sandbox.port();
        let ancestors = shared.page_origins();
        let around = format!("http://{proxy}.localhost:{port}");
        let csp =
            document.policy(profile, &[&around, &ancestors[0], &ancestors[1]], &format!("{path}report"));
        let view = Arc::new(View {
            id: id.clone(),
            server: server.to_owned(),
            run,
            proxy,
            inner,
            path,
            openai: profile.openai.clone(),
            document,
            allowlist: (!profile.sandbox.contains("allow-popups")).then(|| allowlist::of_policy(&csp)),
            csp,
            calls: Arc::new(Semaphore::new(MAX_OPEN_CALLS)),
            answers: answers::Answers::default(),
            closed: CancellationToken::new(),
            entries: watch::Sender::default(),
            start: OnceLock::new(),
            bridge: Mutex::new(Bridge::new()),
        });
        let mut open = self.lock();
        open.by_id.insert(id.clone(), view.clone());
        open.order.push(id);
        if open.order.len() > MAX_OPEN_VIEWS {
            let oldest = open.order.remove(0);
            open.remove(&oldest);
        }
        Ok(view)
    }

    pub(crate) fn named(&self, id: &str) -> Option<Arc<View>> {
        self.lock().by_id.get(id).cloned()
    }

    /// Closes a View. Returns whether it was open.
    pub(crate) fn close(&self, id: &str) -> bool {
        let mut open = self.lock();
        open.order.retain(|other| other != id);
        open.remove(id)
    }

    /// The View that is served under `name` at `path`, which of its two documents that is, and the rest of the path.
    pub(crate) fn at_address<'p>(&self, name: &str, path: &'p str) -> Option<(Arc<View>, Role, &'p str)> {
        let open = self.lock();
        open.by_id.values().find_map(|view| {
            let (role, below) = match name {
                _ if name == view.proxy => (Role::Proxy, "/"),
                _ if name == view.inner => (Role::Inner, view.path.as_str()),
                _ => return None,
            };
            Some((view.clone(), role, path.strip_prefix(below)?))
        })
    }

    fn lock(&self) -> MutexGuard<'_, OpenViews> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenViews {
    fn remove(&mut self, id: &str) -> bool {
        let removed = self.by_id.remove(id);
        if let Some(view) = &removed {
            view.closed.cancel();
        }
        removed.is_some()
    }
}

/// One of a View's two documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The proxy document between the page and the View.
    Proxy,
    /// The View's own document.
    Inner,
}

impl View {
    /// The findings for a message of this View.
    pub(crate) fn judge(&self, from: TimelineParty, to: TimelineParty, message: &Value) -> Vec<PageFinding> {
        let Some(direction) = from.direction(to) else { return Vec::new() };
        let mut bridge = self.bridge.lock().unwrap_or_else(PoisonError::into_inner);
        bridge.judge_next(direction, message).iter().map(PageFinding::from_breach).collect()
    }

    /// When the page opened the View, derived from its first log: it arrived at `now`, and its newest message was sent
    /// `newest` after the opening.
    pub(crate) fn start_time(&self, now: Duration, newest: Duration) -> Duration {
        *self.start.get_or_init(|| now.saturating_sub(newest))
    }

    /// The settings for the bridge of the OpenAI Apps SDK, if the host has one.
    pub(crate) fn bridge(&self) -> Option<Value> {
        Some(widget::bridge_settings(self.openai.as_ref()?, &self.document.mime_type))
    }

    /// Remembers that the page's message `seq` is the timeline entry `n`.
    pub(crate) fn note_entry(&self, seq: u64, n: u64) {
        self.entries.send_modify(|entries| {
            entries.insert(seq, n);
            if entries.len() > MAX_KNOWN_ENTRIES {
                entries.pop_first();
            }
        });
    }

    /// The timeline entry of the page's message `seq`. A request to the server may arrive before the log that reports
    /// its message, so this waits a moment.
    pub(crate) async fn entry(&self, seq: u64) -> Option<u64> {
        let mut entries = self.entries.subscribe();
        let told = entries.wait_for(|entries| entries.contains_key(&seq));
        let told = tokio::time::timeout(LOG_TIMEOUT, told).await.ok()?.ok()?;
        told.get(&seq).copied()
    }

    pub(crate) fn proxy_origin(&self, shared: &Shared) -> String {
        format!("http://{}.localhost:{}", self.proxy, shared.sandbox.port())
    }

    /// The URL of the View's own document.
    pub(crate) fn inner_url(&self, shared: &Shared) -> String {
        format!("http://{}.localhost:{}{}", self.inner, shared.sandbox.port(), self.path)
    }

    /// The View as the page reads it.
    pub(crate) fn to_value(&self, shared: &Shared, profile: &HostProfile) -> Value {
        let document = &self.document;
        let granted = document.granted(profile);
        json!({
            "id": self.id,
            "proxyUrl": format!("{}/", self.proxy_origin(shared)),
            "proxyOrigin": self.proxy_origin(shared),
            "viewUrl": self.inner_url(shared),
            "html": document.html,
            "mimeType": document.mime_type,
            "csp": {
                "declared": document.ui.csp.as_ref().map(protocol::apps::Csp::to_value),
                "applied": self.csp,
                "directives": directives(&self.csp),
                "allowlist": self.allowlist,
                "dropped": document.dropped,
                "approved": document.approved(),
            },
            "permissions": {
                "declared": document.ui.permissions.to_value(),
                "granted": granted.to_value(),
                "allow": granted.allow(),
            },
            "border": document.ui.prefers_border,
            "domain": document.ui.domain,
            "redirects": document.redirects,
            "sandbox": profile.sandbox,
            "findings": document.findings,
        })
    }
}

/// Splits a policy into its directives.
fn directives(policy: &str) -> Vec<(String, Vec<String>)> {
    let directive = |text: &str| {
        let mut words = text.split_whitespace().map(str::to_owned);
        Some((words.next()?, words.collect()))
    };
    policy.split(';').filter_map(directive).collect()
}
