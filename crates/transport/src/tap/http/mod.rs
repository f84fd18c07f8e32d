//! Stands in for an HTTP server.
//!
//! Each connection of the client has one to the server. Bodies pass piece by piece, so that no event waits for the next
//! one. Only headers change: `Host` (and an `Origin` that is the tap's own) become the server's, hop-by-hop headers are
//! removed, and so is `Accept-Encoding`, since compressed messages cannot be read.

mod forward;
mod headers;
mod recorded_body;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use super::note::RecordSender;
use crate::accept;
use crate::client::link::http::Connector;
use crate::client::{Endpoint, Failure, Limits};
use crate::serve::http::Guard;

/// A tap that listens until it is dropped or told to stop.
#[derive(Debug)]
pub struct HttpTap {
    address: SocketAddr,
    path: String,
    stop: CancellationToken,
    accepting: Mutex<JoinHandle<()>>,
}

/// What every connection shares.
#[derive(Debug)]
struct Shared {
    connector: Connector,
    endpoint: Endpoint,
    guard: Guard,
    address: SocketAddr,
    record: RecordSender,
    exchanges: AtomicU32,
}

impl HttpTap {
    /// Listens on `address` (port 0 picks a free one) and passes on to `endpoint` in the background.
    pub async fn bind(
        address: SocketAddr,
        endpoint: &Endpoint,
        record: RecordSender,
    ) -> Result<Self, Failure> {
        let connector = Connector::new(endpoint, Limits::default().connect)?;
        let cannot = |why: std::io::Error| {
            Failure::Unusable(format!("cannot listen on {address}: {why}; is something else there?"))
        };
        let listener = TcpListener::bind(address).await.map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        let shared = Shared {
            connector,
            endpoint: endpoint.clone(),
            guard: guard(address),
            address,
            record,
            exchanges: AtomicU32::new(1),
        };
        let stop = CancellationToken::new();
        let accepting = Mutex::new(tokio::spawn(accept_all(listener, Arc::new(shared), stop.clone())));
        Ok(Self { address, path: endpoint.url.path().to_owned(), stop, accepting })
    }

    /// The URL that stands for the server's.
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.path)
    }

    /// Stops accepting and closes every connection, within `grace`.
    pub async fn shut_down(&self, grace: Duration) {
        self.stop.cancel();
        let mut accepting = self.accepting.lock().await;
        // After that nothing is waited for.
        let _ = tokio::time::timeout(grace, &mut *accepting).await;
    }
}

impl Drop for HttpTap {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// The server does not see which `Host` the client asked for, so the tap checks it. `Origin` passes, and the server
/// judges it.
fn guard(address: SocketAddr) -> Guard {
    Guard {
        hosts: vec![address.ip().to_string()],
        check_host: !address.ip().is_unspecified(),
        check_origin: false,
        ..Guard::default()
    }
}

async fn accept_all(listener: TcpListener, shared: Arc<Shared>, stop: CancellationToken) {
    let mut connections = JoinSet::new();
    loop {
        let stream = tokio::select! {
            stream = accept(&listener) => stream,
            () = stop.cancelled() => return connections.shutdown().await,
        };
        // Finished tasks are removed here, so that a long run does not collect them.
        while connections.try_join_next().is_some() {}
        connections.spawn(connection(stream, Arc::clone(&shared)));
    }
}

async fn connection(stream: TcpStream, shared: Arc<Shared>) {
    let upstream = Arc::new(forward::Upstream::default());
    let service = service_fn(move |request| {
        let (shared, upstream) = (Arc::clone(&shared), Arc::clone(&upstream));
        async move { Ok::<_, Infallible>(forward::forward(&shared, &upstream, request).await) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).half_close(false).preserve_header_case(true);
    // Errors here are caused by the client, and there is nobody to report them to.
    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
}
