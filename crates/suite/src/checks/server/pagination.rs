//! Pagination of every list.

use std::collections::HashSet;

use protocol::capability::{Capability, PROMPTS, RESOURCES, TOOLS};
use protocol::{Span, code};
use serde_json::{Value, json};
use server::fault::{lists, tools};

use crate::expect::Answer;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, advised, should};

pub(in crate::checks) const CHECKS: &[Check] = &[BAD_CURSOR, PAGES_END, NO_REPEATS, CURSOR_STABLE];

/// The lists that have pages: capability, method, and the member that holds the items.
const LISTS: &[(Capability, &str, &str)] = &[
    (TOOLS, "tools/list", "tools"),
    (RESOURCES, "resources/list", "resources"),
    (RESOURCES, "resources/templates/list", "resourceTemplates"),
    (PROMPTS, "prompts/list", "prompts"),
];
/// How many pages are read at most.
const MAX_PAGES: usize = 50;

/// An invalid cursor should be answered with -32602.
const BAD_CURSOR: Check = Check {
    id: "server/pagination/bad-cursor-refused",
    title: "lists refuse a made-up cursor with -32602",
    cites: &[should("server/utilities/pagination#error-handling", Span::ALWAYS)],
    aliases: &[],
    why: "a client with a stale cursor would read the first page again and take it for the next",
    fix: "check the cursor, and answer -32602 when it is not one of yours",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(bad_cursor(cx))),
    fault: &tools::CURSOR_UNCHECKED,
};

async fn bad_cursor(cx: &ServerCx) -> Verdict {
    let mut asked = 0;
    for (capability, method, _) in LISTS {
        if cx.needs(*capability).await.is_err() {
            continue;
        }
        let made_up = json!({ "cursor": "yardstick-made-this-up" });
        let answer = cx.request(method).await?.params(made_up).send().await?;
        if answer.reply.code() == Some(code::METHOD_NOT_FOUND) {
            continue;
        }
        asked += 1;
        answer.expect_error(&[code::INVALID_PARAMS])?;
    }
    if asked == 0 { Err(Finding::not_applicable("the server has no such list")) } else { Ok(()) }
}

/// Response format: a page has a `nextCursor` if more results exist. That the last page has none, and that a cursor leads to
/// a page, is implied.
const PAGES_END: Check = Check {
    id: "server/pagination/pages-end",
    title: "following the cursors of a list comes to an end",
    cites: &[advised("server/utilities/pagination#response-format", Span::ALWAYS)],
    aliases: &["test_resources_list"],
    why: "a client that reads all pages would never finish",
    fix: "leave out nextCursor on the last page",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(pages_end(cx))),
    fault: &lists::PAGES_OF_RESOURCES_REPEAT,
};

async fn pages_end(cx: &ServerCx) -> Verdict {
    let mut read = 0;
    for (capability, method, key) in LISTS {
        if cx.needs(*capability).await.is_err() {
            continue;
        }
        let (mut seen, mut items) = (HashSet::new(), HashSet::new());
        for (at, answer) in pages(cx, method).await?.into_iter().enumerate() {
            let Some(result) = answer.reply.result() else {
                // Whether the list is there at all is another check's business.
                if at == 0 {
                    break;
                }
                return Err(answer.violated("the next page", answer.summary()));
            };
            read += 1;
            let again = result["nextCursor"].as_str().is_some_and(|cursor| !seen.insert(cursor.to_owned()));
            if again {
                return Err(answer.violated("a last page", format!("cursor {} again", result["nextCursor"])));
            }
            // A long list may have many pages, but each of them has something new.
            let fresh =
                result[key].as_array().into_iter().flatten().filter(|item| items.insert(item.to_string()));
            if fresh.count() == 0 && seen.len() >= MAX_PAGES {
                return Err(answer
                    .violated("a last page", format!("{MAX_PAGES} pages, and the last brings nothing new")));
            }
        }
    }
    if read == 0 { Err(Finding::not_applicable("the server has no such list")) } else { Ok(()) }
}

/// A cursor represents a position in the result set, so the next page starts where the last one ended.
pub(super) const NO_REPEATS: Check = Check {
    id: "server/pagination/no-repeats",
    title: "no item is on two pages",
    cites: &[advised("server/utilities/pagination#pagination-model", Span::ALWAYS)],
    aliases: &[],
    why: "the user sees it twice, and something else was most likely left out",
    fix: "let the cursor point past the last item of its page",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(no_repeats(cx))),
    fault: &lists::PAGES_OVERLAP,
};

async fn no_repeats(cx: &ServerCx) -> Verdict {
    let mut several = false;
    for (_, method, key) in LISTS {
        let mut earlier: Vec<Value> = Vec::new();
        let pages = pages(cx, method).await.map_err(Finding::into_obstacle)?;
        for (at, answer) in pages.into_iter().enumerate() {
            let result = answer.reply.result().unwrap_or_default();
            let items = result[key].as_array().cloned().unwrap_or_default();
            several |= at > 0;
            if let Some(item) = items.iter().find(|item| earlier.contains(item)) {
                return Err(answer.violated("items that were on no page before", item.to_string()));
            }
            earlier.extend(items);
        }
    }
    if several { Ok(()) } else { Err(Finding::not_applicable("no list has more than one page")) }
}

/// Implementation guidelines: servers should provide stable cursors.
const CURSOR_STABLE: Check = Check {
    id: "server/pagination/cursor-stable",
    title: "the same cursor leads to the same page",
    cites: &[should("server/utilities/pagination#implementation-guidelines", Span::ALWAYS)],
    aliases: &[],
    why: "a client that asks again after a lost connection would miss items or see them twice",
    fix: "make cursors from a position in the list, not from the state of an iteration",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(cursor_stable(cx))),
    fault: &lists::CURSOR_UNSTABLE,
};

async fn cursor_stable(cx: &ServerCx) -> Verdict {
    let mut several = false;
    for (_, method, key) in LISTS {
        let first = cx.request(method).await?.send().await.map_err(Finding::into_obstacle)?;
        let cursor = first.reply.result().and_then(|result| result.get("nextCursor").cloned());
        let Some(cursor) = cursor.filter(Value::is_string) else { continue };
        several = true;
        let mut pages = Vec::new();
        for _ in 0..2 {
            let answer = cx.request(method).await?.params(json!({ "cursor": cursor })).send().await?;
            pages.push((answer.reply.result().unwrap_or_default()[key].clone(), answer));
        }
        if let [(once, _), (again, answer)] = pages.as_slice()
            && once != again
        {
            return Err(answer.violated(format!("{key} as before: {once}"), again.to_string()));
        }
    }
    if several { Ok(()) } else { Err(Finding::not_applicable("no list has more than one page")) }
}

/// Every page, up to [`MAX_PAGES`] or the first cursor that repeats; the last one may be an error.
async fn pages(cx: &ServerCx, method: &str) -> Result<Vec<Answer>, Finding> {
    let mut pages = Vec::new();
    let mut cursors = HashSet::new();
    let mut listing = cx.pages(cx.session().await?, method, json!({}), MAX_PAGES);
    while let Some(sent) = listing.next().await {
        // Whether the list is answered at all is another check's business.
        let answer = if pages.is_empty() { sent.map_err(Finding::into_obstacle)? } else { sent? };
        let cursor = answer.reply.result().and_then(|r| r["nextCursor"].as_str().map(str::to_owned));
        pages.push(answer);
        if cursor.is_some_and(|cursor| !cursors.insert(cursor)) {
            break;
        }
    }
    Ok(pages)
}
