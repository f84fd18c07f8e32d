//! Structured results of tools.

use protocol::{Span, Version};
use server::fault::tools as fault;

use super::calls::each_call;
use crate::schema::{self, Unjudged};
use crate::sweep::last;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, must, should};

pub(in crate::checks) const CHECKS: &[Check] = &[OUTPUT_MATCHES, TEXT_BESIDE];

/// If a tool has an output schema, the server must return structured results that conform to it. A result with
/// `isError` is not judged.
const OUTPUT_MATCHES: Check = Check {
    id: "server/tools/output-matches-schema",
    title: "structured content matches the output schema",
    cites: &[must("server/tools#output-schema", Span::since(Version::V2025_06_18))],
    aliases: &["test_structured_tool_output", "test_2025_06_18"],
    why: "clients validate the result, and drop it if it does not match",
    fix: "build structuredContent from the type that you derive the schema from",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(output_matches(cx))),
    fault: &fault::OUTPUT_AGAINST_SCHEMA,
};

async fn output_matches(cx: &ServerCx) -> Verdict {
    if !cx.harmless_tools().await?.iter().any(|tool| tool.get("outputSchema").is_some()) {
        return Err(cx.no_tool("has an output schema").await);
    }
    let (mut judged, mut unjudged) = (0, Unjudged::default());
    for called in cx.calls().await? {
        let Some((answer, result)) = last(&called.answers) else { continue };
        judged += 1;
        let tool = &called.tool;
        let Some(schema) = tool.get("outputSchema").filter(|_| result["isError"] != true) else { continue };
        let complaint = match result.get("structuredContent") {
            Some(structured) => schema::complaint(schema, cx.version, structured).await,
            // An invalid schema requires nothing.
            None => {
                let usable = schema::is_usable(schema, cx.version).await;
                usable.map(|usable| usable.then(|| "has none".to_owned()))
            }
        };
        if let Some(complaint) = unjudged.unless_judged(tool, "outputSchema", complaint).flatten() {
            let expected = "structuredContent that matches outputSchema";
            return Err(answer.violated(expected, format!("tool {}: {complaint}", tool["name"])));
        }
    }
    unjudged.verdict()?;
    if judged == 0 { Err(Finding::not_applicable("no call had a result")) } else { Ok(()) }
}

/// For older clients, a tool that returns structured content should also return it as JSON in a text block.
const TEXT_BESIDE: Check = Check {
    id: "server/tools/structured-as-text",
    title: "structured content is repeated as text",
    cites: &[should("server/tools#structured-content", Span::since(Version::V2025_06_18))],
    aliases: &["test_structured_tool_output"],
    why: "clients of older revisions, and models, see only the text",
    fix: "put the serialised JSON into a text block as well",
    applies: Applies::Everywhere,
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
