//! One JSON-RPC message, as spans of the bytes that carried it.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::Id;

/// One JSON-RPC message, borrowed from the bytes that carried it.
///
/// A member that is present with the value `null` is `Some`, so `"id": null` and no `id` stay apart. Of a member
/// that occurs twice the last one counts, as in most parsers; [`crate::inspect`] reports the others.
#[derive(Clone, Debug, Default)]
pub struct Frame<'a> {
    /// The `jsonrpc` member.
    pub jsonrpc: Option<&'a RawValue>,
    /// The `id` member.
    pub id: Option<&'a RawValue>,
    /// The `method` member.
    pub method: Option<&'a RawValue>,
    /// The `params` member.
    pub params: Option<&'a RawValue>,
    /// The `result` member.
    pub result: Option<&'a RawValue>,
    /// The `error` member.
    pub error: Option<&'a RawValue>,
    /// The whole message, if [`Frame::parse`] has read it.
    pub text: &'a str,
}

/// What one transport message holds: a single frame, or a batch.
#[derive(Clone, Debug)]
pub enum Payload<'a> {
    /// One JSON object.
    Single(Frame<'a>),
    /// A JSON array. Each element is a frame, or the reason why it is not one.
    Batch(Vec<Result<Frame<'a>, Malformed>>),
}

/// What a frame is, by the members it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `method` and an `id`.
    Request,
    /// `method` without an `id`.
    Notification,
    /// `result`.
    Result,
    /// `error`.
    Error,
    /// Not a JSON-RPC message; the text says why.
    Invalid(&'static str),
}

/// Why bytes are not a frame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The bytes are not UTF-8.
    #[error("not UTF-8 from byte {at} on")]
    NotUtf8 {
        /// Offset of the first bad byte.
        at: usize,
    },
    /// The text is not JSON.
    #[error("not JSON: {why}")]
    NotJson {
        /// The parser's reason, with line and column.
        why: String,
    },
    /// JSON, but neither an object nor an array.
    #[error("a JSON {0} where a message object belongs")]
    NotAnObject(&'static str),
}

impl<'a> Frame<'a> {
    /// Reads one message object.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let text = std::str::from_utf8(bytes).map_err(|e| Malformed::NotUtf8 { at: e.valid_up_to() })?;
        if first_byte(text) == Some(b'{') {
            return Ok(Self { text, ..from_json(text)? });
        }
        let raw: &RawValue = from_json(text)?;
        Err(Malformed::NotAnObject(json_type(raw)))
    }

    /// What the frame is, judged by its members alone.
    pub fn kind(&self) -> Kind {
        match (self.method.is_some(), self.result.is_some(), self.error.is_some()) {
            (true, false, false) if self.id.is_some() => Kind::Request,
            (true, false, false) => Kind::Notification,
            (false, true, false) => Kind::Result,
            (false, false, true) => Kind::Error,
            (false, false, false) => Kind::Invalid("neither method, result nor error"),
            (false, true, true) => Kind::Invalid("both result and error"),
            (true, _, _) => Kind::Invalid("a method together with a result or an error"),
        }
    }

    /// Whether the frame answers a request, even if badly: it may have a result and an error at once.
    pub fn is_response(&self) -> bool {
        self.method.is_none() && (self.result.is_some() || self.error.is_some())
    }

    /// The method name, when `method` is a string.
    pub fn method(&self) -> Option<Cow<'a, str>> {
        self.method.and_then(text)
    }

    /// The id, owned and comparable.
    pub fn id(&self) -> Option<Id> {
        self.id.map(Id::from_raw)
    }

    /// Whether it is an error that does not say which request it is for.
    pub fn is_anonymous_error(&self) -> bool {
        self.error.is_some() && self.method.is_none() && self.id.is_none_or(|id| id.get() == "null")
    }

    /// Whether it has a member that JSON-RPC knows, right or wrong. A log line in JSON has none.
    pub fn has_rpc_member(&self) -> bool {
        let members = [self.jsonrpc, self.id, self.method, self.params, self.result, self.error];
        members.iter().any(Option::is_some)
    }

    /// Whether `jsonrpc` is exactly `"2.0"`.
    pub fn is_2_0(&self) -> bool {
        self.jsonrpc.and_then(text).is_some_and(|v| v == "2.0")
    }
}

impl<'a> Payload<'a> {
    /// Reads one transport message: an object, or an array of them.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let text = std::str::from_utf8(bytes).map_err(|e| Malformed::NotUtf8 { at: e.valid_up_to() })?;
        if first_byte(text) == Some(b'[') {
            let items: Items<'a> = from_json(text)?;
            return Ok(Self::Batch(
                items.0.into_iter().map(|raw| Frame::parse(raw.get().as_bytes())).collect(),
            ));
        }
        Frame::parse(bytes).map(Self::Single)
    }
}

/// The members of a JSON object in their order, or `None` when it is not an object.
pub fn members(raw: &RawValue) -> Option<Vec<(Cow<'_, str>, &RawValue)>> {
    serde_json::from_str::<ObjectMembers<'_>>(raw.get()).ok().map(|m| m.0)
}

/// The text of a JSON string; `None` when the value is not a string.
pub fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    let inner = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str::<String>(raw.get()).ok().map(Cow::Owned)
}

/// The first byte that is not white space.
fn first_byte(text: &str) -> Option<u8> {
    text.trim_start_matches([' ', '\t', '\r', '\n']).bytes().next()
}

fn from_json<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Malformed> {
    serde_json::from_str(text).map_err(|e| Malformed::NotJson { why: e.to_string() })
}

fn json_type(raw: &RawValue) -> &'static str {
    match raw.get().as_bytes().first() {
        Some(b'"') => "string",
        Some(b't' | b'f') => "boolean",
        Some(b'n') => "null",
        Some(b'[') => "array",
        Some(b'{') => "object",
        _ => "number",
    }
}

// Not derived: serde's `Option` would read `"id": null` as absent, and a repeated member as an error.
impl<'de: 'a, 'a> Deserialize<'de> for Frame<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FrameVisitor)
    }
}

struct FrameVisitor;

impl<'de> Visitor<'de> for FrameVisitor {
    type Value = Frame<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON-RPC message object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut frame = Frame::default();
        while let Some(key) = map.next_key::<MemberName<'de>>()? {
            let slot = match key.0.as_ref() {
                "jsonrpc" => &mut frame.jsonrpc,
                "id" => &mut frame.id,
                "method" => &mut frame.method,
                "params" => &mut frame.params,
                "result" => &mut frame.result,
                "error" => &mut frame.error,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *slot = Some(map.next_value()?);
        }
        Ok(frame)
    }
}

/// A member name, borrowed unless it has escapes.
struct MemberName<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for MemberName<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = MemberName<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member name")
            }
            fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Self::Value, E> {
                Ok(MemberName(Cow::Borrowed(v)))
            }
            fn visit_str<E>(self, v: &str) -> Result<Self::Value, E> {
                Ok(MemberName(Cow::Owned(v.to_owned())))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

struct ObjectMembers<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for ObjectMembers<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = ObjectMembers<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((key, value)) = map.next_entry::<MemberName<'de>, &'de RawValue>()? {
                    members.push((key.0, value));
                }
                Ok(ObjectMembers(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct Items<'a>(Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Items<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ItemsVisitor;
        impl<'de> Visitor<'de> for ItemsVisitor {
            type Value = Items<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Items(items))
            }
        }
        deserializer.deserialize_seq(ItemsVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kind(json: &str) -> Kind {
        Frame::parse(json.as_bytes()).unwrap().kind()
    }

    #[test]
    fn members_decide_the_kind() {
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), Kind::Request);
        assert_eq!(kind(r#"{"method":"ping"}"#), Kind::Notification);
        assert_eq!(kind(r#"{"id":1,"result":null}"#), Kind::Result);
        assert_eq!(kind(r#"{"id":null,"error":{}}"#), Kind::Error);
        assert!(matches!(kind(r#"{"id":1,"result":{},"error":{}}"#), Kind::Invalid(_)));
        assert!(matches!(kind("{}"), Kind::Invalid(_)));
    }

    #[test]
    fn null_is_not_absence() {
        let frame = Frame::parse(br#"{"id":null,"method":"x"}"#).unwrap();
        assert_eq!(frame.id.map(RawValue::get), Some("null"));
    }

    #[test]
    fn spelling_survives() {
        let frame = Frame::parse(br#"{"id":8.0,"method":"\u0070ing","params":{ "a" : 1e2 }}"#).unwrap();
        assert_eq!(frame.id.unwrap().get(), "8.0");
        assert_eq!(frame.method().unwrap(), "ping");
        assert_eq!(frame.params.unwrap().get(), r#"{ "a" : 1e2 }"#);
    }

    #[test]
    fn the_last_of_two_members_counts() {
        assert_eq!(Frame::parse(br#"{"id":1,"id":2,"method":"x"}"#).unwrap().id.unwrap().get(), "2");
    }

    #[test]
    fn a_batch_keeps_its_bad_elements() {
        let Payload::Batch(items) = Payload::parse(br#"[{"method":"a"},7,{"id":1,"result":{}}]"#).unwrap()
        else {
            panic!("an array is a batch");
        };
        assert_eq!(items.len(), 3);
        assert_eq!(items[1].as_ref().unwrap_err(), &Malformed::NotAnObject("number"));
    }

    #[test]
    fn what_is_no_frame_says_why() {
        let why = |bytes: &[u8]| Frame::parse(bytes).unwrap_err().to_string();
        assert_eq!(why(b"\xff{}"), "not UTF-8 from byte 0 on");
        assert_eq!(why(b"[]"), "a JSON array where a message object belongs");
        assert_eq!(why(b"true"), "a JSON boolean where a message object belongs");
        assert!(why(b"{nope").starts_with("not JSON: key must be a string"));
        assert!(why(b"{} {}").contains("trailing"));
        assert!(why(b"").contains("EOF"));
    }

    /// JSON that resembles messages closely enough to reach every branch.
    fn almost_json() -> impl Strategy<Value = String> {
        let word = prop_oneof![
            Just("\"jsonrpc\":"),
            Just("\"id\":"),
            Just("\"method\":"),
            Just("\"params\":"),
            Just("\"result\":"),
            Just("\"error\":"),
            Just("\"2.0\""),
            Just("{"),
            Just("}"),
            Just("["),
            Just("]"),
            Just(","),
            Just(":"),
            Just("null"),
            Just("1e999"),
            Just("-0"),
            Just("8.0"),
            Just("\"\\u0000\""),
            Just("\"\\ud800\""),
            Just("\u{feff}"),
            Just(" "),
            Just("18446744073709551616"),
            Just("\""),
            Just("\\"),
        ];
        proptest::collection::vec(word, 0..40).prop_map(|words| words.concat())
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Payload::parse(&bytes);
            let _ = crate::inspect(&bytes);
        }

        #[test]
        fn what_is_almost_json_is_judged_alike_by_both_readers(text in almost_json()) {
            let strict = crate::inspect(text.as_bytes());
            let object = text.trim_start().starts_with('{');
            if let (Ok(Payload::Single(frame)), true) = (Payload::parse(text.as_bytes()), object) {
                prop_assert!(strict.iter().all(|flaw| !matches!(flaw, crate::Flaw::TrailingBytes)), "{strict:?}");
                let spans = [frame.jsonrpc, frame.id, frame.method, frame.params, frame.result, frame.error];
                for raw in spans.into_iter().flatten() {
                    prop_assert_eq!(&text[crate::span_of(text.as_bytes(), raw.get()).unwrap()], raw.get());
                }
            }
        }

        #[test]
        fn a_spliced_id_is_the_only_thing_that_changes(id in "[1-9][0-9]{0,19}", rest in "[a-z]{0,20}") {
            let text = format!(r#"{{"x":"{rest}","id":{id},"method":"m"}}"#);
            let frame = Frame::parse(text.as_bytes()).unwrap();
            let mut splice = crate::Splice::new(text.as_bytes());
            prop_assert!(splice.replace(frame.id.unwrap().get(), b"\"new\"".as_slice()));
            prop_assert_eq!(splice.finish(), format!(r#"{{"x":"{rest}","id":"new","method":"m"}}"#).into_bytes());
        }
    }

    #[test]
    fn deep_nesting_costs_no_stack() {
        let deep = format!("{{\"method\":\"x\",\"params\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
        assert_eq!(kind(&deep), Kind::Notification);
        let batches = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
        assert!(matches!(Payload::parse(batches.as_bytes()), Ok(Payload::Batch(items)) if items.len() == 1));
    }
}
