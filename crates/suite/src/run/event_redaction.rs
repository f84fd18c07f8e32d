//! Events without the secrets of the target.

use transport::secrets::Secrets;

use crate::{Event, ServerName};

/// An event without the secrets of the target.
pub(crate) fn redact_event(secrets: &Secrets, event: Event) -> Event {
    let hide = |text: &str| secrets.hide(text).into_owned();
    match event {
        Event::Finished(case) => Event::Finished(case.redacted(hide)),
        Event::Reached(target) => Event::Reached(target.redacted(hide)),
        Event::Unreached { target, why } => {
            Event::Unreached { target: target.redacted(hide), why: hide(&why) }
        }
        Event::Absent { version, why } => Event::Absent { version, why: hide(&why) },
        Event::Unsettled { version, why } => Event::Unsettled { version, why: hide(&why) },
        Event::UnusedEntry { entry, why } => Event::UnusedEntry { entry: hide(&entry), why: hide(&why) },
        Event::Spoken { version, server } => Event::Spoken {
            version,
            server: ServerName {
                name: server.name.as_deref().map(hide),
                version: server.version.as_deref().map(hide),
            },
        },
        Event::Viewed(app) => Event::Viewed(app.redacted(hide)),
        Event::Began { .. } | Event::Surveyed { .. } | Event::Interrupted | Event::Ended { .. } => event,
    }
}
