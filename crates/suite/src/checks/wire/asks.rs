//! What the server asks of the client: by a request in the legacy revisions, by an interim result in 2026-07-28.

use ::wire::{Direction, Entry, Kind};
use protocol::meta::CLIENT_CAPABILITIES;
use serde_json::Value;
use serde_json::value::RawValue;

use super::requests;
use crate::{Finding, Verdict, WireCx};

/// One thing that the client was asked.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    /// The message that asked.
    pub(super) entry: &'a Entry,
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub(super) method: String,
    /// Its parameters.
    pub(super) params: Value,
    /// The capabilities that the client had declared.
    pub(super) declared: Value,
}

/// Everything that the client was asked: requests of the server, and inputs that interim results require.
pub(super) fn asked<'a>(cx: &'a WireCx<'_>) -> Vec<Asked<'a>> {
    let mut all = Vec::new();
    let sent = cx.all_frames().filter(|(entry, _)| entry.direction == Direction::ToClient && may_ask(entry));
    for (entry, frame) in sent {
        match frame.kind() {
            Kind::Request => {
                // Without a handshake the request itself is wrong, which another check reports.
                let Some(declared) = at_first(cx) else { continue };
                let method = frame.method().unwrap_or_default().into_owned();
                let params = frame.params.map(parsed).unwrap_or_default();
                all.push(Asked { entry, method, params, declared });
            }
            Kind::Result if frame.result.is_some_and(|raw| raw.get().contains("inputRequests")) => {
                let result = frame.result.map(parsed).unwrap_or_default();
                // A result without a request is another check's business.
                let request = requests(cx).find(|r| r.kind() == Kind::Request && r.id() == frame.id());
                let Some(request) = request else { continue };
                let sent = request.params.map(parsed).unwrap_or_default();
                for input in result["inputRequests"].as_object().into_iter().flatten().map(|(_, input)| input)
                {
                    all.push(Asked {
                        entry,
                        method: input["method"].as_str().unwrap_or_default().to_owned(),
                        params: input["params"].clone(),
                        declared: sent["_meta"][CLIENT_CAPABILITIES].clone(),
                    });
                }
            }
            Kind::Result | Kind::Error | Kind::Notification | Kind::Invalid(_) => {}
        }
    }
    all
}

/// Whether a message is worth parsing: most ask for nothing, and every check here looks at all of them.
fn may_ask(entry: &Entry) -> bool {
    let words = ["elicitation", "createMessage", "roots", "inputRequests"];
    std::str::from_utf8(&entry.bytes).is_ok_and(|text| words.iter().any(|word| text.contains(word)))
}

/// Judges everything of one method that the client was asked.
pub(super) fn each_asked(
    cx: &WireCx<'_>,
    method: &str,
    judge: impl Fn(&Asked<'_>) -> Result<bool, (String, String)>,
) -> Verdict {
    let mut judged = false;
    for asked in asked(cx).iter().filter(|asked| asked.method == method) {
        judged |=
            judge(asked).map_err(|(expected, actual)| super::violated(asked.entry, expected, actual))?;
    }
    if judged { Ok(()) } else { Err(Finding::not_applicable("the server did not ask for such a thing")) }
}

/// What the client declared when the session began, if it began with a handshake.
fn at_first(cx: &WireCx<'_>) -> Option<Value> {
    let mut sent = cx.all_frames().filter(|(entry, _)| entry.direction == Direction::ToServer);
    let (_, first) = sent.find(|(_, frame)| frame.method().as_deref() == Some("initialize"))?;
    Some(first.params.map(parsed).unwrap_or_default()["capabilities"].clone())
}

pub(super) fn parsed(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap_or_default()
}
