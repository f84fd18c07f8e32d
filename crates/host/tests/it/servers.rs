//! Servers within this process.

use tokio::io::DuplexStream;
use transport::client::Target;
use transport::serve::pipe;

/// The reference server, with its demo apps.
pub(crate) fn reference() -> Target {
    let server = server::Server::new();
    Target::in_process(move || -> DuplexStream {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (read, write) = tokio::io::split(theirs);
        tokio::spawn(pipe::serve(server.clone(), read, write));
        ours
    })
}
