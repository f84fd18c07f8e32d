//! All that the binary says goes through here, and nothing else in it writes to stdout or stderr.
//!
//! Secrets are hidden, what acts on a terminal is shown as an escape, and a write that fails is an error, never a panic. A pipe
//! that the reader closes, as `head` does, is not an error. Text is either *plain*, without any control sequence, or *styled* by
//! our own reports, where only colours pass: `report::visible` has made foreign text harmless before. Data for machines passes
//! unchanged.

use std::io::{self, IsTerminal as _, Stdout, Write};
use std::sync::{PoisonError, RwLock};

use anyhow::Context as _;
use transport::secrets::Secrets;

/// What must not be shown. It is filled before anything is said, and grows when a configuration is read.
static SECRETS: RwLock<Option<Secrets>> = RwLock::new(None);

/// Hides these too from now on.
pub(crate) fn hide_secrets(secrets: &Secrets) {
    let mut known = SECRETS.write().unwrap_or_else(PoisonError::into_inner);
    *known = Some(known.as_ref().map_or_else(|| secrets.clone(), |known| known.and(secrets)));
}

/// Uses colours always or never, whatever the terminal and the environment say.
pub(crate) fn force_colors(always: bool) {
    let choice = if always { anstream::ColorChoice::Always } else { anstream::ColorChoice::Never };
    choice.write_global();
}

/// Prints plain text.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    print_safe(&report::visible_lines(&without_secrets(text)))
}

/// Prints text with colours of our own.
pub(crate) fn print_styled(text: &str) -> anyhow::Result<()> {
    print_safe(&report::visible_but_styles(&without_secrets(text)))
}

fn print_safe(text: &str) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    accept(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Prints data for machines as it is; in it an escape is data too.
pub(crate) fn print_data(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    accept(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Where data for machines goes piece by piece.
pub(crate) fn data() -> Stdout {
    io::stdout()
}

/// Prints a warning on stderr. Further lines are indented, so that foreign text cannot look like another message.
pub(crate) fn warn(text: &str) {
    let text = without_secrets(text);
    let mut lines = text.trim_end().lines();
    let mut said = report::visible(lines.next().unwrap_or_default()).into_owned();
    for line in lines {
        said.push_str(if line.starts_with("  ") { "\n" } else { "\n  " });
        said.push_str(&report::visible(line));
    }
    said.push('\n');
    // There is no other place to report that stderr is gone.
    let _ = anstream::stderr().write_all(said.as_bytes());
}

/// Prints styled text on stderr.
pub(crate) fn warn_styled(text: &str) {
    let said = report::visible_but_styles(&without_secrets(text)).into_owned();
    let _ = anstream::stderr().write_all(said.as_bytes());
}

/// Makes text safe to show outside this file, as the progress line does.
pub(crate) fn one_line(text: &str) -> String {
    report::visible(&without_secrets(text)).into_owned()
}

/// Text without colours.
pub(crate) fn strip_styles(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// Whether stdout is a terminal.
pub(crate) fn is_stdout_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether stderr is a terminal.
pub(crate) fn is_stderr_terminal() -> bool {
    io::stderr().is_terminal()
}

fn without_secrets(text: &str) -> String {
    let secrets = SECRETS.read().unwrap_or_else(PoisonError::into_inner);
    secrets.as_ref().map_or_else(|| text.to_owned(), |secrets| secrets.hide(text).into_owned())
}

fn accept(written: io::Result<()>) -> anyhow::Result<()> {
    match written {
        // A reader that closes the pipe, as `head` does, wants no more.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("stdout cannot be written to"),
    }
}
