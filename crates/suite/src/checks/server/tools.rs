//! Tools as they are listed: schemas, names and order. No tool is called here.

use protocol::capability::TOOLS;
use protocol::{Span, Version};
use serde_json::Value;
use server::fault::{lists, tools as fault};

use super::lists::expect_unique;
use crate::schema::{self, Unjudged};
use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, advice, defined, must, should};

pub(in crate::checks) const CHECKS: &[Check] =
    &[SCHEMA_VALID, PATTERNS_VALID, INPUT_OBJECT, NAME_CHARACTERS, NAME_UNIQUE, ORDER_STABLE];

/// `inputSchema` and `outputSchema` are JSON Schemas. Since 2025-11-25 they must be valid in the dialect that they
/// declare, or in 2020-12 if they declare none.
const SCHEMA_VALID: Check = Check {
    id: "server/tools/schema-valid",
    title: "the input and output schemas of tools are valid JSON Schema",
    cites: &[
        defined("server/tools#tool", Span::until(Version::V2025_06_18)),
        must("basic/index#schema-validation", Span::since(Version::V2025_11_25)),
    ],
    aliases: &["test_tool_schema_validation", "test_enhanced_tool_validation"],
    why: "one broken schema makes model providers refuse the whole list of tools",
    fix: "validate your schemas against their meta-schema in a test",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(schema_valid(cx))),
    fault: &fault::TOOL_SCHEMA_BROKEN,
};

async fn schema_valid(cx: &ServerCx) -> Verdict {
    let mut unjudged = Unjudged::default();
    for tool in cx.tools().await? {
        for member in ["inputSchema", "outputSchema"] {
            // A schema that is missing, or of another type, is another check's business.
            let Some(schema) = tool.get(member).filter(|s| s.is_object() || s.is_boolean()) else { continue };
            let flaw = schema::flaw(schema, cx.version).await;
            if let Some(flaw) = unjudged.unless_judged(tool, member, flaw).flatten() {
                let actual = format!("tool {}, {member}{flaw}", tool["name"]);
                return Err(Finding::violated("a schema that its meta-schema accepts", actual));
            }
            if member == "inputSchema" {
                // Some schemas turn out to be too complex only when they are used.
                unjudged.unless_judged(tool, member, cx.make_arguments(tool).await);
            }
        }
    }
    unjudged.verdict()
}

/// JSON Schema says that `pattern` should be a regular expression of ECMA-262. No page of MCP speaks of patterns.
const PATTERNS_VALID: Check = Check {
    id: "server/tools/schema-patterns-valid",
    title: "the patterns in the schemas of tools are valid regular expressions",
    cites: &[advice(
        "https://json-schema.org/draft/2020-12/json-schema-validation#section-6.3.3",
        Span::ALWAYS,
    )],
    aliases: &[],
    why: "clients that compile the schema fail on it, and so does every call of the tool",
    fix: "write the expression for JavaScript, and compile it in a test",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(patterns_valid(cx))),
    fault: &fault::TOOL_PATTERN_BROKEN,
};

async fn patterns_valid(cx: &ServerCx) -> Verdict {
    for tool in cx.tools().await? {
        for member in ["inputSchema", "outputSchema"] {
            // The check of the schema reports what is too complex to judge.
            if let Ok(Some((pattern, why))) = schema::broken_pattern(&tool[member]).await {
                let actual = format!("tool {}, {member}: {pattern:?}: {why}", tool["name"]);
                return Err(Finding::violated("patterns that are regular expressions of ECMA-262", actual));
            }
        }
    }
    Ok(())
}

/// A tool has an `inputSchema`, and arguments are an object. Since 2025-11-25 it must be a valid JSON Schema object,
/// not null.
const INPUT_OBJECT: Check = Check {
    id: "server/tools/input-schema-object",
    title: "every tool has an input schema of type object",
    cites: &[
        defined("server/tools#tool", Span::until(Version::V2025_06_18)),
        must("server/tools#tool", Span::since(Version::V2025_11_25)),
    ],
    aliases: &["test_tools_list"],
    why: "one tool without such a schema makes typed clients drop the whole list",
    fix: "use {\"type\": \"object\"} for a tool without arguments, never null",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(input_object(cx))),
    fault: &lists::TOOL_SCHEMA_NULL,
};

async fn input_object(cx: &ServerCx) -> Verdict {
    expect_none(cx.tools().await?.iter().find(|tool| tool["inputSchema"]["type"] != "object"), |tool| {
        let actual = format!("tool {}: {}", tool["name"], tool["inputSchema"]);
        Finding::violated("inputSchema, an object with type \"object\"", actual)
    })
}

/// The name of a tool should have 1 to 128 characters: ASCII letters, digits, underscore, hyphen and dot.
const NAME_CHARACTERS: Check = Check {
    id: "server/tools/name-characters",
    title: "tool names have 1 to 128 characters: letters, digits, underscores, hyphens or dots",
    cites: &[should("server/tools#tool-names", Span::since(Version::V2025_11_25))],
    aliases: &[],
    why: "model providers refuse names with other characters, so the tool cannot be offered",
    fix: "rename the tool, and put the pretty name into title",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(name_characters(cx))),
    fault: &fault::TOOL_NAME_WITH_SPACE,
};

async fn name_characters(cx: &ServerCx) -> Verdict {
    let fits = |name: &str| {
        (1..=128).contains(&name.len())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
    };
    expect_none(cx.tools().await?.iter().find(|tool| !tool["name"].as_str().is_some_and(fits)), |tool| {
        Finding::violated("A-Z a-z 0-9 _ - . and at most 128 of them", tool["name"].to_string())
    })
}

/// Tool names should be unique within a server. Earlier revisions call the name a unique identifier, without a keyword.
const NAME_UNIQUE: Check = Check {
    id: "server/tools/name-unique",
    title: "no two tools have the same name",
    cites: &[should("server/tools#tool-names", Span::since(Version::V2025_11_25))],
    aliases: &["test_tools_list"],
    why: "a call names its tool, and the server cannot know which of the two is meant",
    fix: "give every tool a name of its own",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(name_unique(cx))),
    fault: &fault::TOOL_NAME_TWICE,
};

async fn name_unique(cx: &ServerCx) -> Verdict {
    expect_unique(cx, cx.tools().await?, ("tools/list", "tools"), "name").await
}

/// Servers should list tools in a deterministic order, as long as the set of tools has not changed.
const ORDER_STABLE: Check = Check {
    id: "server/tools/order-stable",
    title: "tools are listed in the same order each time",
    cites: &[should("server/tools#capabilities", Span::MODERN)],
    aliases: &[],
    why: "another order makes another prompt, for which the model provider has nothing cached",
    fix: "sort the list, or keep it in a vector",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(order_stable(cx))),
    fault: &fault::TOOLS_UNSORTED,
};

async fn order_stable(cx: &ServerCx) -> Verdict {
    cx.needs(TOOLS).await?;
    let mut orders = Vec::new();
    for _ in 0..2 {
        let answer = cx.request("tools/list").await?.send().await.map_err(Finding::into_obstacle)?;
        let result = answer.expect_result().map_err(Finding::into_obstacle)?;
        let names: Vec<Value> =
            result["tools"].as_array().into_iter().flatten().map(|tool| tool["name"].clone()).collect();
        orders.push(names);
    }
    let mut sorted = orders.clone();
    sorted.iter_mut().for_each(|names| names.sort_by_key(Value::to_string));
    if orders[0] == orders[1] || sorted[0] != sorted[1] {
        return Ok(());
    }
    Err(Finding::violated(
        Value::from(orders[0].clone()).to_string(),
        Value::from(orders[1].clone()).to_string(),
    ))
}
