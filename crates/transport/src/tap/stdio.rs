//! Stands in for a process that speaks MCP on its standard streams.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::process::{Child, Command};
use wire::Direction;

use super::note::{Piece, RecordSender, UntilRecorded};

/// How long the streams are read after the process has ended: its own children may hold them open.
const LINGER: Duration = Duration::from_secs(1);

/// The streams of the client.
#[derive(Debug)]
pub struct Streams<I, O, E> {
    /// What the client writes.
    pub input: I,
    /// What the client reads.
    pub output: O,
    /// Where stderr goes.
    pub errors: E,
}

/// Starts `program` and stands in for it until it ends. Bytes, ends of streams and signals are passed on.
pub async fn run<I, O, E>(
    program: &str,
    arguments: &[String],
    streams: Streams<I, O, E>,
    record: &RecordSender,
) -> std::io::Result<ExitStatus>
where
    I: AsyncRead + Send + Unpin + 'static,
    O: AsyncWrite + Send + Unpin + 'static,
    E: AsyncWrite + Send + Unpin + 'static,
{
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.kill_on_drop(true).spawn()?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (up, down, aside) = (record.clone(), record.clone(), record.clone());
    let asking = tokio::spawn(async move {
        if let Some(stdin) = stdin {
            pass_input(streams.input, stdin, &up).await;
        }
    });
    let answering = tokio::spawn(async move {
        if let Some(stdout) = stdout {
            pass_stream(stdout, streams.output, |bytes| {
                down.note(Direction::ToClient, 0, Piece::Bytes(bytes))
            })
            .await;
        }
    });
    let complaining = tokio::spawn(async move {
        if let Some(stderr) = stderr {
            pass_stream(stderr, streams.errors, |bytes| {
                aside.note(Direction::ToClient, 0, Piece::Stderr(bytes))
            })
            .await;
        }
    });
    let status = wait_and_pass_signals(&mut child).await?;
    // What was written before the end may still be on its way.
    let rest = futures_util::future::join(answering, complaining);
    let _ = tokio::time::timeout(LINGER, rest).await;
    asking.abort();
    record.note(Direction::ToClient, 0, Piece::End(Some(format!("it ended with {status}")))).await;
    Ok(status)
}

/// Passes on what the client writes, and the end of its input.
async fn pass_input(
    mut input: impl AsyncRead + Unpin,
    stdin: impl AsyncWrite + Unpin,
    record: &RecordSender,
) {
    let up = |bytes| record.note(Direction::ToServer, 0, Piece::Bytes(bytes));
    if !pass_stream(&mut input, stdin, up).await {
        // The process no longer reads. The rest is discarded, so that the client does not block.
        let _ = tokio::io::copy(&mut input, &mut tokio::io::sink()).await;
    }
    record.note(Direction::ToServer, 0, Piece::End(None)).await;
}

/// Passes on until the end of `from`; false when `to` is closed.
async fn pass_stream(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    note: impl Fn(Bytes) -> UntilRecorded,
) -> bool {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        note(Bytes::copy_from_slice(&buffer[..count])).await;
        if to.write_all(&buffer[..count]).await.is_err() || to.flush().await.is_err() {
            return false;
        }
    }
    // The reader sees the end, too.
    let _ = to.shutdown().await;
    true
}

/// Waits for the end of the process, and passes on signals meanwhile. A process that ignores the first termination
/// signal is killed on the second.
#[cfg(unix)]
async fn wait_and_pass_signals(child: &mut Child) -> std::io::Result<ExitStatus> {
    use std::io::IsTerminal as _;

    use rustix::process::Signal;
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut quit = signal(SignalKind::quit())?;
    // A terminal sends its signals to the process, too.
    let typed = std::io::stdin().is_terminal() || std::io::stderr().is_terminal();
    let mut was_told = false;
    loop {
        let signal = tokio::select! {
            status = child.wait() => return status,
            _ = terminate.recv() => Signal::TERM,
            _ = hang_up.recv() => Signal::HUP,
            _ = interrupt.recv() => Signal::INT,
            _ = quit.recv() => Signal::QUIT,
        };
        if was_told {
            child.start_kill()?;
            continue;
        }
        // Some programs reload their configuration on a hang-up.
        was_told = signal != Signal::HUP;
        let has_it = typed && (signal == Signal::INT || signal == Signal::QUIT);
        let pid = child.id().and_then(|pid| i32::try_from(pid).ok()).and_then(rustix::process::Pid::from_raw);
        if let Some(pid) = pid.filter(|_| !has_it) {
            // It may have just ended, which the loop finds next.
            let _ = rustix::process::kill_process(pid, signal);
        }
    }
}

/// Waits for the end.
#[cfg(not(unix))]
async fn wait_and_pass_signals(child: &mut Child) -> std::io::Result<ExitStatus> {
    child.wait().await
}
