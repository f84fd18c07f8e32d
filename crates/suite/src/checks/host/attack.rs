//! Views that are hostile, and servers that answer nonsense. The specification says little of it: most of this is advice.

use protocol::Span;

use crate::host::{faults, shorten};
use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, advice, defined, must};

pub(in crate::checks) const CHECKS: &[Check] =
    &[NOISE, FOREIGN, TWINS, SIZE, SIZE_SHOWABLE, FLOOD, RESPONSIVE, RESULT, BLOB, WRONG_TYPE];

/// A host must validate messages and reject malformed ones; one that rejects them goes on.
const NOISE: Check = Check {
    id: "host/attack/noise-survived",
    title: "what is not a message, or answers no request, does not end the bridge",
    cites: &[defined("apps.mdx#2-auditable-communication", Span::ALWAYS)],
    aliases: &[],
    why: "any script in the View can end the app with one message",
    fix: "ignore what is not a JSON-RPC message, and responses to requests that you did not send",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let answer = cx.answer("basic", "alive")?;
        if answer["result"].is_object() {
            Ok(())
        } else {
            Err(Finding::violated("a result", shorten(answer)))
        }
    }),
    fault: &faults::DEAF_AFTER_NOISE.fault,
};

/// A host validates what comes in. A message that another window sent is not the View's.
const FOREIGN: Check = Check {
    id: "host/attack/foreign-window-ignored",
    title: "messages from windows other than the View are not carried out",
    cites: &[defined("apps.mdx#2-auditable-communication", Span::ALWAYS)],
    aliases: &[],
    why: "any page that a View embeds, or that embeds the host, acts in the View's name",
    fix: "compare event.source with the frame, and event.origin with its origin, in the page and in the proxy",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let scene = cx.scene("open")?;
        if !scene.declared_hits.iter().any(|path| path.ends_with("/speaker")) {
            return Err(Finding::blocked("the page that speaks for the View was not loaded"));
        }
        let called = scene.calls.iter().find(|call| call.arguments["foreign"] == true);
        expect_none(called, |_| Finding::violated("no call at the server", "the tool was called"))
    }),
    fault: &faults::ANYBODY_HEARD.fault,
};

/// A View should not use an id again; a host that meets it still answers each request.
const TWINS: Check = Check {
    id: "host/attack/same-id-answered",
    title: "two requests with one id, one after the other, are both answered",
    cites: &[advice("apps.mdx#communication-protocol", Span::ALWAYS)],
    aliases: &[],
    why: "a View that counts from one again after a reload waits for ever",
    fix: "forget an id once its request is answered",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let answers = cx.answer("basic", "twins")?;
        let of = |at: usize| &answers[at]["result"]["structuredContent"]["arguments"]["twin"];
        if *of(0) == 1 && *of(1) == 2 {
            Ok(())
        } else {
            Err(Finding::violated("both results", shorten(answers)))
        }
    }),
    fault: &faults::TWIN_IGNORED.fault,
};

/// A flexible container has a maxHeight, within which the frame follows the View; without one it is unbounded.
const SIZE: Check = Check {
    id: "host/attack/size-bounded",
    title: "a View cannot make its frame larger than the host allows",
    cites: &[must("apps.mdx#container-dimensions", Span::ALWAYS)],
    aliases: &[],
    why: "a frame of millions of pixels makes the page unusable",
    fix: "limit what size-changed asks for to maxWidth and maxHeight, or to a size of your own",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let scene = cx.scene("basic")?;
        let room = scene.fact("container");
        let Some(most) = room["maxHeight"].as_f64().or(room["height"].as_f64()) else {
            return Err(Finding::not_applicable("the host gives no maxHeight"));
        };
        let (limit, height) = (most.max(400.0) + 8.0, scene.fact("heightBomb").as_f64().unwrap_or_default());
        if height <= limit {
            Ok(())
        } else {
            Err(Finding::violated(format!("at most {limit}"), format!("a height of {height}")))
        }
    }),
    fault: &faults::SIZE_UNBOUNDED.fault,
};

/// A host that gives no maxHeight may let a frame grow; no page can show a frame of millions of pixels.
const SIZE_SHOWABLE: Check = Check {
    id: "host/attack/size-showable",
    title: "a View cannot make its frame larger than a page can show",
    cites: &[advice("apps.mdx#other-risks", Span::ALWAYS)],
    aliases: &[],
    why: "a frame of millions of pixels makes the page unusable",
    fix: "limit what size-changed asks for, and tell the View the limit as maxHeight",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        const MAX_HEIGHT: f64 = 50_000.0;
        let height = cx.scene("basic")?.fact("heightBomb").as_f64().unwrap_or_default();
        expect_none((height > MAX_HEIGHT).then_some(height), |height| {
            Finding::violated(format!("at most {MAX_HEIGHT}"), format!("a height of {height}"))
        })
    }),
    fault: &faults::SIZE_UNBOUNDED.fault,
};

/// Messages are cheap to send. A host bounds what it takes, and goes on.
const FLOOD: Check = Check {
    id: "host/attack/flood-survived",
    title: "after a flood of messages a View is answered again",
    cites: &[advice("apps.mdx#other-risks", Span::ALWAYS)],
    aliases: &[],
    why: "an app that reports its size in a loop ends itself, and perhaps the page",
    fix: "bound the queue of messages, and drop notifications rather than requests",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| cx.answer("flood", "alive").map(drop)),
    fault: &faults::DEAF_AFTER_FLOOD.fault,
};

/// The host's page is the user's way out of an app that misbehaves.
const RESPONSIVE: Check = Check {
    id: "host/attack/flood-does-not-freeze",
    title: "the host's page reacts while a View floods it",
    cites: &[advice("apps.mdx#other-risks", Span::ALWAYS)],
    aliases: &[],
    why: "the user cannot even close the app",
    fix: "handle messages in slices, and yield between them",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        const MOST_MS: f64 = 3_000.0;
        let gap = cx.act_result("flood", "responsive")?.as_f64().unwrap_or_default();
        if gap < MOST_MS {
            Ok(())
        } else {
            Err(Finding::violated(format!("less than {MOST_MS} ms"), format!("{gap:.0} ms")))
        }
    }),
    fault: &faults::FROZEN_BY_FLOOD.fault,
};

/// A server's mistake is a server's mistake: the View still gets its handshake and can say so.
const RESULT: Check = Check {
    id: "host/attack/broken-result-survived",
    title: "a result that is none does not end the bridge",
    cites: &[advice("apps.mdx#other-risks", Span::ALWAYS)],
    aliases: &[],
    why: "the View shows nothing, and nobody learns that the server is to blame",
    fix: "check the result before you use it, and go on serving the View",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let scene = cx.shown("broken")?;
        if scene.is_complete() && scene.stages.iter().any(|stage| stage == "done") {
            return Ok(());
        }
        Err(Finding::violated("a View that is served", "the View could not report"))
    }),
    fault: &faults::BROKEN_BY_RESULT.fault,
};

/// A document comes as text, or as base64 in blob.
const BLOB: Check = Check {
    id: "host/attack/blob-shown",
    title: "a document in base64 is shown",
    cites: &[defined("apps.mdx#content-requirements", Span::ALWAYS)],
    aliases: &[],
    why: "a server that sends what the specification allows has no app here",
    fix: "decode blob where there is no text",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let scene = cx.shown("blob")?;
        if scene.is_complete() { Ok(()) } else { Err(Finding::violated("the View", "it was not shown")) }
    }),
    fault: &faults::BLOB_IGNORED.fault,
};

/// Other media types than text/html;profile=mcp-app are reserved. What a host does with them, no sentence says.
const WRONG_TYPE: Check = Check {
    id: "host/attack/other-type-refused",
    title: "a resource that is not an app is not run as one",
    cites: &[advice("apps.mdx#content-requirements", Span::ALWAYS)],
    aliases: &[],
    why: "text that a server only passes on becomes code",
    fix: "show a resource as an app only if its mimeType is text/html;profile=mcp-app",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let scene = cx.shown("plain")?;
        match (scene.told.is_null(), scene.reads) {
            (false, _) => Err(Finding::violated("no View", "text/plain was run as an app")),
            (true, 0) => Err(Finding::blocked("the resource was never read")),
            (true, _) => Ok(()),
        }
    }),
    fault: &faults::TYPE_IGNORED.fault,
};
