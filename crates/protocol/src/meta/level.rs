//! The severities of log messages, from RFC 5424.

use std::fmt;
use std::str::FromStr;

/// The severity of a log message, least severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    /// Details for whoever debugs.
    Debug,
    /// Something happened.
    Info,
    /// Something worth noticing happened.
    Notice,
    /// Something may go wrong.
    Warning,
    /// Something went wrong.
    Error,
    /// A component failed.
    Critical,
    /// Somebody must act at once.
    Alert,
    /// Nothing works any more.
    Emergency,
}

/// A string that names no severity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a log level; the levels are {levels}", levels = LogLevel::ALL.map(LogLevel::as_str).join(", "))]
pub struct UnknownLevel(pub String);

impl LogLevel {
    /// Every severity, least severe first.
    pub const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }
}

impl fmt::Display for LogLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for LogLevel {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|level| level.as_str() == text)
            .ok_or_else(|| UnknownLevel(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_names_and_an_order() {
        for level in LogLevel::ALL {
            assert_eq!(level.as_str().parse(), Ok(level));
        }
        assert!(LogLevel::Debug < LogLevel::Warning && LogLevel::Alert < LogLevel::Emergency);
        let error = "warn".parse::<LogLevel>().unwrap_err().to_string();
        assert!(error.contains("`warn`") && error.contains("warning"), "{error}");
    }
}
