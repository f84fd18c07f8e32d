//! Why there is no answer to look at, and whose fault that is.

use std::fmt;
use std::time::Duration;

use protocol::Version;
use wire::Malformed;

/// Why there is no answer to look at.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Failure {
    /// The target is described wrongly.
    #[error("the target makes no sense: {0}")]
    Unusable(String),
    /// The command could not be started.
    #[error("cannot start `{program}`: {why}")]
    NotStarted {
        /// The program.
        program: String,
        /// The system's reason, and the repair when there is one.
        why: String,
    },
    /// The connection could not be made.
    #[error("cannot reach {address}: {why}")]
    Unreachable {
        /// Host and port.
        address: String,
        /// The system's reason, and the repair when there is one.
        why: String,
    },
    /// The connection was made, but TLS failed.
    #[error("no TLS with {host}: {why}")]
    Tls {
        /// The host.
        host: String,
        /// What went wrong.
        why: String,
    },
    /// The target ended the connection, or died.
    #[error("the target was gone while {during}: {how}{stderr}")]
    Closed {
        /// What was going on.
        during: String,
        /// How it ended, as far as that is known.
        how: String,
        /// The last lines of stderr.
        stderr: Stderr,
    },
    /// The target answered with 404: it no longer knows the session.
    #[error("the target no longer knows the session: it answered {doing} with HTTP 404")]
    SessionLost {
        /// What was going on.
        doing: String,
    },
    /// The target took too long.
    #[error(
        "the target gave no answer to {waiting} within {} ms{}{}{stderr}",
        after.as_millis(),
        repair_of_start(*is_start),
        begin_of_stdout(stdout.as_deref())
    )]
    TimedOut {
        /// What was waited for.
        waiting: String,
        /// How long.
        after: Duration,
        /// Whether it is the start of the target that took too long.
        is_start: bool,
        /// The first line of stdout, if no answer ever came there.
        stdout: Option<String>,
        /// The last lines of stderr.
        stderr: Stderr,
    },
    /// The target does not speak HTTP.
    #[error("the target answered {doing} with something that is not HTTP: {why}")]
    NotHttp {
        /// What was going on.
        doing: String,
        /// The parser's reason, with the first bytes.
        why: String,
    },
    /// The target does not speak JSON-RPC.
    #[error("the target answered {doing} with something that is not JSON-RPC: {why}")]
    NotJsonRpc {
        /// What was going on.
        doing: String,
        /// What is wrong with it.
        why: Malformed,
        /// How long a message was waited for.
        after: Duration,
    },
    /// An HTTP response without the message that belongs there.
    #[error("the target answered {doing} with HTTP {status}{hint}", hint = hint(*status))]
    Status {
        /// What was going on.
        doing: String,
        /// The status.
        status: u16,
    },
    /// The target serves no requests at the moment, and says nothing about the request itself.
    #[error("{}", explain_unavailable(*status, said))]
    Unavailable {
        /// 429 if there are too many requests, or 503.
        status: u16,
        /// When to come back, if the target says so.
        retry_after: Option<Duration>,
        /// The start of the body.
        said: String,
    },
    /// An answer with neither a result nor an error for the request.
    #[error("the target ended its answer to {doing} without a response")]
    NoResponse {
        /// What was going on.
        doing: String,
    },
    /// A JSON-RPC error where the session depends on a result.
    #[error("the target refused {doing}: {message} ({code})")]
    Refused {
        /// What was going on.
        doing: String,
        /// The error's code.
        code: i64,
        /// The error's message.
        message: String,
    },
    /// The handshake ended in another revision.
    #[error("the target does not speak {asked}: it offers {offered}")]
    OtherVersion {
        /// What was asked for.
        asked: Version,
        /// What the target offered, as it spelled it.
        offered: String,
    },
    /// The GET of HTTP+SSE did not give an endpoint.
    #[error("the target has no HTTP+SSE endpoint: {why}")]
    NoEndpoint {
        /// What came instead.
        why: String,
    },
    /// The stream of HTTP+SSE opened, but does not say where to post.
    #[error("the target opens a stream of HTTP+SSE that is of no use: {why}")]
    BadEndpoint {
        /// What is wrong with it.
        why: String,
    },
    /// More than the limits allow.
    #[error("the target sent {what} of more than {limit} bytes")]
    TooLarge {
        /// What grew too large.
        what: String,
        /// The bound.
        limit: usize,
    },
    /// The target sent more than a session, or all of them, may receive.
    #[error("the target floods: it sent more than the {limit} bytes that a session or the run has room for")]
    Flooded {
        /// The bound.
        limit: usize,
    },
    /// An error of Yardstick itself.
    #[error("a fault of the tester itself: {0}")]
    Ours(String),
}

/// Who is to blame for a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Blame {
    /// The user: the target cannot be reached as it was described.
    User,
    /// The target: it was reached and misbehaved.
    Target,
    /// Yardstick.
    Ours,
}

/// The last lines that a process wrote to stderr.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stderr(pub Vec<String>);

impl Failure {
    /// Who is to blame.
    pub const fn blame(&self) -> Blame {
        match self {
            Self::Unusable(_) | Self::NotStarted { .. } | Self::Unreachable { .. } => Blame::User,
            Self::Tls { .. }
            | Self::Closed { .. }
            | Self::SessionLost { .. }
            | Self::TimedOut { .. }
            | Self::NotHttp { .. }
            | Self::NotJsonRpc { .. }
            | Self::Status { .. }
            | Self::Unavailable { .. }
            | Self::NoResponse { .. }
            | Self::Refused { .. }
            | Self::OtherVersion { .. }
            | Self::NoEndpoint { .. }
            | Self::BadEndpoint { .. }
            | Self::TooLarge { .. }
            | Self::Flooded { .. } => Blame::Target,
            Self::Ours(_) => Blame::Ours,
        }
    }

    /// Whether it is a timeout.
    pub const fn is_timeout(&self) -> bool {
        matches!(self, Self::TimedOut { .. })
    }

    /// Whether the target could not be reached at all, so that no other transport will work either.
    pub const fn is_unreachable(&self) -> bool {
        matches!(
            self,
            Self::Unusable(_) | Self::NotStarted { .. } | Self::Unreachable { .. } | Self::Tls { .. }
        )
    }

    pub(crate) fn timed_out(waiting: impl Into<String>, after: Duration) -> Self {
        let (is_start, stdout, stderr) = (false, None, Stderr::default());
        Self::TimedOut { waiting: waiting.into(), after, is_start, stdout, stderr }
    }

    pub(crate) fn closed(during: impl Into<String>, how: impl Into<String>) -> Self {
        Self::Closed { during: during.into(), how: how.into(), stderr: Stderr::default() }
    }

    /// The same failure where it kept a session from starting: a timeout names the option that waits longer.
    #[must_use]
    pub fn at_start(mut self) -> Self {
        if let Self::TimedOut { is_start, .. } = &mut self {
            *is_start = true;
        }
        self
    }

    /// The same failure with the first line of stdout, if there is one.
    pub(crate) fn with_stdout(mut self, first: Option<String>) -> Self {
        if let Self::TimedOut { stdout, .. } = &mut self {
            *stdout = first;
        } else if let Self::Closed { how, .. } = &mut self {
            how.push_str(&begin_of_stdout(first.as_deref()));
        }
        self
    }

    /// The same failure with the last lines of stderr.
    pub(crate) fn with_stderr(mut self, last: Stderr) -> Self {
        if let Self::Closed { stderr, .. } | Self::TimedOut { stderr, .. } = &mut self {
            *stderr = last;
        }
        self
    }
}

impl fmt::Display for Stderr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        f.write_str("; its stderr ends with:")?;
        self.0.iter().try_for_each(|line| write!(f, "\n  {line}"))
    }
}

fn explain_unavailable(status: u16, said: &str) -> String {
    if status == 429 {
        return "the server limits requests (HTTP 429): raise its limit while it is measured, or measure a part at a \
                time with --only and --protocol"
            .to_owned();
    }
    let said = if said.is_empty() { String::new() } else { format!(" and `{said}`") };
    format!(
        "the server says that it is unavailable (HTTP {status}{said}): look whether what stands behind it is running, \
         and whether it serves so many sessions"
    )
}

const fn repair_of_start(is_start: bool) -> &'static str {
    if is_start { "; --start-timeout SECONDS waits longer for a start" } else { "" }
}

fn begin_of_stdout(first: Option<&str>) -> String {
    first.map(|line| format!("; its stdout begins with `{line}`, which is not an answer")).unwrap_or_default()
}

const fn hint(status: u16) -> &'static str {
    match status {
        401 => "; it wants a token, and a valid one: give it with --bearer TOKEN, or in YARDSTICK_BEARER",
        403 => {
            "; it does not serve this Host, or wants other credentials: try `localhost` in the URL, or give a header"
        }
        404 | 405 => "; look at the path of the URL: common ones are /mcp and /sse",
        301 | 302 | 303 | 307 | 308 => "; redirects are not followed: give the final URL",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_repair() {
        let failure = Failure::Status { doing: "initialize".into(), status: 401 };
        assert_eq!(
            failure.to_string(),
            "the target answered initialize with HTTP 401; it wants a token, and a valid one: give it with --bearer \
             TOKEN, or in YARDSTICK_BEARER"
        );
    }

    /// A gateway whose process has gone limits nothing.
    #[test]
    fn a_server_that_is_unavailable_is_quoted() {
        let told = |status, said: &str| {
            Failure::Unavailable { status, retry_after: None, said: said.into() }.to_string()
        };
        assert!(told(503, "process gone").contains("unavailable (HTTP 503 and `process gone`)"));
        assert!(told(503, "").contains("unavailable (HTTP 503)"));
        assert!(told(429, "slow down").contains("limits requests (HTTP 429)"));
    }

    #[test]
    fn stderr_travels_with_the_failure() {
        let failure = Failure::closed("initialize", "exit status 1").with_stderr(Stderr(vec!["boom".into()]));
        assert_eq!(
            failure.to_string(),
            "the target was gone while initialize: exit status 1; its stderr ends with:\n  boom"
        );
        assert_eq!(failure.blame(), Blame::Target);
    }
}
