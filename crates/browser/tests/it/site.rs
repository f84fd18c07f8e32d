//! Serves pages on loopback on two ports, so that there are at least two sites.

use std::convert::Infallible;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::service::service_fn;
use hyper::{Request, Response, body::Incoming};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use yardstick_browser::{Browser, LaunchOptions, Page};

/// Generous, because the machine may be busy; a passing test needs far less.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(20);

/// A path, an optional header, and a page. `{a}`, `{b}` and `{c}` stand for three origins of three sites.
pub(crate) type Route = (&'static str, Option<(&'static str, &'static str)>, &'static str);

/// A running site.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    a: u16,
    b: u16,
}

impl Site {
    pub(crate) async fn start(routes: &'static [Route]) -> Self {
        let listener = async || TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (first, second) = (listener().await, listener().await);
        let port = |it: &TcpListener| it.local_addr().unwrap().port();
        let site = Self { a: port(&first), b: port(&second) };
        for listener in [first, second] {
            tokio::spawn(site.serve(listener, routes));
        }
        site
    }

    /// Puts the origins into a text.
    pub(crate) fn fill(self, text: &str) -> String {
        let a = format!("http://127.0.0.1:{}", self.a);
        let b = format!("http://localhost:{}", self.b);
        let c = format!("http://app.localhost:{}", self.b);
        text.replace("{a}", &a).replace("{b}", &b).replace("{c}", &c)
    }

    async fn serve(self, listener: TcpListener, routes: &'static [Route]) {
        while let Ok((stream, _)) = listener.accept().await {
            let service = service_fn(move |request: Request<Incoming>| async move {
                Ok::<_, Infallible>(self.answer(request.uri().path(), routes))
            });
            let connection = hyper::server::conn::http1::Builder::new();
            tokio::spawn(connection.serve_connection(TokioIo::new(stream), service));
        }
    }

    fn answer(self, path: &str, routes: &'static [Route]) -> Response<Full<Bytes>> {
        let Some((_, header, page)) = routes.iter().find(|(known, ..)| *known == path) else {
            return Response::builder().status(404).body(Full::default()).unwrap();
        };
        let mut response = Response::builder().header("content-type", "text/html; charset=utf-8");
        if let Some((name, value)) = header {
            response = response.header(*name, self.fill(value));
        }
        response.body(Full::from(format!("<!doctype html>{}", self.fill(page)))).unwrap()
    }
}

pub(crate) async fn launch() -> Browser {
    Browser::launch(LaunchOptions::default()).await.unwrap_or_else(|why| panic!("{why}"))
}

/// Starts a browser with one of the site's pages open.
pub(crate) async fn open(routes: &'static [Route]) -> (Browser, Page, Site) {
    let (site, browser) = tokio::join!(Site::start(routes), launch());
    let page = browser.page(&site.fill("{a}/")).await.unwrap_or_else(|why| panic!("{why}"));
    (browser, page, site)
}
