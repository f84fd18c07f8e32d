//! `_meta.ui` of UI resources: the policy, permissions, domain and border that a document asks for.

use protocol::Span;
use protocol::apps::{ResourceUi, SourceProblem, Weight, check_source};
use serde_json::Value;
use server::fault::{app_details as details, apps as fault};

use super::spelling;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, advice, advised, defined};

pub(in crate::checks) const CHECKS: &[Check] = &[RESOURCE_META, SPELLING, CSP_SOURCES, CSP_ORIGINS];

/// The lists of origins.
const LISTS: [&str; 4] = ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"];

/// UI resource format: `csp` holds arrays of origins, `permissions` objects, `domain` is a string and `prefersBorder` a
/// boolean. All are optional.
const RESOURCE_META: Check = Check {
    id: "server/apps/resource-metadata-valid",
    title: "the CSP, permissions, domain and border of a UI resource have the defined types",
    cites: &[defined("apps.mdx#ui-resource-format", Span::ALWAYS)],
    aliases: &[
        "ui-resource-meta-valid",
        "mcp-apps-res-05",
        "mcp-apps-res-06",
        "mcp-apps-res-07",
        "mcp-apps-res-08",
    ],
    why: "a host does not grant what it cannot read, and the app breaks where it needs it",
    fix: "csp holds arrays of origins, permissions hold objects, domain is a string, prefersBorder a boolean",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(resource_meta(cx))),
    fault: &fault::UI_CSP_NOT_ARRAY,
};

async fn resource_meta(cx: &ServerCx) -> Verdict {
    for (read, answer) in cx.apps().await?.sound_reads()? {
        if let Some(problem) = read.contents.iter().find_map(broken_part) {
            return Err(answer.violated("sound UI metadata", format!("{}: {problem}", read.uri)));
        }
    }
    Ok(())
}

/// The first part of the UI metadata of a listed resource or a content that has the wrong shape.
pub(super) fn broken_part(item: &Value) -> Option<String> {
    let (_, findings) = ResourceUi::from_item(item);
    let broken = findings.iter().find(|finding| finding.weight == Weight::Broken).map(ToString::to_string);
    broken.or_else(|| {
        let blank = sources(item).into_iter().find(|(_, source)| source.trim().is_empty());
        blank.map(|(list, _)| format!("_meta.ui.csp.{list}: has an entry that is empty"))
    })
}

/// The extension defines the names of the members; others are not forbidden. A name that differs from a defined one
/// only in its spelling is most likely a mistake.
const SPELLING: Check = Check {
    id: "server/apps/metadata-spelling",
    title: "members of the UI metadata are spelt as the extension spells them",
    cites: &[
        advised("apps.mdx#ui-resource-format", Span::ALWAYS),
        advised("apps.mdx#resource-discovery", Span::ALWAYS),
    ],
    aliases: &[],
    why: "hosts ignore a misspelt member: the origin stays blocked, the tool visible, the frame without a border",
    fix: "write the name exactly as the extension does",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(spelling(cx))),
    fault: &details::UI_KEYS_MISSPELT,
};

async fn spelling(cx: &ServerCx) -> Verdict {
    let surface = cx.apps().await?;
    for tool in &surface.tools.items {
        if let Some(slip) = spelling::of_tool(tool) {
            return Err(Finding::violated(
                "members as they are defined",
                format!("tool {}: {slip}", tool["name"]),
            ));
        }
    }
    for item in surface.listed() {
        if let Some(slip) = spelling::of_resource(item) {
            return Err(Finding::violated(
                "members as they are defined",
                format!("listed {}: {slip}", item["uri"]),
            ));
        }
    }
    for (read, answer) in surface.sound_reads()? {
        if let Some(slip) = read.contents.iter().find_map(spelling::of_resource) {
            return Err(answer.violated("members as they are defined", format!("{}: {slip}", read.uri)));
        }
    }
    Ok(())
}

/// UI resource format: each list of the CSP holds origins, which hosts put into a policy; wildcard subdomains are
/// allowed.
const CSP_SOURCES: Check = Check {
    id: "server/apps/csp-sources",
    title: "every entry of a UI resource's CSP can be used as an origin in a policy",
    cites: &[defined("apps.mdx#ui-resource-format", Span::ALWAYS)],
    aliases: &[],
    why: "hosts copy the entries into a header; anything but an origin is dropped, or changes the whole policy",
    fix: "list origins such as https://api.example.com or https://*.example.com, one per entry, and no keywords",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(csp_sources(cx))),
    fault: &fault::UI_CSP_BAD_SOURCE,
};

async fn csp_sources(cx: &ServerCx) -> Verdict {
    each_source(cx, "origins", |source| match check_source(source) {
        Err(problem) if problem.is_fatal() && !is_scheme(source) => Some(problem),
        Err(_) | Ok(()) => None,
    })
    .await
}

/// UI resource format: each list of the CSP holds origins. Browsers also accept a bare host, a path or `data:`, so we
/// only advise against them.
const CSP_ORIGINS: Check = Check {
    id: "server/apps/csp-origins",
    title: "entries of a UI resource's CSP are complete origins: a scheme, a host, and no path",
    cites: &[advice("apps.mdx#ui-resource-format", Span::ALWAYS)],
    aliases: &[],
    why: "whether a bare host name, a path or data: is honoured depends on the host, which may drop it",
    fix: "start each entry with https://, and leave out paths and bare schemes",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(csp_origins(cx))),
    fault: &details::UI_CSP_WITHOUT_SCHEME,
};

async fn csp_origins(cx: &ServerCx) -> Verdict {
    each_source(cx, "whole origins", |source| match check_source(source) {
        Err(problem) if !problem.is_fatal() || is_scheme(source) => Some(problem),
        Err(_) | Ok(()) => None,
    })
    .await
}

/// Schemes that CSP accepts and apps commonly list, although they are not origins.
fn is_scheme(source: &str) -> bool {
    ["data:", "blob:"].iter().any(|scheme| source.eq_ignore_ascii_case(scheme))
}

/// Judges every source of every list, listed and read.
async fn each_source(
    cx: &ServerCx,
    expected: &str,
    judge: impl Fn(&str) -> Option<SourceProblem> + Send,
) -> Verdict {
    let surface = cx.apps().await?;
    let says = |item: &Value| {
        let mut sources = sources(item).into_iter();
        sources.find_map(|(list, source)| {
            judge(source).map(|problem| format!("_meta.ui.csp.{list}: {source:?} {problem}"))
        })
    };
    for item in surface.listed() {
        if let Some(wrong) = says(item) {
            return Err(Finding::violated(expected, format!("listed {}: {wrong}", item["uri"])));
        }
    }
    for (read, answer) in surface.sound_reads()? {
        if let Some(wrong) = read.contents.iter().find_map(says) {
            return Err(answer.violated(expected, format!("{}: {wrong}", read.uri)));
        }
    }
    Ok(())
}

/// The sources that an item declares, with the list that each is in.
fn sources(item: &Value) -> Vec<(&'static str, &str)> {
    let csp = &item["_meta"]["ui"]["csp"];
    let of =
        |list: &'static str| csp[list].as_array().into_iter().flatten().map(move |source| (list, source));
    LISTS.into_iter().flat_map(of).filter_map(|(list, source)| Some((list, source.as_str()?))).collect()
}
