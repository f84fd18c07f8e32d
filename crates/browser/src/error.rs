//! What can go wrong with a browser, and what to do about it.

use std::time::Duration;

/// Why the browser did not do what it was asked for.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// There is no Chromium on this machine.
    #[error(
        "no browser found, tried {tried}; install Chromium (Debian: apt-get install chromium) or name one in \
         YARDSTICK_BROWSER"
    )]
    NotFound {
        /// What was looked for, and where.
        tried: String,
    },
    /// The browser could not be started.
    #[error("cannot start the browser {program}: {why}")]
    NotStarted {
        /// The program.
        program: String,
        /// The system's reason.
        why: String,
    },
    /// The process ended, or closed its pipe.
    #[error("the browser is gone: {how}{stderr}")]
    Gone {
        /// How it went, as far as it shows.
        how: String,
        /// The end of its stderr, ready to be shown; may be empty.
        stderr: String,
    },
    /// A command got no answer in time.
    #[error("the browser gave no answer to {waiting} within {} ms", after.as_millis())]
    Silent {
        /// The command.
        waiting: String,
        /// How long.
        after: Duration,
    },
    /// What came through the pipe is no message.
    #[error("the browser sent what is no message of its protocol: {why}")]
    Garbled {
        /// What is wrong, with the start of what came.
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
    /// The page's own script threw.
    #[error("the script threw in {url}: {message}")]
    Script {
        /// The document that it ran in.
        url: String,
        /// What was thrown.
        message: String,
    },
    /// The document was left, or its frame removed, before the script was done.
    #[error("the document {url} was left before the script was done")]
    Left {
        /// The document.
        url: String,
    },
    /// The renderer of a page or frame died.
    #[error("the renderer of {url} crashed")]
    Crashed {
        /// What it showed.
        url: String,
    },
    /// The page, popup or worker is not there any more.
    #[error("{what} is closed")]
    Closed {
        /// What was closed.
        what: String,
    },
    /// A page could not be loaded.
    #[error("cannot load {url}: {why}")]
    NotLoaded {
        /// Its address.
        url: String,
        /// The browser's reason.
        why: String,
    },
    /// Something that was waited for did not come.
    #[error("{what} did not come within {} ms{hint}", after.as_millis())]
    NeverCame {
        /// What was waited for.
        what: String,
        /// How long.
        after: Duration,
        /// What was there instead, ready to be shown; may be empty.
        hint: String,
    },
    /// There is no such key.
    #[error("unknown key {key:?}; use names such as Enter, Tab, ArrowDown, a or Control+a")]
    NoSuchKey {
        /// What was asked for.
        key: String,
    },
    /// A folder or file of this end could not be made or read.
    #[error("cannot use {path}: {why}")]
    Disk {
        /// Which.
        path: String,
        /// The system's reason.
        why: String,
    },
}

impl Error {
    /// Whether the whole browser is lost, so that no other command is worth trying.
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

    pub(crate) fn never_came(what: impl Into<String>, after: Duration) -> Self {
        Self::NeverCame { what: what.into(), after, hint: String::new() }
    }

    /// The same error with what was there instead.
    pub(crate) fn but(mut self, instead: impl AsRef<str>) -> Self {
        if let Self::NeverCame { hint, .. } = &mut self {
            *hint = format!("; {}", instead.as_ref());
        }
        self
    }

    pub(crate) fn disk(path: &std::path::Path, why: &std::io::Error) -> Self {
        Self::Disk { path: path.display().to_string(), why: why.to_string() }
    }
}
