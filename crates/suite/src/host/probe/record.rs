//! What the probe server saw of the host.

use std::time::{Duration, Instant};

use serde_json::Value;

/// How many entries of a kind are kept.
const MAX_ENTRIES: usize = 2_000;

/// What the probe server saw, in order.
#[derive(Clone, Debug)]
pub struct ProbeRecord {
    start: Instant,
    /// What the host said of itself: the parameters of `initialize`.
    pub initialize: Option<Value>,
    /// Every call of a tool, apart from reports.
    pub calls: Vec<ProbeCall>,
    /// Every resource that was read.
    pub reads: Vec<ResourceRead>,
    /// Every report of a View.
    pub reports: Vec<ReportSeen>,
    /// The ids of requests that the host cancelled.
    pub cancelled: Vec<Value>,
    /// What the host answered to requests of the server, with the method that was asked.
    pub answers: Vec<(String, Value)>,
    /// How often the tools were listed.
    pub listed: usize,
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub struct ProbeCall {
    /// When, since the server started.
    pub at: Duration,
    /// The tool.
    pub name: String,
    /// Its arguments, as they came.
    pub arguments: Value,
    /// The request's `_meta`.
    pub meta: Value,
    /// The id of the request.
    pub id: Value,
}

/// A resource that was read.
#[derive(Clone, Debug)]
pub struct ResourceRead {
    /// When, since the server started.
    pub at: Duration,
    /// Which.
    pub uri: String,
}

/// A report of a View.
#[derive(Clone, Debug)]
pub struct ReportSeen {
    /// When, since the server started.
    pub at: Duration,
    /// What it says.
    pub report: Value,
}

impl Default for ProbeRecord {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            initialize: None,
            calls: Vec::new(),
            reads: Vec::new(),
            reports: Vec::new(),
            cancelled: Vec::new(),
            answers: Vec::new(),
            listed: 0,
        }
    }
}

impl ProbeRecord {
    /// The time since the server started.
    pub fn now(&self) -> Duration {
        self.start.elapsed()
    }

    pub(super) fn call(&mut self, params: &Value, id: Value) {
        if self.calls.len() < MAX_ENTRIES {
            self.calls.push(ProbeCall {
                at: self.now(),
                name: params["name"].as_str().unwrap_or_default().to_owned(),
                arguments: params["arguments"].clone(),
                meta: params["_meta"].clone(),
                id,
            });
        }
    }

    /// Returns how often the resource was read, this time included.
    pub(super) fn read(&mut self, uri: &str) -> usize {
        if self.reads.len() < MAX_ENTRIES {
            self.reads.push(ResourceRead { at: self.now(), uri: uri.to_owned() });
        }
        self.reads.iter().filter(|read| read.uri == uri).count()
    }

    pub(super) fn report(&mut self, report: Value) {
        if self.reports.len() < MAX_ENTRIES {
            self.reports.push(ReportSeen { at: self.now(), report });
        }
    }
}
