//! A process under test: started in a group of its own, watched, and shut down in order.

use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::stderr::{self, Tail};
use super::{Task, descendants, pipe::Ending};
use crate::client::bounded_recorder::BoundedRecorder;
use crate::client::failure::Stderr;
use crate::client::{Failure, Program};

/// How long after the end of stdout the exit status may come.
const EXIT_STATUS_TIMEOUT: Duration = Duration::from_millis(300);

/// A process under test. Dropping it kills its whole group.
#[derive(Debug)]
pub(crate) struct Child {
    pid: Option<u32>,
    group: Arc<group::Group>,
    kill: Arc<Notify>,
    exited: watch::Receiver<Option<ExitStatus>>,
    tail: Tail,
    stderr: watch::Receiver<bool>,
    _tasks: [Task; 2],
}

/// The step that ended a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// It had already ended.
    AlreadyExited,
    /// Its stdin was closed.
    StdinClosed,
    /// SIGTERM.
    Terminated,
    /// SIGKILL.
    Killed,
    /// Not even SIGKILL ended it in time.
    SurvivedKill,
}

/// How a process ended.
#[derive(Clone, Debug)]
pub struct ProcessEnd {
    /// The step that ended it.
    pub step: Step,
    /// Its exit status, if it is known.
    pub status: Option<ExitStatus>,
    /// Whether its own children outlived it. They were killed.
    pub left_children: bool,
    /// How long it took.
    pub took: Duration,
}

impl Child {
    pub(crate) fn spawn(
        program: &Program,
        record: &BoundedRecorder,
    ) -> Result<(Self, ChildStdin, ChildStdout), Failure> {
        let mut child =
            descendants::spawn(&mut command(program)).map_err(|why| not_started(program, &why))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(err)) = pipes else {
            return Err(Failure::Ours("a started process has no pipes".into()));
        };
        let (pid, tail, kill) = (child.id(), Tail::default(), Arc::new(Notify::new()));
        let group = Arc::new(group::Group::new(pid));
        let (said, exited) = watch::channel(None);
        let (drained, stderr) = watch::channel(false);
        let watcher = Task::spawn(reap(child, Arc::clone(&kill), Arc::clone(&group), said));
        let (kept, book) = (tail.clone(), record.clone());
        let reader = Task::spawn(async move {
            stderr::drain(err, book, kept).await;
            drained.send_replace(true);
        });
        Ok((Self { pid, group, kill, exited, tail, stderr, _tasks: [watcher, reader] }, stdin, stdout))
    }

    /// The process id.
    pub(crate) const fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// The last lines of stderr.
    pub(crate) fn stderr_tail(&self) -> Stderr {
        self.tail.last()
    }

    /// Tells the reader of stdout how the process ended.
    pub(crate) fn ending(&self) -> Ending {
        let (mut exited, mut stderr, tail) = (self.exited.clone(), self.stderr.clone(), self.tail.clone());
        Box::pin(async move {
            let news = async {
                let status = exited.wait_for(Option::is_some).await.ok().and_then(|status| *status);
                let _ = stderr.wait_for(|done| *done).await;
                status
            };
            match tokio::time::timeout(EXIT_STATUS_TIMEOUT, news).await.ok().flatten().or(*exited.borrow()) {
                Some(status) => (format!("it ended with {status}"), tail.last()),
                None => ("it closed its stdout".to_owned(), tail.last()),
            }
        })
    }

    /// Ends the process once its stdin was closed: waits, SIGTERM, waits, SIGKILL.
    pub(crate) async fn shut_down(&self, before: Option<ExitStatus>, step: Duration) -> ProcessEnd {
        let start = Instant::now();
        let (step, status) = match before {
            Some(status) => (Step::AlreadyExited, Some(status)),
            None => self.escalate(step).await,
        };
        let left_children = status.is_some() && self.group.is_alive();
        self.group.kill();
        ProcessEnd { step, status, left_children, took: start.elapsed() }
    }

    /// Waits until the process has ended or was dropped.
    pub(crate) fn exited(&self) -> impl Future<Output = ()> + Send + 'static + use<> {
        let mut exited = self.exited.clone();
        async move { drop(exited.wait_for(Option::is_some).await) }
    }

    /// The exit status, if it has ended.
    pub(crate) fn status(&self) -> Option<ExitStatus> {
        *self.exited.borrow()
    }

    async fn escalate(&self, step: Duration) -> (Step, Option<ExitStatus>) {
        if let status @ Some(_) = self.wait(step).await {
            return (Step::StdinClosed, status);
        }
        if self.group.terminate()
            && let status @ Some(_) = self.wait(step).await
        {
            return (Step::Terminated, status);
        }
        self.group.kill();
        self.kill.notify_one();
        match self.wait(step).await {
            status @ Some(_) => (Step::Killed, status),
            None => (Step::SurvivedKill, None),
        }
    }

    async fn wait(&self, patience: Duration) -> Option<ExitStatus> {
        let mut exited = self.exited.clone();
        tokio::time::timeout(patience, exited.wait_for(Option::is_some)).await.ok()?.ok().and_then(|s| *s)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.group.kill();
    }
}

fn command(program: &Program) -> Command {
    let mut command = Command::new(&program.program);
    command.args(&program.args).envs(program.env.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    if let Some(cwd) = &program.cwd {
        command.current_dir(cwd);
    }
    #[cfg(unix)]
    command.process_group(0);
    command
}

fn not_started(program: &Program, why: &std::io::Error) -> Failure {
    let repair = match why.kind() {
        _ if program.cwd.as_ref().is_some_and(|cwd| !cwd.is_dir()) => {
            "; its working directory does not exist"
        }
        _ if Path::new(&program.program).is_dir() => "; it is a directory: name the program in it",
        std::io::ErrorKind::NotFound if program.program.trim().contains(char::is_whitespace) => {
            "; the whole command stands in quotes: write its words without them"
        }
        std::io::ErrorKind::NotFound => "; is it installed and in PATH?",
        std::io::ErrorKind::PermissionDenied => "; is it executable?",
        _ => "",
    };
    Failure::NotStarted { program: program.program.clone(), why: format!("{why}{repair}") }
}

/// Reports the end of a process. It does so also when it is dropped, because the owner has killed the process then.
struct EndNotice(Option<u32>);

impl Drop for EndNotice {
    fn drop(&mut self) {
        descendants::note_end(self.0);
    }
}

async fn reap(
    mut child: tokio::process::Child,
    kill: Arc<Notify>,
    group: Arc<group::Group>,
    said: watch::Sender<Option<ExitStatus>>,
) {
    let _ended = EndNotice(child.id());
    let status = loop {
        tokio::select! {
            status = child.wait() => break status,
            // Without process groups this is the only way to kill it.
            () = kill.notified() => { let _ = child.start_kill(); }
        }
    };
    group.note_leader_ended();
    said.send_replace(status.ok());
}

#[cfg(unix)]
mod group {
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

    /// The process group of a target, so that what it starts dies with it.
    #[derive(Debug)]
    pub(super) struct Group {
        leader: Option<Pid>,
        empty: AtomicBool,
    }

    impl Group {
        pub(super) fn new(pid: Option<u32>) -> Self {
            let raw = pid.and_then(|pid| i32::try_from(pid).ok());
            Self { leader: raw.and_then(Pid::from_raw), empty: AtomicBool::new(false) }
        }

        /// From here on the system may reuse the number, unless members of the group are left.
        pub(super) fn note_leader_ended(&self) {
            let left = self.leader.is_some_and(|pid| test_kill_process_group(pid).is_ok());
            self.empty.store(!left, Ordering::Relaxed);
        }

        pub(super) fn is_alive(&self) -> bool {
            self.members().is_some_and(|pid| test_kill_process_group(pid).is_ok())
        }

        pub(super) fn terminate(&self) -> bool {
            self.members().is_some_and(|pid| kill_process_group(pid, Signal::TERM).is_ok())
        }

        pub(super) fn kill(&self) {
            if let Some(pid) = self.members() {
                // It fails when no process is left, which is what we want.
                let _ = kill_process_group(pid, Signal::KILL);
            }
        }

        fn members(&self) -> Option<Pid> {
            self.leader.filter(|_| !self.empty.load(Ordering::Relaxed))
        }
    }
}

#[cfg(not(unix))]
mod group {
    /// Without process groups only the process itself can be ended.
    #[derive(Debug)]
    pub(super) struct Group;

    impl Group {
        pub(super) fn new(_: Option<u32>) -> Self {
            Self
        }
        pub(super) fn note_leader_ended(&self) {}
        pub(super) fn is_alive(&self) -> bool {
            false
        }
        pub(super) fn terminate(&self) -> bool {
            false
        }
        pub(super) fn kill(&self) {}
    }
}
