//! The browser's processes. They run in a process group of their own and end together.

use std::collections::VecDeque;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use crate::BrowserError;

/// Chromium reads commands from file descriptor 3 and writes to 4. A shell moves the pipes there, because Rust could
/// do that only with unsafe code.
const MOVE_PIPES: &str = r#"exec "$@" 3<&0 4>&1 0</dev/null 1>&2"#;
/// How long after the pipe's end the process may take to exit, and how long a killed process may take.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);
const MAX_STDERR_LINES: usize = 12;
/// Lines that Chromium writes on every machine without a desktop.
const IGNORED_STDERR: [&str; 2] = ["dbus/", "devtools_pipe_handler"];

/// The running browser. Dropping it kills all of its processes.
#[derive(Debug)]
pub(crate) struct Process {
    child: Arc<Mutex<Child>>,
    tail: StderrTail,
    pid: Option<u32>,
    /// Set once the group has been killed, because its id may by then belong to other processes.
    over: Arc<AtomicBool>,
}

/// The ends of the pipe to the browser.
pub(crate) struct Pipes {
    pub(crate) to: ChildStdin,
    pub(crate) from: ChildStdout,
}

/// The last lines of the browser's stderr.
#[derive(Clone, Debug, Default)]
struct StderrTail(Arc<Mutex<VecDeque<String>>>);

impl Process {
    pub(crate) fn start(program: &Path, args: &[String]) -> Result<(Self, Pipes), BrowserError> {
        let not_started = |why: &dyn std::fmt::Display| BrowserError::NotStarted {
            program: program.display().to_string(),
            why: why.to_string(),
        };
        let mut command = Command::new("sh");
        command.args(["-c", MOVE_PIPES, "sh"]).arg(program).args(args).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn().map_err(|why| not_started(&why))?;
        let (Some(to), Some(from), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(not_started(&"it has no pipes"));
        };
        let (pid, tail) = (child.id(), StderrTail::default());
        tokio::spawn(tail.clone().follow(stderr));
        Ok((Self { child: Arc::new(Mutex::new(child)), tail, pid, over: Arc::default() }, Pipes { to, from }))
    }

    /// The process id, which is also the id of its group.
    pub(crate) const fn id(&self) -> Option<u32> {
        self.pid
    }

    /// Resolves to the error that says how the process ended. To be awaited once the pipe is closed.
    pub(crate) fn ending(&self) -> impl Future<Output = BrowserError> + Send + use<> {
        let (child, tail, pid) = (Arc::clone(&self.child), self.tail.clone(), self.pid);
        let over = Arc::clone(&self.over);
        async move {
            let end = Instant::now() + EXIT_TIMEOUT;
            loop {
                let status = lock(&child).try_wait().ok().flatten();
                if status.is_some() && !over.swap(true, Ordering::Relaxed) {
                    group::kill(pid);
                }
                if status.is_some() || Instant::now() > end {
                    // The last lines of stderr may still arrive.
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    return BrowserError::Gone { how: how(status), stderr: tail.to_string() };
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let mut child = lock(&self.child);
        if !self.over.swap(true, Ordering::Relaxed) {
            group::kill(self.pid);
        }
        let end = Instant::now() + EXIT_TIMEOUT * 4;
        while child.try_wait().is_ok_and(|status| status.is_none()) && Instant::now() < end {
            let _ = child.start_kill();
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl StderrTail {
    async fn follow(self, stderr: ChildStderr) {
        let mut lines = BufReader::new(stderr).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            if IGNORED_STDERR.iter().any(|noise| line.contains(noise)) {
                continue;
            }
            let mut kept = lock(&self.0);
            kept.push_back(line.chars().take(400).collect());
            if kept.len() > MAX_STDERR_LINES {
                kept.pop_front();
            }
        }
    }
}

impl std::fmt::Display for StderrTail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lines = lock(&self.0);
        if !lines.is_empty() {
            f.write_str("; its stderr ends with:")?;
        }
        lines.iter().try_for_each(|line| write!(f, "\n  {line}"))
    }
}

fn how(status: Option<ExitStatus>) -> String {
    match status.map(|status| (status, status.code())) {
        Some((_, Some(127))) => "it could not be run (exit status: 127)".into(),
        Some((status, _)) => format!("it ended with {status}"),
        None => "it closed its debugging pipe".into(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
mod group {
    use rustix::process::{Pid, Signal, kill_process_group};

    /// Kills the process group. It is fine if no process is left.
    pub(super) fn kill(leader: Option<u32>) {
        let leader = leader.and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
        if let Some(leader) = leader {
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

#[cfg(not(unix))]
mod group {
    pub(super) fn kill(_: Option<u32>) {}
}
