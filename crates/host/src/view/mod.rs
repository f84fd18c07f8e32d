//! The views that are open: each a document of somebody else's, under origins of its own.

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

pub(crate) use document::{Document, Unfit, read, reading};
pub(crate) use policy::{for_apps, may_ask};

use crate::finding::Finding;
use crate::profile::{Openai, Profile};
use crate::timeline::Party;
use crate::{Error, Shared, random};

/// How many views may be open at a time; the oldest gives way.
const MOST: usize = 32;
/// How many calls of a view may be under way; others are refused. The page refuses them before they get here.
const CALLS: usize = 64;
/// Of how many messages of the page it is known which entry they became.
const PLACED: usize = 4_096;
/// How long a request waits for the log that tells of it.
const OVERTAKEN: Duration = Duration::from_millis(100);

/// The views that are open, by id.
#[derive(Debug, Default)]
pub(crate) struct Views {
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    by_id: HashMap<String, Arc<View>>,
    /// The ids, oldest first.
    order: Vec<String>,
}

/// One view.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) id: String,
    pub(crate) server: String,
    /// The run of a tool that it was opened for.
    pub(crate) run: Option<String>,
    /// The first label of the name under which the proxy document is served.
    pub(crate) proxy: String,
    /// The same for the view's own document. Views of one domain share it.
    pub(crate) inner: String,
    /// Below which path the document is: one that nobody can guess where the name is not this view's alone.
    pub(crate) path: String,
    pub(crate) document: Document,
    /// What the host has of the OpenAI Apps SDK; its bridge is then put before the document.
    pub(crate) openai: Option<Openai>,
    /// The policy of the document, as its header says it.
    pub(crate) csp: String,
    /// The hosts that the document may connect to, as its header says it. A host whose apps may open windows sends none: it
    /// would bind the windows too, which may show any page.
    pub(crate) allowlist: Option<String>,
    /// One permit for each call that may be under way.
    pub(crate) calls: Arc<Semaphore>,
    /// What its calls have come to.
    pub(crate) answers: answers::Answers,
    /// Cancelled when it is closed: nobody waits for its calls any more.
    pub(crate) closed: CancellationToken,
    /// Which entry of the timeline each message of the page became.
    entries: watch::Sender<BTreeMap<u64, u64>>,
    start: OnceLock<Duration>,
    /// What was said so far, and whether it was in order.
    bridge: Mutex<Bridge>,
}

impl Views {
    /// Opens a view of `document`.
    pub(crate) fn open(
        &self,
        shared: &Shared,
        server: &str,
        run: Option<String>,
        document: Document,
        profile: &Profile,
    ) -> Result<Arc<View>, Error> {
        let id = random::hex(8)?;
        let label = random::hex(8)?;
        let (inner, path) = match document.ui.domain.as_deref() {
            Some(domain) => (origin::label(server, domain), format!("/{label}/")),
            None => (format!("view-{label}"), "/".to_owned()),
        };
        let proxy = format!("proxy-{label}");
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
            calls: Arc::new(Semaphore::new(CALLS)),
            answers: answers::Answers::default(),
            closed: CancellationToken::new(),
            entries: watch::Sender::default(),
            start: OnceLock::new(),
            bridge: Mutex::new(Bridge::new()),
        });
        let mut open = self.lock();
        open.by_id.insert(id.clone(), view.clone());
        open.order.push(id);
        if open.order.len() > MOST {
            let oldest = open.order.remove(0);
            open.remove(&oldest);
        }
        Ok(view)
    }

    pub(crate) fn named(&self, id: &str) -> Option<Arc<View>> {
        self.lock().by_id.get(id).cloned()
    }

    /// Closes a view: whether there was one.
    pub(crate) fn close(&self, id: &str) -> bool {
        let mut open = self.lock();
        open.order.retain(|other| other != id);
        open.remove(id)
    }

    /// The view that is served under `label` at `path`: which of its documents, and what of the path is left.
    pub(crate) fn under<'p>(&self, label: &str, path: &'p str) -> Option<(Arc<View>, Role, &'p str)> {
        let open = self.lock();
        open.by_id.values().find_map(|view| {
            let (role, below) = match label {
                _ if label == view.proxy => (Role::Proxy, "/"),
                _ if label == view.inner => (Role::Inner, view.path.as_str()),
                _ => return None,
            };
            Some((view.clone(), role, path.strip_prefix(below)?))
        })
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn remove(&mut self, id: &str) -> bool {
        let removed = self.by_id.remove(id);
        if let Some(view) = &removed {
            view.closed.cancel();
        }
        removed.is_some()
    }
}

/// Which of a view's two documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The one between the page and the view.
    Proxy,
    /// The view's own.
    Inner,
}

impl View {
    /// What is wrong with a message of this view.
    pub(crate) fn judge(&self, from: Party, to: Party, message: &Value) -> Vec<Finding> {
        let Some(way) = from.way(to) else { return Vec::new() };
        let mut bridge = self.bridge.lock().unwrap_or_else(PoisonError::into_inner);
        bridge.heard(way, message).iter().map(Finding::of_breach).collect()
    }

    /// When the page opened the view, told when its first log came at `now` with messages up to `newest` after that.
    pub(crate) fn began(&self, now: Duration, newest: Duration) -> Duration {
        *self.start.get_or_init(|| now.saturating_sub(newest))
    }

    /// What the bridge of the OpenAI Apps SDK is told, if it is there.
    pub(crate) fn bridge(&self) -> Option<Value> {
        Some(widget::bridge(self.openai.as_ref()?, &self.document.mime_type))
    }

    /// Remembers that the page's message `seq` is entry `n`.
    pub(crate) fn placed(&self, seq: u64, n: u64) {
        self.entries.send_modify(|entries| {
            entries.insert(seq, n);
            if entries.len() > PLACED {
                entries.pop_first();
            }
        });
    }

    /// The entry of the page's message `seq`. What is asked of the server may overtake the log that tells of it.
    pub(crate) async fn entry(&self, seq: u64) -> Option<u64> {
        let mut entries = self.entries.subscribe();
        let told = entries.wait_for(|entries| entries.contains_key(&seq));
        let told = tokio::time::timeout(OVERTAKEN, told).await.ok()?.ok()?;
        told.get(&seq).copied()
    }

    pub(crate) fn proxy_origin(&self, shared: &Shared) -> String {
        format!("http://{}.localhost:{}", self.proxy, shared.sandbox.port())
    }

    /// Where the view's own document is.
    pub(crate) fn inner_url(&self, shared: &Shared) -> String {
        format!("http://{}.localhost:{}{}", self.inner, shared.sandbox.port(), self.path)
    }

    /// As the page reads it.
    pub(crate) fn to_value(&self, shared: &Shared, profile: &Profile) -> Value {
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

/// A policy, directive by directive.
fn directives(policy: &str) -> Vec<(String, Vec<String>)> {
    let directive = |text: &str| {
        let mut words = text.split_whitespace().map(str::to_owned);
        Some((words.next()?, words.collect()))
    };
    policy.split(';').filter_map(directive).collect()
}
