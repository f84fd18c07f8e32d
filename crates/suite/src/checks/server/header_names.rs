//! `Mcp-Name`, in 2026-07-28: it repeats what the body is about, plain or encoded.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use protocol::{Span, code};
use serde_json::{Value, json};
use server::fault::headers as fault;

use crate::expect::Ask;
use crate::{Check, Finding, On, Run, ServerCx, Verdict, must};

pub(in crate::checks) const CHECKS: &[Check] = &[NAME_CHECKED, NAME_DECODED, DECLARATIONS];

const VALIDATION: &str = "basic/transports/streamable-http#server-validation";

const NAME_CHECKED: Check = Check {
    id: "server/headers/name-checked",
    title: "an Mcp-Name that is missing or says something else is refused",
    cites: &[must(VALIDATION, Span::MODERN)],
    aliases: &[],
    why: "a gateway that admits by name lets through what the server then does under another one",
    fix: "compare Mcp-Name with params.name or params.uri, and answer 400 with error -32020",
    on: On::Http,
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
    on: On::Http,
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

const DECLARATIONS: Check = Check {
    id: "server/headers/declarations-valid",
    title: "tools declare x-mcp-header as they may",
    cites: &[
        must("basic/transports/streamable-http#schema-extension", Span::MODERN).over(On::Http),
        must("server/tools#x-mcp-header", Span::MODERN),
    ],
    aliases: &[],
    why: "clients have to leave out a tool whose declaration is wrong",
    fix: "use a token that is unique in the schema, on a string, integer or boolean below properties alone",
    on: On::Any,
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
            return Err(Finding::not_applicable("nothing could be asked for by name without side effects"));
        }
        Ok(all)
    }

    fn new(method: &'static str, name: &str, params: Value, schema: &Value) -> Self {
        Self { method, name: name.to_owned(), params, schema: schema.clone() }
    }

    pub(super) async fn ask<'c>(&self, cx: &'c ServerCx) -> Result<Ask<'c>, Finding> {
        let ask = cx.request(self.method).await?.params(self.params.clone());
        Ok(ask.with(|request| request.mirror(&self.schema)))
    }
}

/// A value as headers carry what is not plain.
pub(super) fn sentinel(value: &str) -> String {
    format!("=?base64?{}?=", STANDARD.encode(value))
}
