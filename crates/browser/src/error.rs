//! Errors of the browser, with what to do about them.

use std::time::Duration;

/// Why a command to the browser failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BrowserError {
    /// There is no Chromium on this machine.
    #[error(
        "no browser found, tried {tried}; install Chromium (Debian: apt-get install chromium) or name one in \
         YARDSTICK_BROWSER"
    )]
    NotFound {
        /// The programs that were looked for, and where.
        tried: String,
    },
    /// The browser could not be started.
    #[error("cannot start the browser {program}: {why}")]
    NotStarted {
        /// The program.
        program: String,
        /// The operating system's reason.
        why: String,
    },
    /// The process ended, or closed its pipe.
    #[error("the browser is gone: {how}{stderr}")]
    Gone {
        /// How the process ended, as far as it is known.
        how: String,
        /// The last lines of stderr, ready to print; may be empty.
        stderr: String,
    },
    /// A command timed out.
    #[error("the browser did not respond to {waiting} within {} ms", after.as_millis())]
    Silent {
        /// The command.
        waiting: String,
        /// The timeout.
        after: Duration,
    },
    /// A message on the pipe cannot be parsed.
    #[error("the browser sent an invalid message: {why}")]
    Garbled {
        /// What is wrong, with the start of the message.
        why: String,
    },
    /// The browser answered a command with an error.
    #[error("the browser refused {method}: {message}")]
    Refused {
        /// The command.
        method: String,
        /// The browser's reason.
        message: String,
    },
    /// The page's script threw an error.
    #[error("the script threw in {url}: {message}")]
    Script {
        /// The document that it ran in.
        url: String,
        /// The thrown error.
        message: String,
    },
    /// The document was left, or its frame removed, before the script had finished.
    #[error("the document {url} was left before the script was done")]
    Left {
        /// The document.
        url: String,
    },
    /// The renderer process of a page or frame crashed.
    #[error("the renderer of {url} crashed")]
    Crashed {
        /// The document that it showed.
        url: String,
    },
    /// The page, popup or worker no longer exists.
    #[error("{what} is closed")]
    Closed {
        /// What was closed.
        what: String,
    },
    /// A page could not be loaded.
    #[error("cannot load {url}: {why}")]
    NotLoaded {
        /// The URL.
        url: String,
        /// The browser's reason.
        why: String,
    },
    /// A wait timed out.
    #[error("timed out after {} ms waiting for {what}{hint}", after.as_millis())]
    NeverCame {
        /// What the caller waited for.
        what: String,
        /// The timeout.
        after: Duration,
        /// What was there instead, ready to print; may be empty.
        hint: String,
    },
    /// There is no such key.
    #[error("unknown key {key:?}; use names such as Enter, Tab, ArrowDown, a or Control+a")]
    NoSuchKey {
        /// The key that was asked for.
        key: String,
    },
    /// A local file or folder could not be created or read.
    #[error("cannot use {path}: {why}")]
    Disk {
        /// The path.
        path: String,
        /// The operating system's reason.
        why: String,
    },
}

impl BrowserError {
    /// Whether the whole browser is lost, so that further commands are pointless.
    pub const fn is_fatal(&self) -> bool {
        match self {
            Self::NotFound { .. }
            | Self::NotStarted { .. }
            | Self::Gone { .. }
            | Self::Garbled { .. }
            | Self::Disk { .. } => true,
            Self::Silent { .. }
            | Self::Refused { .. }
            | Self::Script { .. }
            | Self::Left { .. }
            | Self::Crashed { .. }
            | Self::Closed { .. }
            | Self::NotLoaded { .. }
            | Self::NeverCame { .. }
            | Self::NoSuchKey { .. } => false,
        }
    }

    pub(crate) fn timed_out(what: impl Into<String>, after: Duration) -> Self {
        Self::NeverCame { what: what.into(), after, hint: String::new() }
    }

    /// Adds what was there instead to a wait that timed out.
    pub(crate) fn instead(mut self, instead: impl AsRef<str>) -> Self {
        if let Self::NeverCame { hint, .. } = &mut self {
            *hint = format!("; {}", instead.as_ref());
        }
        self
    }

    pub(crate) fn disk(path: &std::path::Path, why: &std::io::Error) -> Self {
        Self::Disk { path: path.display().to_string(), why: why.to_string() }
    }
}
