//! Two listeners: one for the page and its API, one for the documents of the sandbox.

mod api;
mod asks;
mod assets;
mod events;
mod guard;
mod reply;
mod sandbox;

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
use crate::page::{self, Led, Start};

/// The most bytes of a request's body.
const LARGEST: usize = 64 * 1024 * 1024;
/// How long a request may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(30);
/// How long the rest of a page waits for servers that are still connecting.
const SETTLING: Duration = Duration::from_millis(1500);

pub(crate) type Request = http::Request<Incoming>;
pub(crate) type Response = http::Response<UnsyncBoxBody<Bytes, Infallible>>;

/// Which of the two listeners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The page and its API.
    Page,
    /// The proxies and views.
    Sandbox,
}

/// Serves connections until `stop`.
pub(crate) async fn listen(listener: TcpListener, shared: Arc<Shared>, side: Side, stop: CancellationToken) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => return,
        };
        // A failed accept is the kernel's trouble of the moment (out of descriptors, peer gone), not ours.
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let (shared, stop) = (shared.clone(), stop.clone());
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let shared = shared.clone();
                async move { Ok::<_, Infallible>(route(&shared, side, request).await) }
            });
            let mut builder = http1::Builder::new();
            let connection = builder.timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service);
            tokio::select! {
                // What can go wrong here is the browser's doing and has no one to be told to.
                _ = connection => {}
                () = stop.cancelled() => {}
            }
        });
    }
}

async fn route(shared: &Arc<Shared>, side: Side, request: Request) -> Response {
    match side {
        Side::Sandbox => sandbox::route(shared, request).await,
        Side::Page => {
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
            let led = guard::led(request.headers());
            let rest = async move {
                shared.servers.settled(SETTLING).await;
                let run = (led != Led::Stranger).then(|| shared.prefetched.begin(&shared, &query)).flatten();
                let profile = value(&query, "profile").unwrap_or(&shared.options.profile);
                page::body(&shared, profile, &Start { run, led })
            };
            reply::page(first, rest)
        }
        _ => assets::named(path),
    }
}

fn query(uri: &http::Uri) -> Vec<(String, String)> {
    let text = uri.query().unwrap_or_default();
    url::form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

/// What a query says under a name, first.
pub(crate) fn value<'a>(query: &'a [(String, String)], name: &str) -> Option<&'a str> {
    query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

/// The body of a request, as far as it is allowed to be large and slow.
async fn body(request: Request) -> Result<Bytes, Response> {
    let collected = Limited::new(request.into_body(), LARGEST).collect();
    match tokio::time::timeout(ARRIVAL, collected).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(_)) => Err(reply::refused(413, "the body is too large, or it broke off")),
        Err(_) => Err(reply::refused(408, "the body did not arrive in time")),
    }
}

/// A file to be kept.
pub(crate) fn attachment(content: Vec<u8>, name: &str) -> Response {
    let mut response = reply::of(200, "application/x-ndjson", content);
    let disposition = format!("attachment; filename=\"{name}\"");
    reply::set(response.headers_mut(), http::header::CONTENT_DISPOSITION, &disposition);
    response
}
