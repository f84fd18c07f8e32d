//! Structured results.

use protocol::{Span, Version};
use server::fault::tools as fault;

use super::calls::each_call;
use crate::{Check, On, Run, ServerCx, Verdict, arguments, must, should};

pub(in crate::checks) const CHECKS: &[Check] = &[OUTPUT_MATCHES, TEXT_BESIDE];

const OUTPUT_MATCHES: Check = Check {
    id: "server/tools/output-matches-schema",
    title: "structured content matches the output schema",
    cites: &[must("server/tools#output-schema", Span::since(Version::V2025_06_18))],
    aliases: &["test_structured_tool_output", "test_2025_06_18"],
    why: "clients validate it, and throw away what does not match",
    fix: "build structuredContent from the type that the schema is made of",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(output_matches(cx))),
    fault: &fault::OUTPUT_AGAINST_SCHEMA,
};

async fn output_matches(cx: &ServerCx) -> Verdict {
    if !cx.harmless_tools().await?.iter().any(|tool| tool.get("outputSchema").is_some()) {
        return Err(cx.no_tool("has an output schema").await);
    }
    each_call(cx, |tool, result| {
        let Some(schema) = tool.get("outputSchema").filter(|_| result["isError"] != true) else {
            return Ok(());
        };
        let Some(validator) = arguments::validator(schema, cx.version) else { return Ok(()) };
        let expected = || "structuredContent that matches outputSchema".to_owned();
        let Some(structured) = result.get("structuredContent") else {
            return Err((expected(), format!("tool {} has none", tool["name"])));
        };
        match validator.iter_errors(structured).next() {
            Some(error) => {
                Err((expected(), format!("tool {}: {} {error}", tool["name"], error.instance_path())))
            }
            None => Ok(()),
        }
    })
    .await
}

const TEXT_BESIDE: Check = Check {
    id: "server/tools/structured-as-text",
    title: "structured content is repeated as text",
    cites: &[should("server/tools#structured-content", Span::since(Version::V2025_06_18))],
    aliases: &["test_structured_tool_output"],
    why: "clients of older revisions, and models, see the text alone",
    fix: "put the serialised JSON into a text block as well",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(text_beside(cx))),
    fault: &fault::STRUCTURED_WITHOUT_TEXT,
};

async fn text_beside(cx: &ServerCx) -> Verdict {
    each_call(cx, |tool, result| {
        let text = result["content"].as_array().into_iter().flatten().any(|block| block["type"] == "text");
        if result.get("structuredContent").is_none() || text {
            return Ok(());
        }
        Err(("a text block beside structuredContent".to_owned(), format!("tool {} has none", tool["name"])))
    })
    .await
}
