//! `_meta`: the grammar of its keys, the keys that are reserved, and the fields that every modern request carries.

mod key;
mod level;
mod request;
mod trace;

pub use key::{
    KeyProblem, MetaKey, RESERVED_KEYS, ReservedKey, check_key, has_grammar, is_reserved_prefix, parse_key,
};
pub use level::{LogLevel, UnknownLevel};
pub use request::{ClientInfo, MetaError, ProgressToken, RequestMeta, peek_version};
pub use trace::{TraceProblem, check_baggage, check_traceparent, check_tracestate};

/// The request's protocol version (2026-07-28).
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Who the client is (2026-07-28).
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// What the client can do for this request (2026-07-28).
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The least severe log messages that the client wants for this request (2026-07-28).
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// Which subscription a message belongs to (2026-07-28).
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// Who the server is (2026-07-28).
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// Which task a message belongs to (2025-11-25).
pub const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
/// What to tell the model while a task runs (2025-11-25).
pub const MODEL_IMMEDIATE_RESPONSE: &str = "io.modelcontextprotocol/model-immediate-response";
/// Asks for progress notifications.
pub const PROGRESS_TOKEN: &str = "progressToken";
/// The W3C trace context of the request (2026-07-28).
pub const TRACEPARENT: &str = "traceparent";
/// The vendors' part of the trace context (2026-07-28).
pub const TRACESTATE: &str = "tracestate";
/// The W3C baggage of the request (2026-07-28).
pub const BAGGAGE: &str = "baggage";
