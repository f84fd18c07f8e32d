//! The reference server, sound or broken on purpose, as a target.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use server::fault::Faulty;
use server::{Fault, Faults};
use tokio::io::DuplexStream;
use transport::client::{Endpoint, Target};
use transport::serve::http::HttpServer;
use transport::serve::pipe;

/// A server over one transport, and what keeps it alive.
pub(crate) struct Subject {
    pub(crate) target: Target,
    _http: Option<HttpServer>,
}

/// Behind an in-process pipe.
pub(crate) fn piped(faults: impl IntoIterator<Item = &'static Fault>) -> Subject {
    let server = Faulty::new(Faults::new(faults));
    let dial = move || -> DuplexStream {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (read, write) = tokio::io::split(theirs);
        tokio::spawn(pipe::serve(server.clone(), read, write));
        ours
    };
    Subject { target: Target::InProcess(Arc::new(dial)), _http: None }
}

/// On a loopback port.
pub(crate) async fn served(faults: impl IntoIterator<Item = &'static Fault>) -> Subject {
    let faults = Faults::new(faults);
    let options = faults.http_options();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let http = HttpServer::bind(address, Faulty::new(faults), options).await.unwrap();
    Subject { target: Target::Url(Endpoint::new(&http.url()).unwrap()), _http: Some(http) }
}
