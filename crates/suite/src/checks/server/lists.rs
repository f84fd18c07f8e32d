//! The lists of tools, resources and prompts: that they are answered, name nothing twice, and are the same for everyone.

use std::collections::{BTreeSet, HashSet};

use protocol::capability::{Capability, PROMPTS, RESOURCES, TOOLS};
use protocol::{Span, code};
use serde_json::{Value, json};
use server::fault::{lists as fault, resources};
use transport::client::Session;

use super::pagination::NO_REPEATS;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, defined, must, must_not};

pub(in crate::checks) const CHECKS: &[Check] = &[
    TOOLS_LISTED,
    RESOURCES_LISTED,
    PROMPTS_LISTED,
    RESOURCE_URIS_UNIQUE,
    PROMPT_NAMES_UNIQUE,
    TOOLS_SAME,
    RESOURCES_SAME,
    PROMPTS_SAME,
];

const LISTED: &str = "a client that sees the capability asks for the list, and shows an error instead";
const ANSWER: &str = "answer the list request, with an empty list if there is nothing";
const SAME: &str =
    "a client that reconnects, or is served by another instance, would lose something that it had";
const KEEP: &str = "build the list from what the server offers, not from what happened on the connection";

/// A server that declares tools answers tools/list with an array. 2026-07-28 makes it a MUST; before, the page defines
/// it by example.
pub(crate) const TOOLS_LISTED: Check = Check {
    id: "server/tools/listed",
    title: "a server that declares tools lists them",
    cites: &[
        defined("server/tools#listing-tools", Span::LEGACY),
        must("server/tools#capabilities", Span::MODERN),
    ],
    aliases: &["test_tools_list", "test_dynamic_tool_discovery", "test_tools_capability"],
    why: LISTED,
    fix: ANSWER,
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(listed(cx, TOOLS, "tools/list", "tools"))),
    fault: &fault::TOOLS_UNLISTED,
};

/// A server that declares resources answers resources/list with an array. 2026-07-28 makes it a MUST; before, the page
/// defines it by example.
pub(crate) const RESOURCES_LISTED: Check = Check {
    id: "server/resources/listed",
    title: "a server that declares resources lists them",
    cites: &[
        defined("server/resources#listing-resources", Span::LEGACY),
        must("server/resources#capabilities", Span::MODERN),
    ],
    aliases: &["test_resources_capability", "test_resources_list"],
    why: LISTED,
    fix: ANSWER,
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(listed(cx, RESOURCES, "resources/list", "resources"))),
    fault: &fault::RESOURCES_UNLISTED,
};

/// A server that declares prompts answers prompts/list with an array. 2026-07-28 makes it a MUST; before, the page
/// defines it by example.
pub(crate) const PROMPTS_LISTED: Check = Check {
    id: "server/prompts/listed",
    title: "a server that declares prompts lists them",
    cites: &[
        defined("server/prompts#listing-prompts", Span::LEGACY),
        must("server/prompts#capabilities", Span::MODERN),
    ],
    aliases: &["test_prompts_capability"],
    why: LISTED,
    fix: ANSWER,
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(listed(cx, PROMPTS, "prompts/list", "prompts"))),
    fault: &fault::PROMPTS_UNLISTED,
};

async fn listed(cx: &ServerCx, capability: Capability, method: &str, key: &str) -> Verdict {
    cx.needs(capability).await?;
    let answer = cx.request(method).await?.send().await?;
    if answer.reply.code() == Some(code::METHOD_NOT_FOUND) {
        // Another check reports a capability that is declared but not served: one defect is one finding.
        return Err(Finding::not_applicable(format!("{method} is declared, but does not exist")));
    }
    let result = answer.expect_result()?;
    if result[key].is_array() {
        return Ok(());
    }
    Err(answer.violated(format!("{key}, an array"), result.to_string()))
}

/// The URI of a resource is defined as its unique identifier.
const RESOURCE_URIS_UNIQUE: Check = Check {
    id: "server/resources/uri-unique",
    title: "no two resources have the same URI",
    cites: &[defined("server/resources#resource", Span::ALWAYS)],
    aliases: &[],
    why: "a client reads a resource by its URI, and cannot say which of the two it means",
    fix: "list every resource once",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(uris_unique(cx))),
    fault: &resources::RESOURCE_URI_TWICE,
};

async fn uris_unique(cx: &ServerCx) -> Verdict {
    expect_unique(cx, cx.resources().await?, ("resources/list", "resources"), "uri").await
}

/// The name of a prompt is defined as its unique identifier.
const PROMPT_NAMES_UNIQUE: Check = Check {
    id: "server/prompts/name-unique",
    title: "no two prompts have the same name",
    cites: &[defined("server/prompts#prompt", Span::ALWAYS)],
    aliases: &[],
    why: "a client asks for a prompt by its name, and cannot say which of the two it means",
    fix: "give every prompt a name of its own, and list it once",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(prompt_names_unique(cx))),
    fault: &resources::PROMPT_NAME_TWICE,
};

async fn prompt_names_unique(cx: &ServerCx) -> Verdict {
    expect_unique(cx, cx.prompts().await?, ("prompts/list", "prompts"), "name").await
}

/// Expects that no two items of a list have the same `key`. If they are on different pages, the pagination is wrong, which
/// another check reports.
pub(super) async fn expect_unique(
    cx: &ServerCx,
    items: &[Value],
    (method, list): (&str, &str),
    key: &str,
) -> Verdict {
    let Some(twice) = repeated(items, key) else { return Ok(()) };
    for page in cx.pages_on(cx.session().await?, method, list).await? {
        if let Some(twice) = repeated(&page, key) {
            return Err(Finding::violated(format!("each {key} once"), format!("{twice} twice")));
        }
    }
    Err(Finding::blocked_by(NO_REPEATS.id, format!("{twice} is on two pages")))
}

/// The first `key` that two items have.
fn repeated(items: &[Value], key: &str) -> Option<String> {
    let mut seen = HashSet::new();
    items.iter().map(|item| item[key].to_string()).find(|found| !seen.insert(found.clone()))
}

/// The list of tools must not depend on the connection, nor on other requests made on it. It may change over time and
/// with the authorization of the request.
const TOOLS_SAME: Check = Check {
    id: "server/tools/same-for-everyone",
    title: "every connection sees the same tools",
    cites: &[must_not("server/tools#capabilities", Span::MODERN)],
    aliases: &["test_dynamic_tool_discovery"],
    why: SAME,
    fix: KEEP,
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(same(cx, TOOLS, "tools/list", "tools"))),
    fault: &fault::TOOLS_DIFFER,
};

/// The list of resources must not depend on the connection, nor on other requests made on it. It may change over time
/// and with the authorization of the request.
const RESOURCES_SAME: Check = Check {
    id: "server/resources/same-for-everyone",
    title: "every connection sees the same resources",
    cites: &[must_not("server/resources#capabilities", Span::MODERN)],
    aliases: &[],
    why: SAME,
    fix: KEEP,
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(same(cx, RESOURCES, "resources/list", "resources"))),
    fault: &fault::RESOURCES_DIFFER,
};

/// The list of prompts must not depend on the connection, nor on other requests made on it. It may change over time and
/// with the authorization of the request.
const PROMPTS_SAME: Check = Check {
    id: "server/prompts/same-for-everyone",
    title: "every connection sees the same prompts",
    cites: &[must_not("server/prompts#capabilities", Span::MODERN)],
    aliases: &[],
    why: SAME,
    fix: KEEP,
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(same(cx, PROMPTS, "prompts/list", "prompts"))),
    fault: &fault::PROMPTS_DIFFER,
};

/// How often a list is read again that changes while it is compared.
const MAX_ROUNDS: usize = 4;

/// Reads the first page twice on a session that is not the shared one. If something differs, it is read here, on a third
/// connection, and here again: a list that changed meanwhile does not depend on the connection.
async fn same(cx: &ServerCx, capability: Capability, method: &str, key: &str) -> Verdict {
    cx.needs(capability).await?;
    let known = match capability {
        TOOLS => cx.tools().await?,
        RESOURCES => cx.resources().await?,
        _ => cx.prompts().await?,
    };
    let here = cx.exclusive_session().await?;
    let (once, twice) = (page(cx, &here, method, key).await?, page(cx, &here, method, key).await?);
    if once == twice && once == names(&known[..known.len().min(once.len())]) {
        return Ok(());
    }
    let there = cx.connect_another(here.profile().clone()).await?;
    let verdict = compare(cx, &here, &there, method, key).await;
    cx.close_session(&there).await;
    verdict
}

/// Whether two connections show the same first page.
async fn compare(cx: &ServerCx, here: &Session, there: &Session, method: &str, key: &str) -> Verdict {
    for _ in 0..MAX_ROUNDS {
        let before = page(cx, here, method, key).await?;
        let other = page(cx, there, method, key).await?;
        if before != page(cx, here, method, key).await? {
            continue;
        }
        let differing: Vec<_> = before.symmetric_difference(&other).cloned().collect();
        if differing.is_empty() {
            return Ok(());
        }
        let actual = format!("on one of them only: {}", differing.join(", "));
        return Err(Finding::violated("the same on both connections", actual));
    }
    Ok(())
}

/// The names on the first page.
async fn page(
    cx: &ServerCx,
    session: &Session,
    method: &str,
    key: &str,
) -> Result<BTreeSet<String>, Finding> {
    let answer = cx.request_on(session, method).params(json!({})).send().await?;
    let result = answer.reply.result().ok_or_else(|| Finding::blocked(format!("{method} was refused")))?;
    Ok(names(result[key].as_array().map_or(&[], Vec::as_slice)))
}

fn names(items: &[Value]) -> BTreeSet<String> {
    items.iter().map(|item| item.get("uri").unwrap_or(&item["name"]).to_string()).collect()
}
