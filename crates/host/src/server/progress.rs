//! Progress of a request that a view has made, on its way back to that view.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::Server;
use crate::Shared;

/// The views that asked for progress. Two views may use the same token, so the server is given one of ours.
#[derive(Debug, Default)]
pub(super) struct Progress {
    count: AtomicU64,
    asked: Mutex<HashMap<String, Asked>>,
}

#[derive(Clone, Debug)]
struct Asked {
    view: String,
    token: Value,
}

/// Passes progress on for as long as this is there.
#[derive(Debug)]
pub(crate) struct Following<'a> {
    progress: &'a Progress,
    token: String,
}

impl Drop for Following<'_> {
    fn drop(&mut self) {
        self.progress.asked.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.token);
    }
}

impl Server {
    /// Puts a token of ours into the parameters of a view's request that asks for progress.
    pub(crate) fn follow_progress(&self, view: &str, params: &mut Value) -> Option<Following<'_>> {
        let token = params.pointer_mut("/_meta/progressToken")?;
        let ours = format!("progress-{}", self.progress.count.fetch_add(1, Ordering::Relaxed));
        let asked = Asked { view: view.to_owned(), token: std::mem::replace(token, json!(ours)) };
        let mut all = self.progress.asked.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(ours.clone(), asked);
        Some(Following { progress: &self.progress, token: ours })
    }

    /// Acts on a notification of the server: progress goes to the view that asked, a cancelled request is closed.
    pub(super) fn notified(&self, shared: &Shared, message: &Value) {
        let params = &message["params"];
        match message["method"].as_str() {
            Some("notifications/progress") => {
                let all = self.progress.asked.lock().unwrap_or_else(PoisonError::into_inner);
                let asked = params["progressToken"].as_str().and_then(|token| all.get(token)).cloned();
                drop(all);
                if let (Some(asked), Some(params)) = (asked, params.as_object()) {
                    let mut params = params.clone();
                    params.insert("progressToken".to_owned(), asked.token);
                    shared.feed.tell(&json!({ "kind": "progress", "view": asked.view, "params": params }));
                }
            }
            Some("notifications/cancelled") => {
                self.asked.cancel(&params["requestId"].to_string());
            }
            _ => {}
        }
    }
}
