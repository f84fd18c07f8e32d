//! The sandbox listener. It serves the proxy document and the View's own document, each under an origin of its own.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{CONTENT_SECURITY_POLICY, HOST, HeaderName};
use http::{HeaderMap, Method};
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use super::{Request, Response, body, reply};
use crate::Shared;
use crate::view::{Role, View};

const PROXY_HTML: &str = include_str!("../../sandbox/proxy.html");
const PROXY_JS: &str = include_str!("../../sandbox/proxy.js");
/// Reports the View's console to the host.
const VIEW_JS: &str = include_str!("../../sandbox/view.js");
/// The `window.openai` bridge of the OpenAI Apps SDK.
const OPENAI_JS: &str = include_str!("../../sandbox/openai.js");
/// The largest report of a policy violation, in bytes.
const MAX_REPORT_BYTES: usize = 64 * 1024;

pub(super) async fn route(shared: &Arc<Shared>, request: Request) -> Response {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let found = name(shared, request.headers()).and_then(|name| shared.views.at_address(&name, &path));
    let Some((view, role, rest)) = found else {
        return reply::refused(404, "no view is open under this name");
    };
    match (role, &method, rest) {
        (Role::Proxy, &Method::GET, "") => proxy(shared, &view),
        (Role::Inner, &Method::GET, "") => document(shared, &view),
        (Role::Inner, &Method::GET, "view.js") => {
            reply::content(200, "text/javascript; charset=utf-8", VIEW_JS)
        }
        (Role::Inner, &Method::GET, "openai.js") if view.openai.is_some() => {
            reply::content(200, "text/javascript; charset=utf-8", OPENAI_JS)
        }
        (Role::Inner, &Method::POST, "report") => report(shared, &view, request).await,
        _ => reply::refused(404, "there is no such file"),
    }
}

/// The part of the `Host` before `.localhost`, if the request is for our port.
fn name(shared: &Shared, headers: &HeaderMap) -> Option<String> {
    let host = headers.get(HOST)?.to_str().ok()?;
    let name = host.strip_suffix(&format!(":{}", shared.sandbox.port()))?;
    Some(name.strip_suffix(".localhost")?.to_owned())
}

/// The proxy document between the page and the View. Its policy lets it frame that one View and run its own script.
fn proxy(shared: &Shared, view: &View) -> Response {
    let [one, other] = shared.page_origins();
    let inner = view.inner_url(shared);
    let html = PROXY_HTML
        .replace("{{hosts}}", &format!("{one} {other}"))
        .replace("{{view}}", &inner)
        .replace("{{script}}", PROXY_JS);
    let mut response = reply::content(200, "text/html; charset=utf-8", html);
    let hash = STANDARD.encode(digest(&SHA256, PROXY_JS.as_bytes()));
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{hash}'; style-src 'unsafe-inline'; frame-src {inner}; base-uri 'none'; \
         form-action 'none'; frame-ancestors {one} {other}"
    );
    isolate(response.headers_mut(), &policy);
    if let Some(fault_hooks) = &shared.options.fault_hooks {
        fault_hooks.change_proxy_headers(response.headers_mut());
    }
    response
}

/// The View's own document, unchanged, after the host's scripts.
fn document(shared: &Shared, view: &View) -> Response {
    let html = scripted(&view.document.html, &view.path, view.bridge().as_ref());
    let mut response = reply::content(200, "text/html; charset=utf-8", html);
    isolate(response.headers_mut(), &view.csp);
    if let Some(allowlist) = &view.allowlist {
        reply::set(response.headers_mut(), HeaderName::from_static("connection-allowlist"), allowlist);
    }
    if let Some(fault_hooks) = &shared.options.fault_hooks {
        fault_hooks.change_view_headers(response.headers_mut());
    }
    response
}

/// Puts the host's scripts at `path` before a document. The bridge's script is included only if there is `told` data
/// for it.
fn scripted(html: &str, path: &str, told: Option<&Value>) -> String {
    let bridge = told.map(|told| {
        let told = told.to_string().replace('&', "&amp;").replace('"', "&quot;");
        format!("<script src=\"{path}openai.js\" data-told=\"{told}\"></script>")
    });
    // The parser ignores a doctype that comes after a script. So the host repeats the document's doctype before its
    // scripts.
    let start = html.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    let has_doctype = start.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("<!doctype"));
    let doctype = if has_doctype { "<!doctype html>" } else { "" };
    let bridge = bridge.unwrap_or_default();
    format!("{doctype}<script src=\"{path}view.js\"></script>{bridge}{html}")
}

fn isolate(headers: &mut HeaderMap, policy: &str) {
    reply::set(headers, CONTENT_SECURITY_POLICY, policy);
    reply::set(headers, HeaderName::from_static("x-dns-prefetch-control"), "off");
    reply::set(headers, HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
}

/// Records the browser's report about a violation of the View's policy.
async fn report(shared: &Shared, view: &View, request: Request) -> Response {
    let bytes = match body(request).await {
        Ok(bytes) if bytes.len() <= MAX_REPORT_BYTES => bytes,
        Ok(_) => return reply::refused(413, "the report is too long"),
        Err(refusal) => return refusal,
    };
    let report: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let told = &report["csp-report"];
    if told.is_object() {
        shared.feed.publish(&json!({
            "kind": "violation",
            "view": view.id,
            "run": view.run,
            "directive": told["effective-directive"],
            "blocked": told["blocked-uri"],
            "source": told["source-file"],
            "line": told["line-number"],
            "sample": told["script-sample"],
        }));
    }
    reply::content(204, "text/plain", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scripts_come_before_the_document_and_keep_its_mode() {
        let told = json!({ "methods": ["callTool"] });
        let html = scripted(" <!DOCTYPE html><p>", "/", Some(&told));
        let start = r#"<!doctype html><script src="/view.js"></script><script src="/openai.js" data-told="{&quot;methods"#;
        assert!(html.starts_with(start), "{html}");
        assert!(html.ends_with("</script> <!DOCTYPE html><p>"));
        assert_eq!(scripted("<p>", "/x/", None), r#"<script src="/x/view.js"></script><p>"#);
    }
}
