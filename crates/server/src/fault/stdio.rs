//! Faults of a pipe: how it is read, and how it ends.

use std::time::Duration;

use super::{Effect, Fault, Reaction};

pub(super) const FAULTS: &[&Fault] = &[
    &OUTLIVES_STDIN,
    &DIES_OF_BAD_LINE,
    &ONE_MESSAGE_A_READ,
    &READ_IS_MESSAGE,
    &LONG_LINE_DROPPED,
    &CARRIAGE_RETURN_REFUSED,
    &NON_ASCII_LOST,
];

pub const OUTLIVES_STDIN: Fault = Fault {
    name: "outlives-stdin",
    about: "the server keeps its output open after its input has ended",
    effect: Effect::Outlive(Duration::from_secs(60)),
};

pub const DIES_OF_BAD_LINE: Fault = Fault {
    name: "dies-of-bad-line",
    about: "a line that is not JSON ends the connection",
    effect: Effect::Input(|bytes| {
        let whole = bytes.strip_suffix(b"\n").unwrap_or_default();
        let bad = whole
            .split(|b| *b == b'\n')
            .any(|line| !line.is_empty() && serde_json::from_slice::<serde::de::IgnoredAny>(line).is_err());
        (!bad).then(|| bytes.to_vec())
    }),
};

pub const ONE_MESSAGE_A_READ: Fault = Fault {
    name: "one-message-a-read",
    about: "of several messages in one write, only the first is seen",
    effect: Effect::Input(|bytes| {
        let end = bytes.iter().position(|b| *b == b'\n').map_or(bytes.len(), |at| at + 1);
        Some(bytes[..end].to_vec())
    }),
};

pub const READ_IS_MESSAGE: Fault = Fault {
    name: "read-is-message",
    about: "a message that comes in two writes is read as two",
    effect: Effect::Input(|bytes| {
        let mut line = bytes.to_vec();
        if !line.ends_with(b"\n") {
            line.push(b'\n');
        }
        Some(line)
    }),
};

pub const LONG_LINE_DROPPED: Fault = Fault {
    name: "long-line-dropped",
    about: "a message of more than 8 KiB is ignored",
    effect: Effect::Incoming(|incoming| {
        let length = incoming.frame.params.map_or(0, |params| params.get().len());
        (length > 8 * 1024).then_some(Reaction::Ignore)
    }),
};

pub const CARRIAGE_RETURN_REFUSED: Fault = Fault {
    name: "carriage-return-refused",
    about: "a line that ends with CR LF is not understood",
    effect: Effect::Input(|bytes| {
        let spoiled = bytes.split(|b| *b == b'\r').collect::<Vec<_>>().join(&b"#"[..]);
        Some(spoiled)
    }),
};

pub const NON_ASCII_LOST: Fault = Fault {
    name: "non-ascii-lost",
    about: "characters beyond ASCII are sent back as question marks",
    effect: Effect::Bytes(|_, bytes| {
        String::from_utf8_lossy(&bytes)
            .chars()
            .map(|c| if c.is_ascii() { c } else { '?' })
            .collect::<String>()
            .into()
    }),
};
