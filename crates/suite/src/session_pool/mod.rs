//! The sessions of one revision that checks use: one that all share, and those that one check at a time has for itself.

mod exclusive;
mod shared;

use transport::client::Session;

use crate::connector::Connector;
use crate::expect::Ask;
use crate::run_cx::Slot;

pub use exclusive::ExclusiveSession;
use exclusive::ExclusiveSessions;
use shared::SharedSession;

/// The sessions of one revision that checks use. It knows nothing of what was learnt on them.
#[derive(Debug)]
pub(crate) struct SessionPool {
    pub(crate) connector: Connector,
    shared: SharedSession,
    exclusive: ExclusiveSessions,
}

impl SessionPool {
    pub(crate) fn new(connector: Connector) -> Self {
        let exclusive = ExclusiveSessions::new(connector.is_piped());
        Self { connector, shared: SharedSession::default(), exclusive }
    }

    /// Takes over a session that is open already as the shared one.
    pub(crate) fn share(&self, session: Session, slot: Slot) {
        self.connector.take_over(&session, slot);
        self.shared.set(session);
    }

    /// A request on `session`.
    pub(crate) fn request_on(&self, session: &Session, method: &str) -> Ask<'_> {
        Ask::new(self, session.clone(), session.request(method), method)
    }

    /// A notification on `session`.
    pub(crate) fn notification_on(&self, session: &Session, method: &str) -> Ask<'_> {
        Ask::new(self, session.clone(), session.notification(method), method)
    }
}
