//! OpenAI's Apps SDK: metadata of its own, beside that of MCP Apps. Judged only where a server sends it, and never more than
//! advice, because no specification of MCP asks for it.

pub(in crate::checks) mod results;
mod shown;
pub(in crate::checks) mod tools;
pub(in crate::checks) mod widgets;

pub(super) use shown::Widgets;

use protocol::Span;

use crate::{Cite, advice};

/// The reference of the Apps SDK.
const REFERENCE: Cite = advice("https://developers.openai.com/apps-sdk/reference", Span::ALWAYS);
/// How a server for the Apps SDK is built.
const SERVER: Cite = advice("https://developers.openai.com/apps-sdk/build/mcp-server", Span::ALWAYS);
