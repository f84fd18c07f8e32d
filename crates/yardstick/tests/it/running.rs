//! A server of our own that runs beside the test.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use crate::SELF;

/// `yardstick serve` over HTTP, until it is dropped.
pub(crate) struct Running {
    child: Child,
    pub(crate) url: String,
}

impl Running {
    /// Serves on a free port, with more arguments.
    pub(crate) fn serve(arguments: &[&str]) -> Self {
        Self::serve_with(arguments, &[])
    }

    /// The same, with more variables.
    pub(crate) fn serve_with(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(SELF);
        command.args(["serve", "--http", "127.0.0.1:0"]).args(arguments).envs(variables.iter().copied());
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        Self { child, url: line.trim().to_owned() }
    }

    /// Host and port.
    pub(crate) fn address(&self) -> &str {
        self.url.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp")).unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
