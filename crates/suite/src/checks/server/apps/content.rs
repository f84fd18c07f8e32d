//! The HTML documents of UI resources. They are parsed, but never rendered.

use protocol::Span;
use protocol::apps::MIME_TYPE;
use server::fault::{app_details as details, apps as fault};

use super::html;
use super::surface::html_of;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, advice, must};

pub(in crate::checks) const CHECKS: &[Check] = &[CONTENT_MIME, CONTENT_HTML, HTML_DOCTYPE, HTML_PARSES];

/// Content requirements: the content of a UI resource must have the media type `text/html;profile=mcp-app`. Other types
/// are reserved for later.
const CONTENT_MIME: Check = Check {
    id: "server/apps/content-media-type",
    title: "the content of a UI resource is text/html;profile=mcp-app",
    cites: &[must("apps.mdx#content-requirements", Span::ALWAYS)],
    aliases: &["ui-resource-contents-valid"],
    why: "hosts render nothing else, and compare the text exactly",
    fix: "send exactly that mimeType with the content that resources/read returns",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(content_mime(cx))),
    fault: &fault::UI_MIME_WRONG,
};

async fn content_mime(cx: &ServerCx) -> Verdict {
    for (read, answer) in cx.apps().await?.sound_reads()? {
        if let Some(content) = read.contents.iter().find(|content| content["mimeType"] != MIME_TYPE) {
            let actual = format!("{}: mimeType {}", read.uri, content["mimeType"]);
            return Err(answer.violated(MIME_TYPE, actual));
        }
    }
    Ok(())
}

/// Content requirements: the content must be a valid HTML5 document. This check asks only whether it is a document at
/// all.
const CONTENT_HTML: Check = Check {
    id: "server/apps/content-html",
    title: "a UI resource holds an HTML document",
    cites: &[must("apps.mdx#content-requirements", Span::ALWAYS)],
    aliases: &["ui-resource-contents-valid"],
    why: "the host shows an empty frame for anything that is not a document",
    fix: "return a complete HTML5 document, with its doctype",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(content_html(cx))),
    fault: &fault::UI_NOT_HTML,
};

async fn content_html(cx: &ServerCx) -> Verdict {
    for (read, answer) in cx.apps().await?.sound_reads()? {
        for content in &read.contents {
            let document = html_of(content);
            if !html::is_document(&document) {
                let begins: String = document.trim().chars().take(60).collect();
                return Err(answer.violated("an HTML document", format!("{}: {begins:?}", read.uri)));
            }
        }
    }
    Ok(())
}

/// Content requirements: the content must be a valid HTML5 document, which starts with a doctype.
const HTML_DOCTYPE: Check = Check {
    id: "server/apps/html-doctype",
    title: "the document of a UI resource begins with its doctype",
    cites: &[must("apps.mdx#content-requirements", Span::ALWAYS)],
    aliases: &[],
    why: "without it browsers lay the page out in quirks mode, as in the nineties",
    fix: "begin the document with <!doctype html>",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(html_doctype(cx))),
    fault: &details::UI_WITHOUT_DOCTYPE,
};

async fn html_doctype(cx: &ServerCx) -> Verdict {
    let mut judged = 0;
    for (read, answer) in cx.apps().await?.sound_reads()? {
        for document in read.contents.iter().map(html_of).filter(|document| html::is_document(document)) {
            judged += 1;
            if !html::has_doctype(&document) {
                let begins: String = document.trim().chars().take(60).collect();
                return Err(answer.violated("<!doctype html>", format!("{}: {begins:?}", read.uri)));
            }
        }
    }
    if judged == 0 { Err(Finding::blocked("no UI resource holds an HTML document")) } else { Ok(()) }
}

/// Content requirements: the content must be a valid HTML5 document. Browsers repair parse errors, so we only advise
/// against them.
const HTML_PARSES: Check = Check {
    id: "server/apps/html-parses",
    title: "the document of a UI resource is HTML5 without parse errors",
    cites: &[advice("apps.mdx#content-requirements", Span::ALWAYS)],
    aliases: &[],
    why: "browsers repair broken HTML by rules that few know, so the page may not be the one that was written",
    fix: "run the document through an HTML checker; begin it with <!doctype html>",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(html_parses(cx))),
    fault: &details::UI_HTML_MISNESTED,
};

async fn html_parses(cx: &ServerCx) -> Verdict {
    let mut parsed = 0;
    for (read, answer) in cx.apps().await?.sound_reads()? {
        for document in read.contents.iter().map(html_of).filter(|document| html::is_document(document)) {
            parsed += 1;
            let errors = html::errors(&document);
            if let Some(first) = errors.first() {
                let more = errors.len() - 1;
                let more = if more == 0 { String::new() } else { format!(", and {more} more") };
                return Err(answer.violated("no parse errors", format!("{}: {first}{more}", read.uri)));
            }
        }
    }
    if parsed == 0 { Err(Finding::blocked("no UI resource holds an HTML document")) } else { Ok(()) }
}
