//! A child process that cannot outlive its test.

use std::io::{BufRead as _, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const POLL: Duration = Duration::from_millis(5);

/// A running child; it is killed when this is dropped.
pub(crate) struct Process {
    child: Child,
    name: String,
    lines: Receiver<String>,
    errors: Arc<Mutex<String>>,
}

/// What a child left behind.
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) lines: Vec<String>,
    pub(crate) errors: String,
}

impl Process {
    pub(crate) fn start(mut command: Command) -> Self {
        let name = format!("{command:?}");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{name} does not start: {error}"));
        let stdout = child.stdout.take().expect("stdout is piped");
        let stderr = child.stderr.take().expect("stderr is piped");
        Self { lines: read_lines(stdout), errors: read_all(stderr), child, name }
    }

    /// The next line on stdout.
    pub(crate) fn line(&self, limit: Duration) -> String {
        match self.lines.recv_timeout(limit) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => self.blame(&format!("printed nothing for {limit:?}")),
            Err(RecvTimeoutError::Disconnected) => self.blame("ended before it printed a line"),
        }
    }

    /// Waits until the child has ended by itself.
    pub(crate) fn finish(mut self, limit: Duration) -> Finished {
        let end = Instant::now() + limit;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                break status;
            }
            if Instant::now() > end {
                self.blame(&format!("did not end within {limit:?}"));
            }
            thread::sleep(POLL);
        };
        let lines = std::iter::from_fn(|| self.lines.recv_timeout(limit).ok()).collect();
        Finished { status, lines, errors: self.errors() }
    }

    fn errors(&self) -> String {
        self.errors.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn blame(&self, what: &str) -> ! {
        let printed: Vec<_> = self.lines.try_iter().collect();
        panic!("{} {what}\nstdout:\n{}\nstderr:\n{}", self.name, printed.join("\n"), self.errors());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already, and then there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_lines(source: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(source).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

fn read_all(source: impl Read + Send + 'static) -> Arc<Mutex<String>> {
    let all = Arc::new(Mutex::new(String::new()));
    let target = Arc::clone(&all);
    thread::spawn(move || {
        for line in BufReader::new(source).lines().map_while(Result::ok) {
            let mut text = target.lock().unwrap_or_else(PoisonError::into_inner);
            text.push_str(&line);
            text.push('\n');
        }
    });
    all
}
