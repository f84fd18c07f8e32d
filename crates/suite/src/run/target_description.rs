//! What reports say of the target: how it is reached, and how the server calls itself.

use transport::client::{Session, Target};

use crate::{ServerName, TargetReport};

/// How the server calls itself.
pub(super) fn server_name(session: &Session) -> ServerName {
    let info = session.server().info.unwrap_or_default();
    let text = |name: &str| info[name].as_str().map(str::to_owned);
    ServerName { name: text("name"), version: text("version") }
}

/// The target, with what the server says of itself on `session`.
pub(super) fn describe(target: &Target, arguments: &str, session: Option<&Session>) -> TargetReport {
    let server = session.map(server_name).unwrap_or_default();
    TargetReport {
        description: target.describe(),
        arguments: arguments.to_owned(),
        transport: session.map(|session| session.transport_name().to_owned()).unwrap_or_default(),
        speaks: Vec::new(),
        name: server.name,
        version: server.version,
        at: Some(crate::clock::now()),
    }
}
