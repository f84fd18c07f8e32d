//! What can be done with any host whose page is in Chromium: looking into frames, popups and whether it reacts.

use std::time::Duration;

use browser::{BrowserError, Page};
use serde_json::{Value, json};

use crate::host::ActFailure;

/// How long one look into a frame may take.
const LOOK_TIMEOUT: Duration = Duration::from_secs(3);
/// How long the page is watched while a View floods it.
const WATCH_TIME: Duration = Duration::from_secs(4);

/// Reads how long the page does not react, once it is started again.
const METER_SCRIPT: &str =
    "void (globalThis.probeGap = 0, globalThis.probeBefore = performance.now(), setInterval(() => {
    globalThis.probeGap = Math.max(globalThis.probeGap, performance.now() - globalThis.probeBefore);
    globalThis.probeBefore = performance.now(); }, 20))";
const IFRAMES_SCRIPT: &str = "[...document.querySelectorAll('iframe')].map((it) => ({ src: it.src.slice(0, 300), \
    sandbox: it.getAttribute('sandbox'), allow: it.getAttribute('allow'), csp: it.getAttribute('csp') }))";

/// Records what frames send to the page. What a script of the page makes up itself does not count.
pub(super) const HEARING_SCRIPT: &str = "if (globalThis.top === globalThis) {
    const heard = globalThis.yardstickHeard = new Set();
    addEventListener('message', ({ isTrusted, data }) => {
      if (isTrusted && typeof data?.method === 'string' && heard.size < 200) heard.add(data.method);
    }, true);
  }";

/// What went wrong in the browser.
pub(super) fn failed(why: &BrowserError) -> ActFailure {
    ActFailure::Failed(why.to_string())
}

/// Evaluates a script in a frame, within a limit.
async fn eval_in_frame(page: &Page, frame: &str, script: &str) -> Option<Value> {
    let found = page.frame(|it| it.id == frame, Duration::from_millis(50)).await.ok()?;
    tokio::time::timeout(LOOK_TIMEOUT, found.eval(script)).await.ok()?.ok()
}

/// What the View knows: that of the first frame that is one of ours.
pub(super) async fn read_view(page: &Page) -> Result<Value, ActFailure> {
    for frame in page.frames().iter().rev() {
        let read = eval_in_frame(page, &frame.id, "globalThis.probeState?.() ?? null").await;
        if let Some(state) = read.filter(Value::is_object) {
            return Ok(state);
        }
    }
    Err(ActFailure::Failed("no frame of the page is a probe".to_owned()))
}

/// Every frame: its address, its origin, the frame around it, and the elements of the frames in it.
pub(super) async fn read_frames(page: &Page) -> Result<Value, ActFailure> {
    let mut frames = Vec::new();
    for frame in page.frames() {
        let inner = eval_in_frame(page, &frame.id, IFRAMES_SCRIPT).await.unwrap_or_default();
        let origin = eval_in_frame(page, &frame.id, "globalThis.origin").await.unwrap_or_default();
        let is_probe = eval_in_frame(page, &frame.id, "typeof globalThis.probeState === 'function'").await;
        frames.push(json!({
            "id": frame.id, "parent": frame.parent, "url": frame.url, "origin": origin, "iframes": inner,
            "isProbe": is_probe.unwrap_or_default(),
        }));
    }
    Ok(json!(frames))
}

/// The addresses of the popups.
pub(super) fn read_popups(page: &Page) -> Value {
    json!(page.popups().iter().map(Page::url).collect::<Vec<_>>())
}

/// The methods of what frames sent to the page.
pub(super) async fn read_heard(page: &Page) -> Result<Value, ActFailure> {
    page.eval("[...globalThis.yardstickHeard]").await.map_err(|why| failed(&why))
}

/// How long the page did not react, at most, in a while.
pub(super) async fn measure_gap(page: &Page) -> Result<Value, ActFailure> {
    page.eval(METER_SCRIPT).await.map_err(|why| failed(&why))?;
    tokio::time::sleep(WATCH_TIME).await;
    page.eval("Math.max(globalThis.probeGap, performance.now() - globalThis.probeBefore)")
        .await
        .map_err(|why| failed(&why))
}
