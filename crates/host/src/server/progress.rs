//! Routes progress notifications of a View's request back to that View. They travel with the answers to its calls, so that
//! none arrives after the response that it belongs to.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::SupervisedServer;
use crate::view::View;

const PROGRESS: &str = "notifications/progress";

/// The Views that asked for progress. Two Views may use the same token, so the server gets a token made by the host.
#[derive(Debug, Default)]
pub(super) struct ProgressTokens {
    count: AtomicU64,
    asked: Mutex<HashMap<String, ProgressRequest>>,
}

#[derive(Clone, Debug)]
struct ProgressRequest {
    view: Arc<View>,
    call: String,
    token: Value,
}

/// Routes the progress of one request; dropping it ends that.
#[derive(Debug)]
pub(crate) struct ProgressGuard<'a> {
    progress: &'a ProgressTokens,
    token: String,
}

impl Drop for ProgressGuard<'_> {
    fn drop(&mut self) {
        self.progress.asked.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.token);
    }
}

impl SupervisedServer {
    /// If the View's request asks for progress, replaces its token with one made by the host.
    pub(crate) fn follow_progress(
        &self,
        view: &Arc<View>,
        call: &str,
        params: &mut Value,
    ) -> Option<ProgressGuard<'_>> {
        let token = params.pointer_mut("/_meta/progressToken")?;
        let ours = format!("progress-{}", self.progress.count.fetch_add(1, Ordering::Relaxed));
        let token = std::mem::replace(token, json!(ours));
        let asked = ProgressRequest { view: view.clone(), call: call.to_owned(), token };
        let mut all = self.progress.asked.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(ours.clone(), asked);
        Some(ProgressGuard { progress: &self.progress, token: ours })
    }

    /// If `message` is progress that a View asked for, keeps it for that View.
    pub(super) fn route_progress(&self, message: &Value) {
        let Some(params) = message["params"].as_object().filter(|_| message["method"] == PROGRESS) else {
            return;
        };
        let token = params.get("progressToken").and_then(Value::as_str).unwrap_or_default();
        let asked = self.progress.asked.lock().unwrap_or_else(PoisonError::into_inner).get(token).cloned();
        if let Some(ProgressRequest { view, call, token }) = asked {
            let mut params = params.clone();
            params.insert("progressToken".to_owned(), token);
            view.answers.add_progress(call, Value::Object(params));
        }
    }

    /// If `message` is a cancellation, closes the server's request.
    pub(super) fn route_cancellation(&self, message: &Value) {
        if message["method"] == "notifications/cancelled" {
            self.asked.cancel(&message["params"]["requestId"].to_string());
        }
    }
}
