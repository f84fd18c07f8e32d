//! Well-behaved clients during an attack: one keeps its connection, the other opens a new one for each request.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::wire;

/// How long the two pause between requests.
const KEPT_PAUSE: Duration = Duration::from_millis(20);
const FRESH_PAUSE: Duration = Duration::from_millis(50);

/// The clients, on a thread of their own so that the attackers do not delay them.
pub(crate) struct Healthy {
    stop: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<Result<Report>>,
}

/// What they experienced.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) waits: Vec<Duration>,
    pub(crate) let_down: usize,
    /// The first reason.
    pub(crate) why: Option<String>,
}

impl Healthy {
    pub(crate) fn start(address: SocketAddr) -> Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::Builder::new().name("healthy".to_owned()).spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let session = wire::session(address, "2025-11-25").await?;
                // One more session stays idle, to see at the end whether the server still knows it.
                let idle = wire::session(address, "2025-11-25").await?;
                let (kept, fresh) =
                    tokio::join!(keep(address, &session, &stopped), reconnect(address, &session, &stopped));
                let mut report = kept;
                report.add(fresh);
                report.note(ask_fresh(address, &idle).await.context("the session that only waited"));
                Ok(report)
            })
        })?;
        Ok(Self { stop, thread })
    }

    pub(crate) async fn stop(self) -> Result<Report> {
        self.stop.store(true, Ordering::Relaxed);
        let ended = tokio::task::spawn_blocking(|| self.thread.join()).await?;
        ended.map_err(|_| anyhow::anyhow!("the well-behaved clients broke"))?
    }
}

impl Report {
    /// The wait that 99 of 100 requests did not exceed.
    pub(crate) fn p99(&self) -> Option<Duration> {
        let mut waits = self.waits.clone();
        waits.sort_unstable();
        waits.get((waits.len() * 99).div_ceil(100).saturating_sub(1)).copied()
    }

    fn note(&mut self, asked: Result<Duration>) {
        match asked {
            Ok(wait) => self.waits.push(wait),
            Err(error) => {
                self.let_down += 1;
                self.why.get_or_insert_with(|| format!("{error:#}"));
            }
        }
    }

    fn add(&mut self, other: Self) {
        self.waits.extend(other.waits);
        self.let_down += other.let_down;
        self.why = self.why.take().or(other.why);
    }
}

/// Asks again and again on one connection. One that the server has closed between two requests is replaced, as every
/// client does.
async fn keep(address: SocketAddr, session: &str, stop: &AtomicBool) -> Report {
    let mut report = Report::default();
    let mut stream = None;
    while !stop.load(Ordering::Relaxed) {
        let began = Instant::now();
        let again = stream.is_some();
        let mut asked = ask(address, session, &mut stream).await;
        if asked.is_err() && again {
            stream = None;
            asked = ask(address, session, &mut stream).await;
        }
        report.note(asked.map(|()| began.elapsed()));
        tokio::time::sleep(KEPT_PAUSE).await;
    }
    report
}

async fn reconnect(address: SocketAddr, session: &str, stop: &AtomicBool) -> Report {
    let mut report = Report::default();
    while !stop.load(Ordering::Relaxed) {
        report.note(ask_fresh(address, session).await);
        tokio::time::sleep(FRESH_PAUSE).await;
    }
    report
}

async fn ask_fresh(address: SocketAddr, session: &str) -> Result<Duration> {
    let began = Instant::now();
    ask(address, session, &mut None).await.map(|()| began.elapsed())
}

async fn ask(address: SocketAddr, session: &str, stream: &mut Option<TcpStream>) -> Result<()> {
    if stream.is_none() {
        *stream = Some(wire::connect(address).await?);
    }
    let Some(stream) = stream else { return Ok(()) };
    let body = wire::request(1, "tools/list", "{}");
    let text = format!("{}{body}", wire::head(address, body.len(), session));
    stream.write_all(text.as_bytes()).await?;
    let answer = tokio::time::timeout(Duration::from_secs(5), wire::read_answer(stream)).await;
    let answer = answer.context("no answer within 5 s")??;
    ensure!(answer.status == 200, "status {}: {}", answer.status, String::from_utf8_lossy(&answer.body));
    Ok(())
}
