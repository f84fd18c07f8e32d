//! The time of day, for reports.

use std::time::SystemTime;

use wire::rfc3339::format_seconds;

/// Now, as in RFC 3339, in UTC, to the second.
pub(crate) fn now() -> String {
    format_seconds(SystemTime::now())
}
