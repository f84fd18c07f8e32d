//! The matrix of hosts: what each row varies, as values.
//!
//! A row is a host that the specification allows, or one that behaves badly on purpose. Every app is shown once in each.

use browser::Scheme;

/// One kind of host.
#[derive(Debug)]
pub struct HostRow {
    /// The name on the command line and in reports.
    pub name: &'static str,
    /// What it varies, in one line.
    pub about: &'static str,
    /// The host profile that the page plays.
    pub(crate) profile: &'static str,
    /// Settings of the page, as in a deep link.
    pub(crate) link: &'static [(&'static str, &'static str)],
    /// The width and height of the window.
    pub(crate) window: (u32, u32),
    /// The colour scheme that the person prefers.
    pub(crate) scheme: Scheme,
    /// Whether there is a touch screen.
    pub(crate) touch: bool,
    /// Whether nothing outside of this machine can be reached.
    pub(crate) offline: bool,
    /// What the host does otherwise: an object with functions `step` and `send` around those of the page.
    pub(crate) script: &'static str,
    /// What happens once the app has its result.
    pub(crate) after_result: &'static [RowAction],
    /// Whether it makes requests on purpose whose answers have checks of their own.
    pub(crate) provokes_answers: bool,
    /// The display mode that an app must have declared to be shown in this row.
    pub(crate) mode: Option<&'static str>,
}

/// What happens in a row once the app has its result.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RowAction {
    /// The person changes to dark colours.
    Dark,
    /// The window gets another width and height.
    Resize(u32, u32),
    /// Every button of the app is pressed.
    Press,
    /// A script runs in the host's page.
    Script(&'static str),
    /// The host closes the app.
    TearDown,
}

const STRICT_ROW: HostRow = HostRow {
    name: "strict",
    about: "everything that the specification defines, light colours, inline",
    profile: "strict",
    link: &[("theme", "light")],
    window: (1280, 900),
    scheme: Scheme::Light,
    touch: false,
    offline: false,
    script: "{}",
    after_result: &[],
    provokes_answers: false,
    mode: None,
};

/// The row that all others are compared with.
pub(crate) const STRICT: &str = STRICT_ROW.name;

/// The names of rows that checks judge by.
pub(crate) mod name {
    pub(crate) const MINIMAL: &str = "minimal";
    pub(crate) const DARK: &str = "dark";
    pub(crate) const PHONE: &str = "phone";
    pub(crate) const FULLSCREEN: &str = "fullscreen";
    pub(crate) const FIXED: &str = "fixed-size";
    pub(crate) const OFFLINE: &str = "offline";
    pub(crate) const SLOW: &str = "slow";
    pub(crate) const OLD_ERRORS: &str = "old-errors";
    pub(crate) const STREAMED: &str = "streamed";
    pub(crate) const CANCELLED: &str = "cancelled";
    pub(crate) const TOOL_ERROR: &str = "tool-error";
    pub(crate) const CLOSED: &str = "closed";
    pub(crate) const CHANGED: &str = "changed";
    pub(crate) const REPEATED: &str = "repeated";
    pub(crate) const HOSTILE: &str = "hostile";
    pub(crate) const PRESSED: &str = "pressed";
    pub(crate) const KEPT_MODE: &str = "kept-mode";

    use super::STRICT;

    /// The rows in which an app is expected to complete its handshake.
    pub(crate) const WITH_HANDSHAKE: &[&str] =
        &[STRICT, MINIMAL, DARK, PHONE, FULLSCREEN, FIXED, SLOW, OLD_ERRORS, STREAMED, CANCELLED, TOOL_ERROR];
    /// The rows in which an app is expected to show something.
    pub(crate) const WITH_CONTENT: &[&str] =
        &[STRICT, MINIMAL, DARK, PHONE, FULLSCREEN, FIXED, SLOW, CANCELLED, TOOL_ERROR];
}

/// Every row; the first is the one that all others are compared with.
pub const ROWS: &[HostRow] = &[
    STRICT_ROW,
    HostRow {
        name: name::MINIMAL,
        about: "no optional capability, no styles, no context",
        profile: "minimal",
        ..STRICT_ROW
    },
    HostRow {
        name: name::DARK,
        about: "dark colours",
        link: &[("theme", "dark")],
        scheme: Scheme::Dark,
        ..STRICT_ROW
    },
    HostRow {
        name: name::PHONE,
        about: "the width of a phone, with a touch screen",
        link: &[("theme", "light"), ("size", "phone")],
        touch: true,
        ..STRICT_ROW
    },
    HostRow {
        name: name::FULLSCREEN,
        about: "fullscreen from the start",
        link: &[("theme", "light"), ("mode", "fullscreen")],
        mode: Some("fullscreen"),
        ..STRICT_ROW
    },
    HostRow {
        name: name::FIXED,
        about: "a container whose width and height the host controls",
        link: &[("theme", "light"), ("size", "free"), ("free", "480x320")],
        ..STRICT_ROW
    },
    HostRow {
        name: name::OFFLINE,
        about: "nothing outside of this machine can be reached",
        offline: true,
        ..STRICT_ROW
    },
    HostRow {
        name: name::SLOW,
        about: "every answer of the host comes late",
        script: SLOW_ANSWERS,
        ..STRICT_ROW
    },
    HostRow {
        name: name::OLD_ERRORS,
        about: "every request after the handshake fails as in hosts made with version 1 of the SDK",
        script: OLD_ERRORS,
        ..STRICT_ROW
    },
    HostRow {
        name: name::STREAMED,
        about: "the arguments arrive in pieces while the model writes them",
        link: &[("theme", "light"), ("stream", "1")],
        ..STRICT_ROW
    },
    HostRow {
        name: name::CANCELLED,
        about: "the call is cancelled before it has a result",
        script: CANCELLED_CALL,
        ..STRICT_ROW
    },
    HostRow {
        name: name::TOOL_ERROR,
        about: "the tool reports a failure, to the host and to the app",
        script: FAILED_CALL,
        ..STRICT_ROW
    },
    HostRow {
        name: name::CHANGED,
        about: "colours and width change while the app is shown",
        link: &[("theme", "auto")],
        after_result: &[RowAction::Dark, RowAction::Resize(1000, 800)],
        ..STRICT_ROW
    },
    HostRow {
        name: name::REPEATED,
        about: "every answer of the host comes twice, and answers come to nothing that was asked",
        script: REPEATED_ANSWERS,
        after_result: &[RowAction::Script(STRAY_ANSWERS)],
        provokes_answers: true,
        ..STRICT_ROW
    },
    HostRow {
        name: name::HOSTILE,
        about: "unknown and malformed messages, and messages from a window that is not the host",
        after_result: &[RowAction::Script(ODD_MESSAGES), RowAction::Script(FOREIGN_PING)],
        provokes_answers: true,
        ..STRICT_ROW
    },
    HostRow {
        name: name::PRESSED,
        about: "every button is pressed, and the host denies what it may deny",
        link: &[("theme", "light"), ("deny", "open-link,download,message,sampling")],
        after_result: &[RowAction::Press],
        ..STRICT_ROW
    },
    HostRow {
        name: name::KEPT_MODE,
        about: "every button is pressed, and the host keeps its display mode",
        link: &[("theme", "light"), ("deny", "open-link,download,message,sampling")],
        script: SAME_MODE,
        after_result: &[RowAction::Press],
        mode: Some("fullscreen"),
        ..STRICT_ROW
    },
    HostRow {
        name: name::CLOSED,
        about: "the host asks whether the app is alive, and then closes it",
        after_result: &[RowAction::Script(PINGS), RowAction::TearDown],
        provokes_answers: true,
        ..STRICT_ROW
    },
];

/// The names of all rows, for what is judged in each.
pub(crate) const EVERY_ROW: &[&str] = &{
    let (mut names, mut row) = ([""; ROWS.len()], 0);
    while row < ROWS.len() {
        names[row] = ROWS[row].name;
        row += 1;
    }
    names
};

/// The row of that name.
pub fn row_named(name: &str) -> Option<&'static HostRow> {
    ROWS.iter().find(|row| row.name == name)
}

/// How late a late answer is, and how long after its first copy the second one comes.
const SLOW_ANSWERS: &str = "{
  send: (own) => (message) => ('method' in message ? own(message) : void setTimeout(own, 1200, message)),
}";

const REPEATED_ANSWERS: &str = "{
  send: (own) => (message) => (own(message), 'method' in message || setTimeout(own, 40, structuredClone(message))),
}";

/// Responses to requests that were never made.
const STRAY_ANSWERS: &str = "[
  { jsonrpc: '2.0', id: 987654, result: {} },
  { jsonrpc: '2.0', id: 'nobody', error: { code: -32000, message: 'stray' } },
  { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'stray' } },
].forEach(yardstickDriver.post)";

const OLD_ERRORS: &str = "{
  send: (own) => (message) => {
    if ('method' in message || message.result?.protocolVersion) return own(message);
    const dump = JSON.stringify([{ code: 'invalid_type', expected: 'object', path: ['params'], message: 'Required' }]);
    own({ jsonrpc: '2.0', id: message.id, error: { code: -32603, message: `MCP error -32603: ${dump}` } });
  },
}";

const CANCELLED_CALL: &str = "{
  step: (own) => (state, event) =>
    own(state, event.type === 'tool-result' ? { type: 'tool-cancelled', reason: 'cancelled by the user' } : event),
}";

/// What the tool says when it fails; a check looks for it on the screen.
pub(crate) const FAILURE_TEXT: &str = "Out of order: reason 7319";

const FAILED_CALL: &str = "{
  step: (own) => (state, event) => {
    const failed = { content: [{ type: 'text', text: 'Out of order: reason 7319' }], isError: true };
    const calls = event.type === 'server-reply' && state.asks[event.ticket]?.method === 'tools/call' && !event.error;
    return own(state, event.type === 'tool-result' || calls ? { ...event, result: failed } : event);
  },
}";

/// Notifications that no revision defines, requests that nobody knows, and what is not JSON-RPC.
const ODD_MESSAGES: &str = "[
  { jsonrpc: '2.0', method: 'ui/notifications/from-the-future', params: { any: ['thing'] } },
  { jsonrpc: '2.0', method: 'notifications/unheard-of' },
  { jsonrpc: '2.0', id: 'unknown-request', method: 'ui/from-the-future', params: {} },
  { jsonrpc: '1.0', method: 'ui/notifications/tool-result' },
  { type: 'webpack-dev-server', data: { id: 1 } },
  {}, { method: 5 },
].forEach(yardstickDriver.post);
[null, 7, 'a string', [], { id: 1, result: {} }].forEach(yardstickDriver.intrude)";

/// The id of the request that does not come from the host.
pub(crate) const FOREIGN_ID: &str = "from-another-window";

const FOREIGN_PING: &str = "yardstickDriver.post({ jsonrpc: '2.0', id: 'from-the-host', method: 'ping' });
yardstickDriver.intrude({ jsonrpc: '2.0', id: 'from-another-window', method: 'ping' })";

/// A request with an id of each kind that JSON-RPC knows.
const PINGS: &str =
    "[7001, 0, 'text'].forEach((id) => yardstickDriver.post({ jsonrpc: '2.0', id, method: 'ping' }))";

const SAME_MODE: &str = "{
  step: (own) => (state, event) => {
    const { id, method } = event.type === 'from-view' ? event.message ?? {} : {};
    if (method !== 'ui/request-display-mode') return own(state, event);
    const result = { mode: state.context.displayMode };
    return { state, effects: [{ type: 'to-view', message: { jsonrpc: '2.0', id, result } }] };
  },
}";
