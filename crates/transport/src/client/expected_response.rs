//! Decides which messages settle a request.

use serde_json::Value;
use serde_json::value::RawValue;
use wire::{Frame, Id, Kind, Payload};

use super::message::same_id;

/// What must come before a request counts as answered.
#[derive(Clone, Debug)]
pub(crate) enum ExpectedResponse {
    /// A response to each of these ids. Answered ones are removed.
    Ids(Vec<Id>),
    /// The same, but an error without an id does not count.
    ExactIds(Vec<Id>),
    /// An error without an id, because what was sent is not a message.
    Anonymous,
    /// Nothing: what was sent needs no response.
    Nothing,
    /// Nothing more: it is settled.
    Settled,
}

impl ExpectedResponse {
    /// What the sent bytes ask for.
    pub(crate) fn from_sent(bytes: &[u8]) -> Self {
        match Payload::parse(bytes) {
            Ok(Payload::Single(frame)) => match (frame.kind(), frame.id()) {
                (Kind::Request | Kind::Invalid(_), Some(id)) => Self::Ids(vec![id]),
                (Kind::Notification | Kind::Result | Kind::Error, _) => Self::Nothing,
                (Kind::Request | Kind::Invalid(_), None) => Self::Anonymous,
            },
            Ok(Payload::Batch(items)) => {
                let sound: Vec<_> = items.iter().flatten().collect();
                let ids: Vec<Id> =
                    sound.iter().filter(|f| f.kind() == Kind::Request).filter_map(|f| f.id()).collect();
                match (ids.is_empty(), sound.is_empty() || sound.len() < items.len()) {
                    (false, _) => Self::Ids(ids),
                    (true, true) => Self::Anonymous,
                    (true, false) => Self::Nothing,
                }
            }
            Err(_) => Self::Anonymous,
        }
    }

    /// The same, but an error without an id does not count as an answer.
    pub(crate) fn exact(self) -> Self {
        match self {
            Self::Ids(ids) => Self::ExactIds(ids),
            Self::ExactIds(_) | Self::Anonymous | Self::Nothing | Self::Settled => self,
        }
    }

    /// Whether a response is still expected.
    pub(crate) const fn is_open(&self) -> bool {
        matches!(self, Self::Ids(_) | Self::ExactIds(_) | Self::Anonymous)
    }

    /// The ids that are waited for.
    pub(crate) fn ids(&self) -> &[Id] {
        match self {
            Self::Ids(ids) | Self::ExactIds(ids) => ids,
            Self::Anonymous | Self::Nothing | Self::Settled => &[],
        }
    }

    /// Whether it was open and is answered now.
    pub(crate) const fn is_settled(&self) -> bool {
        matches!(self, Self::Settled)
    }

    /// The first id that is waited for.
    pub(crate) fn first(&self) -> Option<&Id> {
        self.ids().first()
    }

    /// Applies the frames of one message; true when one of them is an answer. An error without an id counts only if
    /// `alone`: no other request is open.
    pub(crate) fn apply_frames(&mut self, frames: &[Frame<'_>], alone: bool) -> bool {
        let lenient = matches!(self, Self::Ids(_) | Self::Anonymous);
        if alone && lenient && frames.iter().any(Frame::is_anonymous_error) {
            *self = Self::Settled;
            return true;
        }
        let (Self::Ids(ids) | Self::ExactIds(ids)) = self else { return false };
        let before = ids.len();
        let answered: Vec<Id> = frames.iter().filter(|f| f.is_response()).filter_map(Frame::id).collect();
        ids.retain(|id| !answered.iter().any(|other| same_id(id, other)));
        let hit = ids.len() < before;
        if ids.is_empty() {
            *self = Self::Settled;
        }
        hit
    }
}

/// The `progressToken` in the parameters of the bytes that are sent.
pub(crate) fn progress_token(bytes: &[u8]) -> Option<Id> {
    let frame = Frame::parse(bytes).ok()?;
    let params: Params<'_> = serde_json::from_str(frame.params?.get()).ok()?;
    params.meta?.progress_token.map(Id::from_raw)
}

/// The requests that a notification names: by progress token, subscription or cancellation.
#[derive(Debug, Default)]
pub(crate) struct RelatedRequest {
    pub(crate) token: Option<Id>,
    pub(crate) request: Option<Id>,
}

impl RelatedRequest {
    pub(crate) fn from_frame(frame: &Frame<'_>) -> Self {
        let method = frame.method();
        let (Some(method), Some(params)) = (method.as_deref(), frame.params) else { return Self::default() };
        let Ok(params) = serde_json::from_str::<Params<'_>>(params.get()) else { return Self::default() };
        let id = |raw: Option<&RawValue>| raw.map(Id::from_raw);
        match method {
            "notifications/progress" => Self { token: id(params.progress_token), request: None },
            "notifications/cancelled" => Self { token: None, request: id(params.request_id) },
            _ => Self { token: None, request: params.meta.and_then(|meta| id(meta.subscription_id)) },
        }
    }
}

#[derive(serde::Deserialize)]
struct Params<'a> {
    #[serde(borrow, rename = "_meta", default)]
    meta: Option<Meta<'a>>,
    #[serde(borrow, rename = "progressToken", default)]
    progress_token: Option<&'a RawValue>,
    #[serde(borrow, rename = "requestId", default)]
    request_id: Option<&'a RawValue>,
}

#[derive(serde::Deserialize)]
struct Meta<'a> {
    #[serde(borrow, rename = "progressToken", default)]
    progress_token: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/subscriptionId", default)]
    subscription_id: Option<&'a RawValue>,
}

/// A notification that cancels a request.
pub(crate) fn cancellation(id: &Id, reason: Option<&str>) -> String {
    let reason = reason.map(|r| format!(r#","reason":{}"#, Value::from(r))).unwrap_or_default();
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}{reason}}}}}"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settles(sent: &str, came: &str, alone: bool) -> bool {
        let mut expected = ExpectedResponse::from_sent(sent.as_bytes());
        expected.apply_frames(&[Frame::parse(came.as_bytes()).unwrap()], alone);
        expected.is_settled()
    }

    #[test]
    fn a_request_is_settled_by_its_id() {
        let sent = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
        assert!(settles(sent, r#"{"id":7,"result":{}}"#, false));
        assert!(settles(sent, r#"{"id":7,"error":{}}"#, false));
        assert!(
            settles(sent, r#"{"id":"7","result":{}}"#, false),
            "that its spelling changed is another's business"
        );
        assert!(!settles(sent, r#"{"id":8,"result":{}}"#, true));
        assert!(
            !settles(sent, r#"{"id":7,"method":"ping"}"#, true),
            "a request with the same id is no answer"
        );
    }

    #[test]
    fn an_error_without_id_settles_the_only_request() {
        let sent = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
        assert!(settles(sent, r#"{"id":null,"error":{}}"#, true));
        assert!(!settles(sent, r#"{"id":null,"error":{}}"#, false));
        assert!(settles("{nope", r#"{"error":{}}"#, true));
    }

    #[test]
    fn a_batch_waits_for_all_of_its_ids() {
        let mut expected =
            ExpectedResponse::from_sent(br#"[{"id":1,"method":"a"},{"method":"n"},{"id":2,"method":"b"}]"#);
        assert!(expected.apply_frames(&[Frame::parse(br#"{"id":2,"result":{}}"#).unwrap()], true));
        assert!(expected.is_open());
        assert!(expected.apply_frames(&[Frame::parse(br#"{"id":1,"result":{}}"#).unwrap()], true));
        assert!(expected.is_settled());
        assert!(matches!(ExpectedResponse::from_sent(b"[]"), ExpectedResponse::Anonymous));
        assert!(matches!(ExpectedResponse::from_sent(br#"[{"method":"n"}]"#), ExpectedResponse::Nothing));
    }

    #[test]
    fn notifications_say_what_they_are_about() {
        let about = |json: &str| RelatedRequest::from_frame(&Frame::parse(json.as_bytes()).unwrap());
        let progress = r#"{"method":"notifications/progress","params":{"progressToken":"t","progress":1}}"#;
        assert_eq!(about(progress).token, Some(Id::from("t")));
        let listed = r#"{"method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":3}}}"#;
        assert_eq!(about(listed).request, Some(Id::from(3)));
        let log = about(r#"{"method":"notifications/message","params":{"level":"info"}}"#);
        assert!(log.token.is_none() && log.request.is_none());
    }

    #[test]
    fn a_cancellation_keeps_the_spelling_of_the_id() {
        assert_eq!(
            cancellation(&Id::Number("8.0".into()), Some("a \"b\"")),
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8.0,"reason":"a \"b\""}}"#
        );
    }
}
