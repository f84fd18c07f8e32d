//! Servers that are slow, each in its own way: they are judged like any other. The clock of these tests is not the real one.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use suite::{Options, Outcome, run};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::time::Instant;
use transport::client::Target;

use crate::reference::piped;

/// How long a server works on a line, as the first of its session or later.
type Delay = fn(&str, bool) -> Duration;

/// The reference server, behind a pipe that `carry` carries the lines of, from the first to the second end.
fn behind<F, Fut>(carry: F) -> Target
where
    F: Fn(ReadHalf<DuplexStream>, WriteHalf<DuplexStream>) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = ()> + Send + 'static,
{
    let Target::InProcess(connect) = piped([]).target else { panic!("not a pipe") };
    Target::InProcess(Arc::new(move || -> DuplexStream {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (from_client, mut to_client) = tokio::io::split(theirs);
        let (mut from_server, to_server) = tokio::io::split(connect.dial());
        tokio::spawn(carry(from_client, to_server));
        tokio::spawn(async move { tokio::io::copy(&mut from_server, &mut to_client).await });
        ours
    }))
}

/// The reference server, behind a pipe that hands on one line at a time, and waits before each.
fn delayed(delay: Delay) -> Target {
    behind(move |from, mut to| async move {
        let mut lines = BufReader::new(from);
        let mut first = true;
        while let Some(line) = read_line(&mut lines).await {
            tokio::time::sleep(delay(&line, first)).await;
            first = false;
            if to.write_all(line.as_bytes()).await.is_err() {
                break;
            }
        }
        let _ = to.shutdown().await;
    })
}

/// The reference server, behind a pipe on which every line takes its time, beside the others.
fn far_away(time: Duration) -> Target {
    behind(move |from, mut to| async move {
        let (sender, mut due) = tokio::sync::mpsc::unbounded_channel::<(Instant, String)>();
        tokio::spawn(async move {
            let mut lines = BufReader::new(from);
            while let Some(line) = read_line(&mut lines).await {
                let _ = sender.send((Instant::now() + time, line));
            }
        });
        while let Some((at, line)) = due.recv().await {
            tokio::time::sleep_until(at).await;
            if to.write_all(line.as_bytes()).await.is_err() {
                break;
            }
        }
        let _ = to.shutdown().await;
    })
}

async fn read_line(lines: &mut (impl AsyncBufRead + Unpin)) -> Option<String> {
    let mut bytes = Vec::new();
    let read = lines.read_until(b'\n', &mut bytes).await.ok()?;
    (read > 0).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// What of a run with the usual options is neither passed nor not applicable.
async fn trouble(target: &Target) -> Vec<String> {
    let report = run(target, "", &Options::default(), |_| {}).await.unwrap();
    let measured: BTreeSet<_> = report.cases.iter().map(|case| case.protocol).collect();
    assert_eq!(measured.len(), 5, "{measured:?}");
    let fine = [Outcome::Passed, Outcome::NotApplicable];
    let cases = report.cases.iter().filter(|case| !fine.contains(&case.outcome));
    let told = cases.map(|case| (case, case.actual.as_deref().unwrap_or_default()));
    told.map(|(case, actual)| format!("{} {} {} {actual}", case.check, case.protocol, case.outcome)).collect()
}

#[tokio::test(start_paused = true)]
async fn a_server_that_works_on_one_request_at_a_time() {
    let delay: Delay = |line, _| {
        let asks = line.contains(r#""method""#) && line.contains(r#""id""#);
        if asks { Duration::from_millis(2300) } else { Duration::ZERO }
    };
    assert_eq!(trouble(&delayed(delay)).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_far_away() {
    assert_eq!(trouble(&far_away(Duration::from_millis(2300))).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_server_whose_lists_hold_up_all_else() {
    let delay: Delay =
        |line, _| if line.contains("/list\"") { Duration::from_millis(3300) } else { Duration::ZERO };
    assert_eq!(trouble(&delayed(delay)).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_takes_long_to_start() {
    let delay: Delay = |_, first| if first { Duration::from_secs(20) } else { Duration::ZERO };
    assert_eq!(trouble(&delayed(delay)).await, [""; 0]);
}
