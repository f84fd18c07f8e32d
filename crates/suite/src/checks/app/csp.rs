//! The content security policy that an app asks for, and what it uses of it.

use protocol::Span;
use serde_json::Value;
use server::fault::view as fault;
use url::Url;

use crate::app::RowFinding;
use crate::app::rows::{STRICT, name};
use crate::{AppCx, Applies, Check, Finding, Run, Verdict, Viewing, advice, advised};

pub(in crate::checks) const CHECKS: &[Check] = &[DECLARED, EVAL, UNUSED];

/// A server declares which origins its app needs, and the host allows no others: without a declaration nothing is loaded
/// and nothing is connected to.
const DECLARED: Check = Check {
    id: "app/csp/declared",
    title: "an app uses only what its resource declares",
    cites: &[advised("apps.mdx#ui-resource-format", Span::ALWAYS)],
    aliases: &[],
    why: "every host that keeps to the specification blocks it",
    fix: "declare the origin in _meta.ui.csp (connectDomains, resourceDomains, frameDomains), or bring the file along",
    applies: Applies::ToViews,
    run: Run::App(&[STRICT, name::DARK, name::PRESSED], |cx| {
        cx.judge(&[STRICT, name::DARK, name::PRESSED], "nothing that the declared policy blocks", blocked)
    }),
    fault: &fault::ORIGIN_UNDECLARED,
};

/// The policy that hosts must build allows inline scripts, and no code that is made from text at run time.
const EVAL: Check = Check {
    id: "app/csp/no-eval",
    title: "an app works without eval",
    cites: &[advised("apps.mdx#host-behavior", Span::ALWAYS)],
    aliases: &[],
    why: "the policy of the specification has no unsafe-eval, so that part of the app never runs",
    fix: "use a build of the library that compiles nothing at run time",
    applies: Applies::ToViews,
    run: Run::App(&[STRICT], |cx| cx.judge(&[STRICT], "no error for want of eval", needs_eval)),
    fault: &fault::EVAL_NEEDED,
};

/// The specification lets a server declare any origins; hosts should warn users of them.
const UNUSED: Check = Check {
    id: "app/csp/nothing-unused",
    title: "an app uses every origin that its resource declares",
    cites: &[advice("apps.mdx#4-content-security-policy-enforcement", Span::ALWAYS)],
    aliases: &[],
    why: "a host warns its users of every origin, and what is allowed can be used to carry data away",
    fix: "declare only the origins that the app needs; ignore this if the app needs it later",
    applies: Applies::ToViews,
    run: Run::App(&[STRICT, name::DARK, name::PRESSED], unused),
    fault: &fault::ORIGIN_UNUSED,
};

/// The first thing that was blocked, and the others.
fn blocked(viewing: &Viewing) -> Option<RowFinding> {
    let found: Vec<String> = viewing
        .violations
        .iter()
        .filter(|it| !it.report_only && !is_of_code(&it.kind))
        .map(|it| {
            let what = if it.blocked.is_empty() { &it.kind } else { &it.blocked };
            format!("{} blocks {what}", it.directive)
        })
        .collect();
    let first = found.first()?;
    Some(RowFinding::new(first.clone()).with_lines(found.iter().map(String::as_str)))
}

/// A library that only tries whether there is eval goes on without; one that needs it leaves an error.
fn needs_eval(viewing: &Viewing) -> Option<RowFinding> {
    let tried = viewing.violations.iter().find(|it| is_of_code(&it.kind))?;
    let console = viewing.console.iter().filter(|line| line.level == "error").map(|line| line.text.as_str());
    let errors = viewing.exceptions.iter().map(String::as_str).chain(console);
    let shown = viewing.facts.iter().map(|facts| facts.text.as_str());
    let missed: Vec<&str> = errors.chain(shown).filter(|text| is_of_eval(text)).collect();
    let first = missed.first()?;
    let line = first.lines().find(|line| is_of_eval(line)).unwrap_or(first);
    Some(RowFinding::new(format!("{} blocks {}: {line}", tried.directive, tried.kind)).with_lines(missed))
}

fn is_of_code(kind: &str) -> bool {
    matches!(kind, "eval" | "wasm-eval")
}

/// Whether a text complains that code cannot be made from text.
pub(super) fn is_of_eval(text: &str) -> bool {
    text.contains("EvalError") || text.contains("unsafe-eval")
}

fn unused(cx: &AppCx<'_>) -> Verdict {
    let declared = cx.declared_meta("csp").as_object();
    let lists = declared.into_iter().flatten().filter(|(list, _)| *list != "baseUriDomains");
    let sources: Vec<(&String, &str)> = lists
        .flat_map(|(list, sources)| {
            let sources = sources.as_array().into_iter().flatten().filter_map(Value::as_str);
            sources.map(move |source| (list, source))
        })
        .collect();
    if sources.is_empty() {
        return Err(Finding::not_applicable("the resource declares no origin"));
    }
    let viewings = cx.ready_viewings(&[STRICT, name::DARK, name::PRESSED])?;
    let used: Vec<Url> = viewings
        .iter()
        .flat_map(|viewing| &viewing.requests)
        .filter_map(|request| Url::parse(&request.url).ok())
        .collect();
    let idle: Vec<String> = sources
        .iter()
        .filter(|(_, source)| !used.iter().any(|url| covers(source, url)))
        .map(|(list, source)| format!("{source} in {list}"))
        .collect();
    if idle.is_empty() {
        return Ok(());
    }
    let actual = format!("no request to {}", super::listed(&idle));
    Err(Finding::violated("a request to each declared origin, also when every button is pressed", actual))
}

/// Whether a source of a policy covers an address, as far as its host tells.
fn covers(source: &str, url: &Url) -> bool {
    let host = source.split_once("://").map_or(source, |(_, rest)| rest);
    let host = host.split(['/', ':']).next().unwrap_or_default();
    let of = url.host_str().unwrap_or_default();
    match host.strip_prefix("*.") {
        Some(parent) => of.ends_with(&format!(".{parent}")),
        None => of == host || host == "*",
    }
}
