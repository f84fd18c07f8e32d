//! Faults in comparing headers with the body, in 2026-07-28.

use http::HeaderValue;
use protocol::header::{self, Mirrored};
use protocol::{Era, code, method};
use serde_json::{Value, json};

use super::edit::result_of;
use super::{Effect, Fault, Incoming, Reaction};

/// The prefix of an encoded value.
const ENCODED: &[u8] = b"=?base64?";

pub(super) const FAULTS: &[&Fault] = &[
    &NAME_UNCHECKED,
    &NAME_NOT_DECODED,
    &CAPITALS_LOST,
    &VALUES_IN_ANY_CASE,
    &DECLARATION_BAD,
    &PARAM_UNCHECKED,
    &PARAM_OPTIONAL,
    &PARAM_ALWAYS_EXPECTED,
    &PARAM_NOT_DECODED,
    &PARAM_AS_TEXT,
    &PARAM_ANY_BYTES,
];

pub const NAME_UNCHECKED: Fault = Fault {
    name: "name-unchecked",
    about: "Mcp-Name may be missing or say anything",
    effect: Effect::Incoming(|incoming| {
        let method = method::find(Era::Modern.newest(), &incoming.method)?;
        let name = Mirrored::of_known(method, "", &incoming.params).name;
        let name = name.map(|name| HeaderValue::try_from(header::encode(name).as_ref()));
        match (&mut incoming.headers, name) {
            (Some(headers), Some(Ok(name))) => drop(headers.insert(header::NAME, name)),
            (Some(headers), _) => drop(headers.remove(header::NAME)),
            (None, _) => {}
        }
        None
    }),
};

pub const NAME_NOT_DECODED: Fault = Fault {
    name: "name-not-decoded",
    about: "an Mcp-Name in base64 is compared without decoding it",
    effect: Effect::Incoming(|incoming| {
        let is_encoded = incoming.header(header::NAME).is_some_and(|said| said.starts_with(ENCODED));
        (is_encoded && incoming.is_modern()).then(|| refuse_mismatch(header::NAME))
    }),
};

pub const CAPITALS_LOST: Fault = Fault {
    name: "capitals-lost",
    about: "MCP-METHOD in capitals is not seen",
    effect: Effect::Http(|options| {
        options.on_received = Some(|bytes| {
            let lost = b"MCP-METHOD:";
            if let Some(at) = bytes.windows(lost.len()).position(|window| window == lost) {
                bytes[at..at + 3].copy_from_slice(b"XXX");
            }
        });
    }),
};

pub const VALUES_IN_ANY_CASE: Fault = Fault {
    name: "values-in-any-case",
    about: "Mcp-Method and Mcp-Name are compared without regard to case",
    effect: Effect::Incoming(|incoming| {
        let method = method::find(Era::Modern.newest(), &incoming.method)?;
        let name = Mirrored::of_known(method, "", &incoming.params).name.unwrap_or_default();
        let headers = incoming.headers.as_mut()?;
        for (header, own) in [(header::METHOD, method.name), (header::NAME, name)] {
            let is_alike = |said: &HeaderValue| said.as_bytes().eq_ignore_ascii_case(own.as_bytes());
            if let Some(said) = headers.get_mut(header).filter(|said| is_alike(said))
                && let Ok(own) = HeaderValue::try_from(own)
            {
                *said = own;
            }
        }
        None
    }),
};

pub const DECLARATION_BAD: Fault = Fault {
    name: "declaration-bad",
    about: "a tool declares an x-mcp-header that is not a token, on a number",
    effect: Effect::Message(|outgoing, message| {
        result_of(outgoing, "tools/list", message, |result| {
            let bad = json!({ "type": "number", "x-mcp-header": "Not A Token" });
            result["tools"][0]["inputSchema"]["properties"]["weight"] = bad;
        })
    }),
};

pub const PARAM_UNCHECKED: Fault = Fault {
    name: "param-unchecked",
    about: "an Mcp-Param header may contradict the argument that it repeats",
    effect: Effect::Retry(|error, incoming| forgive(error, incoming, "says ")),
};

pub const PARAM_OPTIONAL: Fault = Fault {
    name: "param-optional",
    about: "an argument need not be repeated in its Mcp-Param header",
    effect: Effect::Retry(|error, incoming| forgive(error, incoming, "is missing")),
};

pub const PARAM_ALWAYS_EXPECTED: Fault = Fault {
    name: "param-always-expected",
    about: "an Mcp-Param header is asked for even where the call has no such argument",
    effect: Effect::Incoming(|incoming| strict(incoming, |_, said| said.is_none())),
};

pub const PARAM_NOT_DECODED: Fault = Fault {
    name: "param-not-decoded",
    about: "an Mcp-Param header in base64 is compared without decoding it",
    effect: Effect::Incoming(|incoming| {
        strict(incoming, |_, said| said.is_some_and(|said| said.starts_with(ENCODED)))
    }),
};

pub const PARAM_AS_TEXT: Fault = Fault {
    name: "param-as-text",
    about: "an integer in an Mcp-Param header is compared as text",
    effect: Effect::Incoming(|incoming| {
        strict(incoming, |value, said| {
            let number = value.filter(|value| value.is_number()).map(Value::to_string);
            said.zip(number).is_some_and(|(said, number)| said != number.as_bytes())
        })
    }),
};

pub const PARAM_ANY_BYTES: Fault = Fault {
    name: "param-any-bytes",
    about: "an Mcp-Param header may carry raw UTF-8",
    effect: Effect::Retry(|error, incoming| forgive(error, incoming, "is malformed")),
};

/// Refuses a call for a header that its tool declares. `is_wrong` gets the argument and the header.
fn strict(
    incoming: &Incoming<'_>,
    is_wrong: impl Fn(Option<&Value>, Option<&[u8]>) -> bool,
) -> Option<Reaction> {
    let tool = incoming.tool().filter(|_| incoming.is_modern() && incoming.headers.is_some())?;
    let arguments = incoming.params.get("arguments");
    tool.headers.iter().find_map(|param| {
        let header = format!("{}{}", header::PARAM_PREFIX, param.name);
        is_wrong(param.value_in(arguments), incoming.header(&header)).then(|| refuse_mismatch(&header))
    })
}

fn refuse_mismatch(header: &str) -> Reaction {
    Reaction::Refuse(code::HEADER_MISMATCH, format!("header {header} is not what the body says"))
}

/// Tries a refused call again without the declared headers, if the refusal contains `how`.
fn forgive(error: &Value, incoming: &mut Incoming<'_>, how: &str) -> bool {
    let message = error["message"].as_str().filter(|_| error["code"] == code::HEADER_MISMATCH);
    let about = message.and_then(|text| text.strip_prefix("header ")?.split_once(' '));
    let is_meant =
        about.is_some_and(|(header, rest)| header.starts_with(header::PARAM_PREFIX) && rest.starts_with(how));
    is_meant && incoming.headers.take().is_some()
}
