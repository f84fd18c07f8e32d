//! Ids and progress tokens of clients that share a process: replaced on the way in, put back on the way out.

use bytes::Bytes;
use protocol::meta::{PROGRESS_TOKEN, SUBSCRIPTION_ID};
use serde_json::value::RawValue;
use wire::{Frame, Id, Splice};

/// The id and the progress token of a request, as the client spelled them.
#[derive(Debug)]
pub(crate) struct ClientIds {
    id: Bytes,
    token: Option<Bytes>,
}

impl ClientIds {
    pub(crate) const fn has_token(&self) -> bool {
        self.token.is_some()
    }
}

/// The request with `number` in the place of its id and its progress token.
pub(crate) fn replace_ids(request: &Bytes, number: u64) -> (Bytes, ClientIds) {
    let Ok(frame) = Frame::parse(request) else {
        return (request.clone(), ClientIds { id: Bytes::new(), token: None });
    };
    let number = number.to_string();
    let token = frame.params.and_then(|params| member(member(params, "_meta")?, PROGRESS_TOKEN));
    let mut splice = Splice::new(request);
    for known in [frame.id, token].into_iter().flatten() {
        splice.replace(known.get(), number.clone().into_bytes());
    }
    let kept = |raw: &RawValue| request.slice_ref(raw.get().as_bytes());
    let ids = ClientIds { id: frame.id.map(kept).unwrap_or_default(), token: token.map(kept) };
    (splice.finish().into(), ids)
}

/// The message with the client's own id, progress token and subscription id; unchanged without `ids`.
pub(crate) fn restore_ids(message: &Bytes, frame: &Frame<'_>, ids: Option<&ClientIds>) -> Bytes {
    let Some(ids) = ids else { return message.clone() };
    let mut splice = Splice::new(message);
    if let Some(id) = frame.id.filter(|_| frame.is_response()) {
        splice.replace(id.get(), &ids.id[..]);
    }
    let token = frame.params.and_then(|params| member(params, PROGRESS_TOKEN));
    if let (Some(token), Some(known)) = (token, &ids.token) {
        splice.replace(token.get(), &known[..]);
    }
    for part in [frame.params, frame.result].into_iter().flatten() {
        if let Some(subscription) = member(part, "_meta").and_then(|meta| member(meta, SUBSCRIPTION_ID)) {
            splice.replace(subscription.get(), &ids.id[..]);
        }
    }
    splice.finish().into()
}

/// The progress token that a request asks to be told by.
pub(crate) fn request_token(request: &[u8]) -> Option<Id> {
    let params = Frame::parse(request).ok()?.params?;
    member(member(params, "_meta")?, PROGRESS_TOKEN).map(Id::from_raw)
}

/// The progress token that a notification names.
pub(crate) fn notified_token(frame: &Frame<'_>) -> Option<Id> {
    member(frame.params?, PROGRESS_TOKEN).map(Id::from_raw)
}

/// The subscription that a notification belongs to.
pub(crate) fn subscription(frame: &Frame<'_>) -> Option<Id> {
    member(member(frame.params?, "_meta")?, SUBSCRIPTION_ID).map(Id::from_raw)
}

/// The member of an object; of one that occurs twice the last, as in most parsers.
pub(crate) fn member<'a>(object: &'a RawValue, name: &str) -> Option<&'a RawValue> {
    wire::members(object)?.into_iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(bytes: &Bytes) -> Frame<'_> {
        Frame::parse(bytes).unwrap()
    }

    #[test]
    fn what_is_replaced_comes_back_and_all_else_stays() {
        let request = Bytes::from_static(
            br#"{ "id" : "a\u0062", "jsonrpc":"2.0","method":"tools/call","params":{"n":1.0,"_meta":{"progressToken": 7e0}}}"#,
        );
        let (sent, ids) = replace_ids(&request, 42);
        assert_eq!(
            sent,
            &br#"{ "id" : 42, "jsonrpc":"2.0","method":"tools/call","params":{"n":1.0,"_meta":{"progressToken": 42}}}"#[..]
        );
        let progress = Bytes::from_static(
            br#"{"method":"notifications/progress","params":{"progressToken":42,"progress":1.50}}"#,
        );
        assert_eq!(
            restore_ids(&progress, &frame(&progress), Some(&ids)),
            &br#"{"method":"notifications/progress","params":{"progressToken":7e0,"progress":1.50}}"#[..]
        );
        let response = Bytes::from_static(br#"{"id":42,"result":{"x":1e2}}"#);
        assert_eq!(
            restore_ids(&response, &frame(&response), Some(&ids)),
            &br#"{"id":"a\u0062","result":{"x":1e2}}"#[..]
        );
    }

    #[test]
    fn a_subscription_is_named_by_the_id_that_the_client_gave_it() {
        let (_, ids) = replace_ids(&Bytes::from_static(br#"{"id":"s","method":"subscriptions/listen"}"#), 3);
        let told = Bytes::from_static(
            br#"{"method":"x","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":3}}}"#,
        );
        assert_eq!(
            restore_ids(&told, &frame(&told), Some(&ids)),
            &br#"{"method":"x","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}}"#[..]
        );
    }
}
