//! Two HTTP listeners: one serves the page and its API, the other the documents of the sandbox.

mod api;
mod assets;
mod events;
mod guard;
mod reply;
mod sandbox;
mod view_requests;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::Shared;
use crate::page::{self, Referrer, Start};

/// The largest body of a request, in bytes.
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;
/// How long the body of a request may take to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// How long the rest of the page waits for servers that are still connecting.
const CONNECTING_TIMEOUT: Duration = Duration::from_millis(1500);

pub(crate) type Request = http::Request<Incoming>;
pub(crate) type Response = http::Response<UnsyncBoxBody<Bytes, Infallible>>;

/// One of the two listeners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListenerRole {
    /// Serves the page and its API.
    Page,
    /// Serves the proxy documents and the Views' documents.
    Sandbox,
}

/// Accepts and serves connections until `stop` is cancelled.
pub(crate) async fn listen(
    listener: TcpListener,
    shared: Arc<Shared>,
    side: ListenerRole,
    stop: CancellationToken,
) {
    loop {
        let stream = tokio::select! {
            stream = transport::accept(&listener) => stream,
            () = stop.cancelled() => return,
        };
        let (shared, stop) = (shared.clone(), stop.clone());
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let shared = shared.clone();
                async move { Ok::<_, Infallible>(route(&shared, side, request).await) }
            });
            let mut builder = http1::Builder::new();
            let connection = builder.timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service);
            tokio::select! {
                // The browser may break off a connection at any time; there is nobody to report that to.
                _ = connection => {}
                () = stop.cancelled() => {}
            }
        });
    }
}

async fn route(shared: &Arc<Shared>, side: ListenerRole, request: Request) -> Response {
    match side {
        ListenerRole::Sandbox => sandbox::route(shared, request).await,
        ListenerRole::Page => {
            if let Err(why) = guard::admit(shared, request.headers()) {
                return reply::refused(403, &why);
            }
            let path = request.uri().path().to_owned();
            match path.strip_prefix("/api/") {
                Some(rest) => api::route(shared, rest, request).await,
                None => documents(shared, &path, &request),
            }
        }
    }
}

fn documents(shared: &Arc<Shared>, path: &str, request: &Request) -> Response {
    if !matches!(*request.method(), http::Method::GET | http::Method::HEAD) {
        return reply::refused(405, "only GET");
    }
    match path {
        "/" => {
            let (first, shared, query) = (page::head(shared), shared.clone(), query(request.uri()));
            let referrer = guard::referrer(request.headers());
            let fault_hooks = shared.options.fault_hooks.clone();
            let rest = async move {
                shared.servers.settled(CONNECTING_TIMEOUT).await;
                let run = (referrer != Referrer::ForeignPage)
                    .then(|| shared.prefetched.start(&shared, &query))
                    .flatten();
                let profile = value(&query, "profile").unwrap_or(&shared.options.profile);
                page::body(&shared, profile, &Start { run, referrer })
            };
            let mut response = reply::page(first, rest);
            if let Some(fault_hooks) = &fault_hooks {
                fault_hooks.change_page_headers(response.headers_mut());
            }
            response
        }
        _ => assets::serve_asset(path),
    }
}

fn query(uri: &http::Uri) -> Vec<(String, String)> {
    let text = uri.query().unwrap_or_default();
    url::form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

/// The first value of a query parameter.
pub(crate) fn value<'a>(query: &'a [(String, String)], name: &str) -> Option<&'a str> {
    query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

/// Reads the body of a request within the limits of size and time.
async fn body(request: Request) -> Result<Bytes, Response> {
    let collected = Limited::new(request.into_body(), MAX_BODY_BYTES).collect();
    match tokio::time::timeout(BODY_TIMEOUT, collected).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(_)) => Err(reply::refused(413, "the body is too large or incomplete")),
        Err(_) => Err(reply::refused(408, "the body did not arrive in time")),
    }
}

/// A file that the browser saves.
pub(crate) fn attachment(content: Vec<u8>, name: &str) -> Response {
    let mut response = reply::content(200, "application/x-ndjson", content);
    let disposition = format!("attachment; filename=\"{name}\"");
    reply::set(response.headers_mut(), http::header::CONTENT_DISPOSITION, &disposition);
    response
}
