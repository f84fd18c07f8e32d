//! Servers within this process.

use transport::client::Target;

/// The reference server, with its demo apps.
pub(crate) fn reference() -> Target {
    transport::in_process(server::Server::new(), "the reference")
}
