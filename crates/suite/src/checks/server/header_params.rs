//! `Mcp-Param-*` of 2026-07-28: headers that repeat those arguments for which a tool declares `x-mcp-header`.

use protocol::header::{PARAM_PREFIX, ParamHeader, declared, mirror};
use protocol::{Span, code};
use serde_json::{Value, json};
use server::fault::headers as fault;
use transport::Transport;

use super::header_names::sentinel;
use crate::expect::{Answer, Ask};
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, must, schema, should};

pub(in crate::checks) const CHECKS: &[Check] = &[CHECKED, REQUIRED, NOT_EXPECTED, DECODED, NUMERIC, CLEAN];

const CUSTOM: &str = "basic/transports/streamable-http#server-behavior-for-custom-headers";
const VALIDATION: &str = "basic/transports/streamable-http#server-validation";

/// A server that reads the body must compare an `Mcp-Param-*` header with its argument, and refuse a mismatch with 400
/// and error -32020.
const CHECKED: Check = Check {
    id: "server/headers/param-checked",
    title: "an Mcp-Param header that contradicts its argument is refused",
    cites: &[must(CUSTOM, Span::MODERN)],
    aliases: &[],
    why: "a gateway routes by the header what the server then does for the body",
    fix: "compare every declared header with its argument, and answer 400 with error -32020",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Server(|cx| Box::pin(checked(cx))),
    fault: &fault::PARAM_UNCHECKED,
};

async fn checked(cx: &ServerCx) -> Verdict {
    let call = Declaring::find(cx).await?;
    let (param, _) = call.given()?;
    refused(&call.ask(cx, Some((param, "yardstick-other"))).await?.send().await?)
}

/// If a call has an argument that was declared with `x-mcp-header`, the client must send the header. The server must
/// refuse the call without it.
const REQUIRED: Check = Check {
    id: "server/headers/param-required",
    title: "a call with an argument whose Mcp-Param header is missing is refused",
    cites: &[must(CUSTOM, Span::MODERN)],
    aliases: &[],
    why: "a gateway that decides by the header would be bypassed",
    fix: "when a call has the argument but not its header, answer 400 with error -32020",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Server(|cx| Box::pin(required(cx))),
    fault: &fault::PARAM_OPTIONAL,
};

async fn required(cx: &ServerCx) -> Verdict {
    let call = Declaring::find(cx).await?;
    let (param, _) = call.given()?;
    refused(&call.ask(cx, None).await?.with(|r| r.without_header(name(param))).send().await?)
}

/// If the argument is absent or null, the client must omit its header, and the server must not expect one.
const NOT_EXPECTED: Check = Check {
    id: "server/headers/param-not-expected",
    title: "an argument that is absent needs no Mcp-Param header",
    cites: &[must(CUSTOM, Span::MODERN)],
    aliases: &[],
    why: "clients have to omit the header then, so their calls would always fail",
    fix: "require a header only when its argument is present and not null",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Server(|cx| Box::pin(not_expected(cx))),
    fault: &fault::PARAM_ALWAYS_EXPECTED,
};

async fn not_expected(cx: &ServerCx) -> Verdict {
    let call = Declaring::find(cx).await?;
    if call.declared.iter().all(|param| param.value_in(Some(&call.arguments)).is_some()) {
        return Err(Finding::not_applicable("every declared argument has to be given"));
    }
    let answer = call.ask(cx, None).await?.send().await?;
    let verdict = served(&answer);
    // The call may be refused for what it asks, and not for its headers.
    if answer.reply.code() == Some(code::HEADER_MISMATCH) {
        verdict
    } else {
        verdict.map_err(Finding::into_obstacle)
    }
}

/// An argument that is not plain ASCII is sent as base64 between `=?base64?` and `?=`. Servers must decode an
/// `Mcp-Param-*` header before they compare it with the body.
const DECODED: Check = Check {
    id: "server/headers/param-decoded",
    title: "an Mcp-Param header in base64 is decoded before it is compared",
    cites: &[
        must("basic/transports/streamable-http#value-encoding", Span::MODERN),
        must(VALIDATION, Span::MODERN),
    ],
    aliases: &[],
    why: "values that are not plain ASCII can be sent in no other way",
    fix: "decode a value between =?base64? and ?= as UTF-8, then compare",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Server(|cx| Box::pin(decoded(cx))),
    fault: &fault::PARAM_NOT_DECODED,
};

async fn decoded(cx: &ServerCx) -> Verdict {
    let call = Declaring::find(cx).await?;
    let (param, text) = call.given_text()?;
    call.expect_plain_served(cx).await?;
    served(&call.ask(cx, Some((param, &sentinel(text)))).await?.send().await?)
}

/// A server should compare an integer in a header with the one in the body as numbers, so that 42.0 equals 42.
const NUMERIC: Check = Check {
    id: "server/headers/param-numeric",
    title: "an integer in an Mcp-Param header is compared as a number",
    cites: &[should(VALIDATION, Span::MODERN)],
    aliases: &[],
    why: "languages write numbers in different ways, and 42.0 equals 42",
    fix: "parse the header as a number before comparing it",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Server(|cx| Box::pin(numeric(cx))),
    fault: &fault::PARAM_AS_TEXT,
};

async fn numeric(cx: &ServerCx) -> Verdict {
    let mut call = Declaring::find(cx).await?;
    let param = call.with_integer(cx).await?;
    call.expect_plain_served(cx).await?;
    served(&call.ask(cx, Some((&param, "7.0"))).await?.send().await?)
}

/// A server must refuse a declared `Mcp-Param-*` header that has characters which header values may not contain.
const CLEAN: Check = Check {
    id: "server/headers/param-clean",
    title: "an Mcp-Param header with characters that are not allowed is refused",
    cites: &[must(CUSTOM, Span::MODERN)],
    aliases: &[],
    why: "proxies treat such bytes in different ways, so gateway and server may read different values",
    fix: "refuse a declared header with bytes beyond visible ASCII, space and tab",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Server(|cx| Box::pin(clean(cx))),
    fault: &fault::PARAM_ANY_BYTES,
};

async fn clean(cx: &ServerCx) -> Verdict {
    let mut call = Declaring::find(cx).await?;
    let (param, _) = call.given_text()?;
    let (param, raw) = (param.clone(), "Z\u{fc}rich");
    call.set(cx, &param, json!(raw)).await?;
    refused(&call.ask(cx, Some((&param, raw))).await?.send().await?)
}

/// A call of a read-only tool that declares headers.
struct Declaring {
    name: Value,
    schema: Value,
    arguments: Value,
    declared: Vec<ParamHeader>,
}

impl Declaring {
    async fn find(cx: &ServerCx) -> Result<Self, Finding> {
        for tool in cx.harmless_tools().await? {
            let schema = tool["inputSchema"].clone();
            let declared = declared(&schema).unwrap_or_default();
            if let (Some(arguments), false) = (cx.arguments_for(tool).await, declared.is_empty()) {
                return Ok(Self { name: tool["name"].clone(), schema, arguments, declared });
            }
        }
        Err(Finding::not_applicable("no read-only tool declares an x-mcp-header"))
    }

    /// The call, with every header that it should have; `other` replaces the value of one of them.
    async fn ask<'c>(
        &self,
        cx: &'c ServerCx,
        other: Option<(&ParamHeader, &str)>,
    ) -> Result<Ask<'c>, Finding> {
        let params = json!({ "name": self.name, "arguments": self.arguments });
        let mut ask = cx.request("tools/call").await?.params(params);
        for (header, value) in mirror(&self.declared, Some(&self.arguments)).unwrap_or_default() {
            let said = other.filter(|(param, _)| name(param) == header).map(|(_, said)| said);
            ask = ask.header(&header, said.unwrap_or(&value));
        }
        Ok(ask)
    }

    /// That the call works with the usual headers. If it is refused for what it asks, headers can show nothing.
    async fn expect_plain_served(&self, cx: &ServerCx) -> Verdict {
        served(&self.ask(cx, None).await?.send().await?).map_err(Finding::into_obstacle)
    }

    /// A declared argument that the call has.
    fn given(&self) -> Result<(&ParamHeader, &Value), Finding> {
        let given = |param| Some((param, ParamHeader::value_in(param, Some(&self.arguments))?));
        let none = || Finding::not_applicable("no argument with an x-mcp-header has to be given");
        self.declared.iter().find_map(given).ok_or_else(none)
    }

    /// A declared argument that the call has and that is text.
    fn given_text(&self) -> Result<(&ParamHeader, &str), Finding> {
        let given = |param| Some((param, ParamHeader::value_in(param, Some(&self.arguments))?.as_str()?));
        let none = || Finding::not_applicable("no text with an x-mcp-header has to be given");
        self.declared.iter().find_map(given).ok_or_else(none)
    }

    /// Gives an integer for the first argument that takes one.
    async fn with_integer(&mut self, cx: &ServerCx) -> Result<ParamHeader, Finding> {
        for param in self.declared.clone() {
            if self.set(cx, &param, json!(7)).await.is_ok() {
                return Ok(param);
            }
        }
        Err(Finding::not_applicable("no integer has an x-mcp-header"))
    }

    /// Sets a top-level argument to another value, if the schema allows it.
    async fn set(&mut self, cx: &ServerCx, param: &ParamHeader, value: Value) -> Verdict {
        let unfit = || Finding::not_applicable("no argument with an x-mcp-header takes such a value");
        let [key] = &param.path[..] else { return Err(unfit()) };
        let mut changed = self.arguments.clone();
        changed[key.as_str()] = value;
        let fits = schema::complaint(&self.schema, cx.version, &changed).await;
        if matches!(fits, Ok(None)) {
            self.arguments = changed;
            return Ok(());
        }
        Err(unfit())
    }
}

fn name(param: &ParamHeader) -> String {
    format!("{PARAM_PREFIX}{}", param.name)
}

fn refused(answer: &Answer) -> Verdict {
    answer.expect_status(&[400])?;
    answer.expect_error(&[code::HEADER_MISMATCH])
}

/// That the server does not refuse the call because of its headers.
fn served(answer: &Answer) -> Verdict {
    if answer.reply.code() == Some(code::HEADER_MISMATCH) {
        return Err(answer.violated("no complaint about headers", answer.summary()));
    }
    answer.expect_status(&[200])
}
