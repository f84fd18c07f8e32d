//! `Mcp-Name` of 2026-07-28, which repeats the name or URI in the body, plain or in base64; and the `x-mcp-header` that tools
//! may declare.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use protocol::header::encode;
use protocol::{Span, code};
use serde_json::{Value, json};
use server::fault::headers as fault;
use transport::Transport;

use crate::expect::Ask;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, must};

pub(in crate::checks) const CHECKS: &[Check] = &[NAME_CHECKED, NAME_DECODED, DECLARATIONS];

const VALIDATION: &str = "basic/transports/streamable-http#server-validation";

/// Streamable HTTP, server validation: a server that reads the body must refuse a request whose headers do not match
/// it, with 400 and error -32020. `Mcp-Name` is required for tools/call, resources/read and prompts/get.
pub(super) const NAME_CHECKED: Check = Check {
    id: "server/headers/name-checked",
    title: "a request whose Mcp-Name is missing or does not match the body is refused",
    cites: &[must(VALIDATION, Span::MODERN)],
    aliases: &[],
    why: "a gateway admits the request for the name in the header, and the server acts on the one in the body",
    fix: "compare Mcp-Name with params.name or params.uri, and answer 400 with error -32020",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Server(|cx| Box::pin(name_checked(cx))),
    fault: &fault::NAME_UNCHECKED,
};

async fn name_checked(cx: &ServerCx) -> Verdict {
    for named in Named::all(cx).await? {
        let other = named.ask(cx).await?.header("mcp-name", "yardstick-other").send().await?;
        other.expect_status(&[400])?;
        other.expect_error(&[code::HEADER_MISMATCH])?;
        let missing = named.ask(cx).await?.with(|r| r.without_header("mcp-name")).send().await?;
        missing.expect_status(&[400])?;
        missing.expect_error(&[code::HEADER_MISMATCH])?;
    }
    Ok(())
}

/// A value that is not plain ASCII is sent as base64 between `=?base64?` and `?=`. Servers must decode `Mcp-Name`
/// before they compare it with the body.
const NAME_DECODED: Check = Check {
    id: "server/headers/name-decoded",
    title: "an Mcp-Name in base64 is decoded before it is compared",
    cites: &[
        must("basic/transports/streamable-http#value-encoding", Span::MODERN),
        must(VALIDATION, Span::MODERN),
    ],
    aliases: &[],
    why: "names and URIs that are not plain ASCII can be sent in no other way",
    fix: "decode a value between =?base64? and ?= as UTF-8, then compare",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Server(|cx| Box::pin(name_decoded(cx))),
    fault: &fault::NAME_NOT_DECODED,
};

async fn name_decoded(cx: &ServerCx) -> Verdict {
    for named in Named::all(cx).await? {
        let plain = named.ask(cx).await?.send().await?;
        let encoded = named.ask(cx).await?.header("mcp-name", &sentinel(&named.name)).send().await?;
        if encoded.reply.code() != plain.reply.code() || encoded.reply.status() != plain.reply.status() {
            return Err(encoded.violated("the same answer as to the plain name", encoded.summary()));
        }
    }
    Ok(())
}

/// A tool may ask for an argument to be repeated in a header. The name must be a non-empty HTTP token, unique in the
/// schema whatever its case, on a string, integer or boolean that is reached by `properties` alone.
const DECLARATIONS: Check = Check {
    id: "server/headers/declarations-valid",
    title: "every x-mcp-header that a tool declares is valid",
    cites: &[
        must("basic/transports/streamable-http#schema-extension", Span::MODERN)
            .over(Transport::StreamableHttp),
        must("server/tools#x-mcp-header", Span::MODERN),
    ],
    aliases: &[],
    why: "clients have to hide a tool whose declaration is invalid",
    fix: "use a token that is unique in the schema, on a string, integer or boolean below properties alone",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(declarations(cx))),
    fault: &fault::DECLARATION_BAD,
};

async fn declarations(cx: &ServerCx) -> Verdict {
    let mut declared = 0;
    for tool in cx.tools().await? {
        match protocol::header::declared(&tool["inputSchema"]) {
            Ok(headers) => declared += headers.len(),
            Err(defects) => {
                let defects: Vec<_> = defects.iter().map(|d| format!("{}: {}", d.at, d.kind)).collect();
                let actual = format!("tool {}: {}", tool["name"], defects.join("; "));
                return Err(Finding::violated("an x-mcp-header that clients can use", actual));
            }
        }
    }
    if declared == 0 { Err(Finding::not_applicable("no tool declares an x-mcp-header")) } else { Ok(()) }
}

/// A request that names something, and changes nothing.
pub(super) struct Named {
    method: &'static str,
    params: Value,
    name: String,
    schema: Value,
}

impl Named {
    /// A resource, a prompt and a tool that may be called, as far as they are there.
    pub(super) async fn all(cx: &ServerCx) -> Result<Vec<Self>, Finding> {
        let mut all = Vec::new();
        let resources = cx.resources().await.unwrap_or_default();
        if let Some(uri) = resources.iter().find_map(|resource| resource["uri"].as_str()) {
            all.push(Self::new("resources/read", uri, json!({ "uri": uri }), &Value::Null));
        }
        let prompts = cx.prompts().await.unwrap_or_default();
        let plain = |prompt: &&Value| prompt["arguments"].as_array().is_none_or(Vec::is_empty);
        if let Some(name) = prompts.iter().find(plain).and_then(|prompt| prompt["name"].as_str()) {
            all.push(Self::new("prompts/get", name, json!({ "name": name }), &Value::Null));
        }
        let callable = cx.callable().await.unwrap_or_default();
        let fed = callable.into_iter().find_map(|(tool, good)| Some((tool, tool["name"].as_str()?, good?)));
        if let Some((tool, name, good)) = fed {
            let params = json!({ "name": name, "arguments": good });
            all.push(Self::new("tools/call", name, params, &tool["inputSchema"]));
        }
        if all.is_empty() {
            cx.session().await?;
            let tools = cx.tools().await.unwrap_or_default();
            let repair = if cx.rules().leaves_callable(tools) { " without side effects" } else { "" };
            return Err(Finding::not_applicable(format!("nothing could be asked for by name{repair}")));
        }
        Ok(all)
    }

    fn new(method: &'static str, name: &str, params: Value, schema: &Value) -> Self {
        Self { method, name: name.to_owned(), params, schema: schema.clone() }
    }

    /// The name with the case of its letters changed; none if it has no letters, or is sent in base64.
    pub(super) fn in_other_case(&self) -> Option<String> {
        let swap =
            |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
        let other: String = self.name.chars().map(swap).collect();
        (other != self.name && encode(&self.name) == self.name).then_some(other)
    }

    pub(super) async fn ask<'c>(&self, cx: &'c ServerCx) -> Result<Ask<'c>, Finding> {
        let ask = cx.request(self.method).await?.params(self.params.clone());
        Ok(ask.with(|request| request.mirror(&self.schema)))
    }
}

/// The base64 form in which headers carry a value that is not plain ASCII.
pub(super) fn sentinel(value: &str) -> String {
    format!("=?base64?{}?=", STANDARD.encode(value))
}
